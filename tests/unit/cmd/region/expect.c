// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Refusals: what is kept of them, whether they were expected, and what standard error says. */
#include <errno.h>

#include "cmd/output/messages.h"
#include "cmd/region/expect.h"
#include "tests/unit/unit.h"

static struct mr_error refusal(int errnum)
{
	struct mr_error err;

	mr_fail(&err, MR_ERROR_REFUSED, errnum, "ibv_reg_mr", NULL);
	return err;
}

TEST(a_refusal_is_kept_with_its_call_and_errno)
{
	const struct mr_error err = refusal(EINVAL);
	struct failures failures = { 0 };
	const struct failure *f;

	failures_add(&failures, &err, 3, 7, "library", NULL);
	f = failures.items;
	assert_int_equal(failures.count, 1);
	assert_true(f->index.known && f->region.known);
	assert_int_equal(f->index.value, 3);
	assert_int_equal(f->region.value, 7);
	assert_string_equal(f->call, "ibv_reg_mr");
	assert_string_equal(f->errno_name, "EINVAL");
	assert_true(f->errno_value.known);
	assert_int_equal(f->errno_value.value, EINVAL);
	assert_string_equal(f->message, err.text);
	assert_ptr_not_equal(f->message, err.text);
	assert_string_equal(f->via, "library");
	assert_null(f->layer);
	assert_int_equal(f->causes.count, 0);
	failures_release(&failures);
	assert_int_equal(failures.count, 0);
}

TEST(a_request_is_copied_and_shared_with_the_next_one_where_it_is_the_same)
{
	char memory[] = "anon", word[] = "reg";
	const char *argv[] = { word, "--size", NULL };
	struct request request = { .argv = argv, .memory = memory, .length = known(4096) };
	const struct mr_error err = refusal(EINVAL);
	struct failures failures = { 0 };
	const struct request *kept;

	for (uint64_t i = 1; i <= 3; i++)
		failures_add(&failures, &err, i, 0, "library", &request);
	word[0] = memory[0] = 'x';
	argv[1] = NULL;
	failures_add(&failures, &err, 4, 0, "library", &request);
	kept = &failures.items[0].request;
	assert_string_equal(kept->argv[0], "reg");
	assert_string_equal(kept->argv[1], "--size");
	assert_null(kept->argv[2]);
	assert_string_equal(kept->memory, "anon");
	assert_null(kept->pd);
	assert_int_equal(kept->length.value, 4096);
	assert_ptr_equal(failures.items[2].request.argv, kept->argv);
	assert_ptr_equal(failures.items[2].request.memory, kept->memory);
	assert_string_equal(failures.items[3].request.argv[0], "xeg");
	assert_null(failures.items[3].request.argv[1]);
	assert_string_equal(failures.items[3].request.memory, "xnon");
	failures_release(&failures);
}

TEST(a_refused_change_is_kept_with_its_code_and_the_old_region)
{
	const struct mr_error err = refusal(EINVAL);
	const struct mr_rereg_failure rereg = { .old = MR_OLD_VALID,
						.code = "IBV_REREG_MR_ERR_INPUT" };
	struct failures failures = { 0 };

	failures_add(&failures, &err, 1, 7, "library", NULL);
	assert_null(failures.items[0].rereg_code);
	failures_rereg(&failures, &rereg);
	assert_string_equal(failures.items[0].rereg_code, "IBV_REREG_MR_ERR_INPUT");
	assert_null(failures.items[0].library_would_say);
	assert_string_equal(failures.items[0].old_region, "valid");
	failures_release(&failures);
	failures.out_of_memory = true;
	failures_rereg(&failures, &rereg); /* it was lost */
}

TEST(what_it_was_not_about_is_not_known)
{
	struct failures failures = { 0 };
	struct mr_error err;

	mr_fail(&err, MR_ERROR_HOST, ENOMEM, "mmap", NULL);
	failures_add(&failures, &err, 0, 0, "library", NULL);
	assert_false(failures.items[0].index.known);
	assert_false(failures.items[0].region.known);
	assert_null(failures.items[0].via); /* no RDMA call was made */
	failures_release(&failures);
}

TEST(many_failures_are_kept_and_freed)
{
	const struct mr_error same = refusal(EINVAL), other = refusal(ENOMEM);
	struct failures failures = { 0 };

	for (uint64_t i = 1; i <= 1000; i++)
		failures_add(&failures, i % 100 ? &same : &other, i, 0, "library", NULL);
	assert_int_equal(failures.count, 1000);
	assert_string_equal(failures.items[98].message, same.text);
	assert_string_equal(failures.items[99].message, other.text);
	assert_string_equal(failures.items[100].message, same.text);
	assert_int_equal(failures.items[999].index.value, 1000);
	failures_release(&failures);
}

static bool expected(const struct expect_option *expect, const struct mr_error *err)
{
	struct failures failures = { 0 };
	bool answer;

	if (err)
		failures_add(&failures, err, 1, 0, "library", NULL);
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

	failures_add(&failures, &err, 1, 0, "library", NULL);
	failures_add(&failures, &err, 2, 0, "library", NULL);
	assert_true(expect_holds(&einval, &failures));
	failures_add(&failures, &other, 3, 0, "library", NULL);
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
	assert_string_equal(reported(&c, "reg", &err), "mrctl: reg: bad\nTry 'mrctl reg --help'.\n");
	assert_string_equal(reported(&c, NULL, &err), "mrctl: bad\nTry 'mrctl --help'.\n");
}

TEST(no_text_is_a_format)
{
	struct mr_error err;
	struct capture c;

	mr_fail_text(&err, MR_ERROR_HOST, EINVAL, "%s", "100%s %n");
	mr_hint(&err, "%s", "%d%%");
	assert_string_equal(reported(&c, "reg", &err), "mrctl: reg: 100%s %n\n  %d%%\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_refusal_is_kept_with_its_call_and_errno),
		cmocka_unit_test(
			a_request_is_copied_and_shared_with_the_next_one_where_it_is_the_same),
		cmocka_unit_test(a_refused_change_is_kept_with_its_code_and_the_old_region),
		cmocka_unit_test(what_it_was_not_about_is_not_known),
		cmocka_unit_test(many_failures_are_kept_and_freed),
		cmocka_unit_test(an_answer_is_expected_if_it_was_listed),
		cmocka_unit_test(every_failure_has_to_be_expected),
		cmocka_unit_test(a_failure_of_the_host_is_no_answer_of_the_stack),
		cmocka_unit_test(an_errno_beyond_all_names_is_never_expected),
		cmocka_unit_test(kinds_of_errors_have_their_exit_status),
		cmocka_unit_test(an_error_is_one_line_with_its_command),
		cmocka_unit_test(a_hint_follows_indented),
		cmocka_unit_test(usage_errors_point_to_the_help),
		cmocka_unit_test(no_text_is_a_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
