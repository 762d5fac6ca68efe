// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Errors on standard error, and their exit statuses. */
#include <errno.h>

#include "cmd/output/output.h"
#include "tests/unit/unit.h"

TEST(kinds_of_errors_have_their_exit_status)
{
	static const struct {
		enum mr_error_kind kind;
		int status;
	} cases[] = {
		{ MR_ERROR_HOST, 1 },
		{ MR_ERROR_REFUSED, 1 },
		{ MR_ERROR_USAGE, 2 },
		{ MR_ERROR_ABSENT, 3 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct mr_error err = { .kind = cases[i].kind };

		assert_int_equal(report_status(&err), cases[i].status);
	}
}

TEST(an_error_is_a_line_with_its_command_and_a_hint_or_the_way_to_the_help)
{
	static const struct {
		const char *command;
		enum mr_error_kind kind;
		const char *text, *hint, *expected;
	} rows[] = {
		{ "reg", MR_ERROR_REFUSED, "no", NULL, "mrctl: reg: no\n" },
		{ NULL, MR_ERROR_REFUSED, "no", NULL, "mrctl: no\n" },
		{ "reg", MR_ERROR_HOST, "no", "do that", "mrctl: reg: no\n  do that\n" },
		{ "reg", MR_ERROR_USAGE, "bad", NULL,
		  "mrctl: reg: bad\nTry 'mrctl reg --help'.\n" },
		{ NULL, MR_ERROR_USAGE, "bad", NULL, "mrctl: bad\nTry 'mrctl --help'.\n" },
		{ "reg", MR_ERROR_HOST, "100%s %n", "%d%%", "mrctl: reg: 100%s %n\n  %d%%\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct mr_error err;
		struct capture c;

		mr_fail_text(&err, rows[i].kind, EINVAL, "%s", rows[i].text);
		if (rows[i].hint)
			mr_hint(&err, "%s", rows[i].hint);
		capture_begin(&c, STDERR_FILENO);
		report_error(rows[i].command, &err);
		assert_string_equal(capture_end(&c), rows[i].expected);
	}
}
