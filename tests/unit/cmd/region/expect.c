// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* --expect: whether the answers are the expected ones. */
#include <errno.h>

#include "cmd/cli/option_types.h"
#include "cmd/region/expect.h"
#include "tests/unit/unit.h"

static struct mr_error refusal(int errnum)
{
	struct mr_error err;

	mr_fail(&err, MR_ERROR_REFUSED, errnum, "ibv_reg_mr", NULL);
	return err;
}

static bool expected(const struct expect_option *expect, const struct mr_error *err)
{
	struct failures failures = { 0 };
	bool answer;

	if (err)
		failures_add(&failures, err, 1, 0, "library", NULL, NULL, NULL);
	answer = expect_holds(expect, &failures);
	failures_release(&failures);
	return answer;
}

static struct expect_option expecting(int errnum)
{
	struct expect_option expect = { .given = true };

	expect.errnums[errnum / 64] |= UINT64_C(1) << errnum % 64;
	return expect;
}

TEST(an_answer_is_expected_if_it_was_listed)
{
	const struct expect_option ok = { .given = true, .ok = true }, einval = expecting(EINVAL);
	const struct mr_error err = refusal(EINVAL), other = refusal(ENOMEM);

	assert_true(expected(&ok, NULL));
	assert_false(expected(&einval, NULL));
	assert_true(expected(&einval, &err));
	assert_false(expected(&einval, &other));
	assert_false(expected(&ok, &err));
}

TEST(every_failure_has_to_be_expected)
{
	const struct expect_option einval = expecting(EINVAL);
	const struct mr_error err = refusal(EINVAL), other = refusal(ENOMEM);
	struct failures failures = { 0 };

	failures_add(&failures, &err, 1, 0, "library", NULL, NULL, NULL);
	failures_add(&failures, &err, 2, 0, "library", NULL, NULL, NULL);
	assert_true(expect_holds(&einval, &failures));
	failures_add(&failures, &other, 3, 0, "library", NULL, NULL, NULL);
	assert_false(expect_holds(&einval, &failures));
	failures_release(&failures);
}

TEST(a_failure_of_the_host_is_no_answer_of_the_stack)
{
	const struct expect_option enomem = expecting(ENOMEM);
	struct mr_error err;

	mr_fail(&err, MR_ERROR_HOST, ENOMEM, "mmap", NULL);
	assert_false(expected(&enomem, &err));
	mr_fail_text(&err, MR_ERROR_ABSENT, ENOMEM, "no device");
	assert_false(expected(&enomem, &err));
}

TEST(an_errno_beyond_all_names_is_never_expected)
{
	static const int numbers[] = { 576, 577, 4095, 100000, -1 };
	struct expect_option all = { .given = true };

	memset(all.errnums, 0xff, sizeof(all.errnums));
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		const struct mr_error err = refusal(numbers[i]);

		assert_false(expected(&all, &err));
	}
}
