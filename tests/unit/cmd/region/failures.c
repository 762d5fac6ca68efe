// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The list of failures: what it keeps of each. */

#include "cmd/region/region.h"
#include "tests/unit/unit.h"

TEST(a_request_of_a_line_is_copied_by_its_batch)
{
	char memory[] = "anon", word[] = "reg";
	const char *argv[] = { word, "--size", NULL };
	const struct failure failure = {
		.request = { .argv = argv, .memory = memory, .length = known(4096) },
	};
	struct failures failures = { 0 };
	const struct request *kept;

	failures_adopt(&failures, &failure, 7, "line 7");
	word[0] = memory[0] = 'x';
	argv[1] = NULL;
	kept = &failures.items[0].request;
	assert_int_equal(failures.items[0].index.value, 7);
	assert_string_equal(failures.items[0].message, "line 7");
	assert_string_equal(kept->argv[0], "reg");
	assert_string_equal(kept->argv[1], "--size");
	assert_null(kept->argv[2]);
	assert_string_equal(kept->memory, "anon");
	assert_null(kept->pd);
	assert_int_equal(kept->length.value, 4096);
	failures_release(&failures);
}
