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
