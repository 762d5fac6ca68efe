// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Errors on standard error, and their exit statuses. */
#include <errno.h>

#include "cmd/output/messages.h"
#include "tests/unit/unit.h"

static struct mr_error refusal(int errnum)
{
	struct mr_error err;

	mr_fail(&err, MR_ERROR_REFUSED, errnum, "ibv_reg_mr", NULL);
	return err;
}

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

static const char *reported(struct capture *c, const char *command, const struct mr_error *err)
{
	capture_begin(c, STDERR_FILENO);
	report_error(command, err);
	return capture_end(c);
}

TEST(an_error_is_one_line_with_its_command)
{
	const struct mr_error err = refusal(EINVAL);
	struct capture c;

	assert_string_equal(reported(&c, "reg", &err),
			    "mrctl: reg: ibv_reg_mr: EINVAL (Invalid argument)\n");
	assert_string_equal(reported(&c, NULL, &err),
			    "mrctl: ibv_reg_mr: EINVAL (Invalid argument)\n");
}

TEST(a_hint_follows_indented)
{
	struct mr_error err = refusal(EINVAL);
	struct capture c;

	mr_hint(&err, "do that");
	assert_contains(reported(&c, "reg", &err), "(Invalid argument)\n  do that\n");
}

TEST(usage_errors_point_to_the_help)
{
	struct mr_error err;
	struct capture c;

	mr_fail_text(&err, MR_ERROR_USAGE, EINVAL, "bad");
	assert_string_equal(reported(&c, "reg", &err),
			    "mrctl: reg: bad\nTry 'mrctl reg --help'.\n");
	assert_string_equal(reported(&c, NULL, &err), "mrctl: bad\nTry 'mrctl --help'.\n");
}

TEST(a_text_with_percent_signs_is_not_a_format)
{
	struct mr_error err;
	struct capture c;

	mr_fail_text(&err, MR_ERROR_HOST, EINVAL, "%s", "100%s %n");
	mr_hint(&err, "%s", "%d%%");
	assert_string_equal(reported(&c, "reg", &err), "mrctl: reg: 100%s %n\n  %d%%\n");
}
