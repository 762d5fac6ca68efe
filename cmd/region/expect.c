// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <string.h>

#include "cmd/cli/option_types.h"
#include "cmd/region/expect.h"

/* Most answers that the sentence of expect_text() names. */
#define NAMED_MAX 4

/* Room for an errno with a cause. */
#define ANSWER_TEXT 128

#define ERRNO_END   (64 * (sizeof(((struct expect_option *)0)->errnums) / sizeof(uint64_t)))

static bool has_errno(const struct expect_option *expect, uint64_t errnum)
{
	return errnum < ERRNO_END && expect->errnums[errnum / 64] >> errnum % 64 & 1;
}

static bool is_answer(enum mr_error_kind kind, const char *call)
{
	return mr_error_is_answer(kind, call) || kind == MR_ERROR_RELAXED;
}

/* Whether the errno is expected: for any cause, or for the one that was found. */
static bool has_answer(const struct expect_option *expect, uint64_t errnum, const struct why *why)
{
	for (size_t i = 0; i < expect->cause_count; i++)
		if ((uint64_t)expect->causes[i].errnum == errnum &&
		    expect->causes[i].cause == why_first(why))
			return true;
	return has_errno(expect, errnum);
}

bool expect_has(const struct expect_option *expect, const struct mr_error *err,
		const struct why *why)
{
	return is_answer(err->kind, err->call) && has_answer(expect, (uint64_t)err->errnum, why);
}

static bool is_expected(const struct expect_option *expect, const struct failure *f)
{
	return is_answer(f->kind, f->call) && has_answer(expect, f->errno_value.value, f->why);
}

bool expect_holds(const struct expect_option *expect, const struct failures *failures)
{
	if (!failures->count)
		return expect->ok;
	for (size_t i = 0; i < failures->count; i++)
		if (!is_expected(expect, &failures->items[i]))
			return false;
	return true;
}

/* A list of names in a sentence: "EFAULT or ENOMEM". */
struct names {
	char *text;
	size_t used;
	size_t count;
};

static void append_name(struct names *names, const char *between, const char *before,
			const char *name)
{
	const char *link = names->count++ ? between : "";

	if (names->used < EXPECT_TEXT)
		names->used +=
			(size_t)snprintf(names->text + names->used, EXPECT_TEXT - names->used,
					 "%s%s%s", link, before, name);
}

/* Whether the errno is expected for some cause, so that the cause makes the difference. */
static bool needs_cause(const struct expect_option *expect, const struct failure *f)
{
	for (size_t i = 0; i < expect->cause_count; i++)
		if ((uint64_t)expect->causes[i].errnum == f->errno_value.value)
			return true;
	return false;
}

static bool is_repeated(const struct expect_option *expect, const struct failures *failures,
			size_t i)
{
	const struct failure *f = &failures->items[i];

	for (size_t j = 0; j < i; j++)
		if (failures->items[j].errno_value.value == f->errno_value.value &&
		    (!needs_cause(expect, f) ||
		     why_first(failures->items[j].why) == why_first(f->why)))
			return true;
	return false;
}

/* "ENOMEM", and with a cause that is not the expected one "ENOMEM for MR-CGROUP-RDMA" */
static const char *answer_text(const struct expect_option *expect, const struct failure *f,
			       char text[ANSWER_TEXT])
{
	const char *name = f->errno_name ?: "another errno";
	const struct mr_cause *cause = why_first(f->why);

	if (!needs_cause(expect, f) || !is_answer(f->kind, f->call))
		return name;
	snprintf(text, ANSWER_TEXT, "%s for %s", name, cause ? cause->id : "no known cause");
	return text;
}

static void add_answers(struct names *names, const struct expect_option *expect,
			const struct failures *failures)
{
	char text[ANSWER_TEXT];

	if (!failures->count)
		append_name(names, "", "", "ok");
	for (size_t i = 0; i < failures->count && names->count < NAMED_MAX; i++) {
		const struct failure *f = &failures->items[i];

		if (is_expected(expect, f) || is_repeated(expect, failures, i))
			continue;
		append_name(names, " and ", answer_text(expect, f, text),
			    is_answer(f->kind, f->call) ? "" : ", which is no answer of the stack");
	}
}

const char *expect_text(const struct expect_option *expect, const struct failures *failures,
			char *text)
{
	struct names names = { .text = text };
	char text_of_cause[ANSWER_TEXT];

	append_name(&names, "", "expected ", expect->ok ? "ok" : "");
	names.count = expect->ok;
	for (uint64_t errnum = 1; errnum < ERRNO_END; errnum++)
		if (has_errno(expect, errnum))
			append_name(&names, " or ", "",
				    mr_errno_name((int)errnum) ?: "another errno");
	for (size_t i = 0; i < expect->cause_count; i++) {
		snprintf(text_of_cause, sizeof(text_of_cause), "%s for %s",
			 mr_errno_name(expect->causes[i].errnum), expect->causes[i].cause->id);
		append_name(&names, " or ", "", text_of_cause);
	}
	names.count = 0;
	append_name(&names, "", ", got ", "");
	names.count = 0;
	add_answers(&names, expect, failures);
	return text;
}
