// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <string.h>

#include "cmd/cli/option_types.h"
#include "cmd/region/expect.h"

/* Most answers that the sentence of expect_text() names. */
#define NAMED_MAX 4

#define ERRNO_END (64 * (sizeof(((struct expect_option *)0)->errnums) / sizeof(uint64_t)))

static bool has_errno(const struct expect_option *expect, uint64_t errnum)
{
	return errnum < ERRNO_END && expect->errnums[errnum / 64] >> errnum % 64 & 1;
}

static bool is_answer(enum mr_error_kind kind, const char *call)
{
	return mr_error_is_answer(kind, call) || kind == MR_ERROR_RELAXED;
}

bool expect_has(const struct expect_option *expect, const struct mr_error *err)
{
	return is_answer(err->kind, err->call) && has_errno(expect, (uint64_t)err->errnum);
}

static bool is_expected(const struct expect_option *expect, const struct failure *f)
{
	return is_answer(f->kind, f->call) && has_errno(expect, f->errno_value.value);
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

static bool is_repeated(const struct failures *failures, size_t i)
{
	const struct failure *f = &failures->items[i];

	for (size_t j = 0; j < i; j++)
		if (failures->items[j].errno_value.value == f->errno_value.value)
			return true;
	return false;
}

static void add_answers(struct names *names, const struct expect_option *expect,
			const struct failures *failures)
{
	if (!failures->count)
		append_name(names, "", "", "ok");
	for (size_t i = 0; i < failures->count && names->count < NAMED_MAX; i++) {
		const struct failure *f = &failures->items[i];

		if (is_expected(expect, f) || is_repeated(failures, i))
			continue;
		append_name(names, " and ", f->errno_name ?: "another errno",
			    is_answer(f->kind, f->call) ? "" : ", which is no answer of the stack");
	}
}

const char *expect_text(const struct expect_option *expect, const struct failures *failures,
			char *text)
{
	struct names names = { .text = text };

	append_name(&names, "", "expected ", expect->ok ? "ok" : "");
	names.count = expect->ok;
	for (uint64_t errnum = 1; errnum < ERRNO_END; errnum++)
		if (has_errno(expect, errnum))
			append_name(&names, " or ", "",
				    mr_errno_name((int)errnum) ?: "another errno");
	names.count = 0;
	append_name(&names, "", ", got ", "");
	names.count = 0;
	add_answers(&names, expect, failures);
	return text;
}
