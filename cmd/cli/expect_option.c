// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The value of --expect: "ok", errnos, and errnos with a cause. */
#include <errno.h>
#include <string.h>

#include "cmd/cli/expect_option.h"
#include "lib/base/base.h"
#include "lib/diagnose/causes/causes.h"

static int fail_answer(const char *item, size_t length, struct mr_error *err)
{
	const char *guess = mr_errno_guess(item, length);

	return mr_fail_text(
		err, MR_ERROR_USAGE, EINVAL,
		"unknown answer '%.*s'%s%s%s give ok, or the name of an errno such as ENOMEM",
		(int)length, item, guess ? ": did you mean '" : ":", guess ? guess : "",
		guess ? "'?" : "");
}

static int fail_cause(const char *id, size_t length, struct mr_error *err)
{
	struct mr_guess guess = mr_guess_init(id, length);

	for (const struct mr_cause *cause = mr_cause_next(NULL); cause;
	     cause = mr_cause_next(cause))
		mr_guess_try(&guess, cause->id);
	mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "unknown cause '%.*s'", (int)length, id);
	if (guess.best)
		mr_hint(err, "did you mean '%s'?", guess.best);
	else
		mr_hint(err, "mrctl help causes lists all");
	return -EINVAL;
}

/* "ENOMEM:MR-MEMLOCK": @id is what stands behind the colon */
static int add_cause(struct expect_option *expect, int errnum, const char *id, size_t length,
		     struct mr_error *err)
{
	const struct mr_cause *cause = mr_cause_find(id, length);

	if (!cause)
		return fail_cause(id, length, err);
	if (!mr_cause_speaks_for(cause, 0, errnum)) {
		mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "%s is never the cause of %s", cause->id,
			     mr_errno_name(errnum));
		mr_hint(err, "mrctl explain %s names its errnos", cause->id);
		return -EINVAL;
	}
	if (expect->cause_count == sizeof(expect->causes) / sizeof(*expect->causes))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "too many causes: at most %zu",
				    expect->cause_count);
	expect->causes[expect->cause_count++] = (struct expected_cause){ errnum, cause };
	return 0;
}

static int add_answer(struct expect_option *expect, const char *item, size_t length,
		      struct mr_error *err)
{
	const char *colon = memchr(item, ':', length);
	const size_t name = colon ? (size_t)(colon - item) : length;
	const int errnum = mr_errno_parse(item, name);

	if (errnum && colon)
		return add_cause(expect, errnum, colon + 1, length - name - 1, err);
	if (errnum)
		expect->errnums[errnum / 64] |= UINT64_C(1) << errnum % 64;
	else if (mr_word_is(item, length, "ok"))
		expect->ok = true;
	else
		return fail_answer(item, length, err);
	return 0;
}

int expect_option_read(const char *text, void *member, struct mr_error *err)
{
	struct expect_option *expect = member;
	const char *item;
	size_t length;
	int rc = 0;

	expect->given = true;
	while (!rc && (item = mr_list_item(&text, ",", &length)))
		rc = add_answer(expect, item, length, err);
	return rc;
}
