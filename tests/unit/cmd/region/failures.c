// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The list of failures: what it keeps of each, and which strings they share. */
#include <errno.h>

#include "cmd/region/region.h"
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

	failures_add(&failures, &err, 3, 7, "library", NULL, NULL, NULL);
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
	assert_null(f->found.layer);
	assert_int_equal(f->found.causes.count, 0);
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
		failures_add(&failures, &err, i, 0, "library", &request, NULL, NULL);
	word[0] = memory[0] = 'x';
	argv[1] = NULL;
	failures_add(&failures, &err, 4, 0, "library", &request, NULL, NULL);
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

	failures_add(&failures, &err, 1, 7, "library", NULL, NULL, NULL);
	assert_null(failures.items[0].rereg_code);
	failures_set_rereg(&failures, &rereg);
	assert_string_equal(failures.items[0].rereg_code, "IBV_REREG_MR_ERR_INPUT");
	assert_null(failures.items[0].library_would_say);
	assert_string_equal(failures.items[0].old_region, "valid");
	failures_release(&failures);
	failures.out_of_memory = true;
	failures_set_rereg(&failures, &rereg); /* the last failure was lost */
}

TEST(many_failures_are_kept_and_what_one_is_not_about_is_not_known)
{
	const struct mr_error same = refusal(EINVAL), other = refusal(ENOMEM);
	struct failures failures = { 0 };
	struct mr_error host;

	mr_fail(&host, MR_ERROR_HOST, ENOMEM, "mmap", NULL);
	failures_add(&failures, &host, 0, 0, "library", NULL, NULL, NULL);
	assert_false(failures.items[0].index.known || failures.items[0].region.known);
	assert_null(failures.items[0].via); /* no RDMA call was made */
	for (uint64_t i = 1; i < 100; i++)
		failures_add(&failures, i % 10 ? &same : &other, i, 0, "library", NULL, NULL, NULL);
	assert_int_equal(failures.count, 100);
	assert_string_equal(failures.items[49].message, same.text);
	assert_string_equal(failures.items[50].message, other.text);
	assert_string_equal(failures.items[51].message, same.text);
	assert_ptr_equal(failures.items[51].message, failures.items[52].message);
	assert_int_equal(failures.items[99].index.value, 99);
	failures_release(&failures);
}
