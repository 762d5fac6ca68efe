// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Finding the sessions of other processes. */
#include "lib/session/find.h"
#include "tests/unit/unit.h"

TEST(a_search_ends_when_its_time_has_passed)
{
	struct mr_sessions found;
	struct mr_error err;

	assert_int_equal(mr_sessions_find(0, &found, &err), 0);
	assert_true(found.incomplete);
	assert_int_equal(found.count, 0);
	mr_sessions_release(&found);
	assert_int_equal(mr_sessions_find((uint64_t)60 * 1000000000, &found, &err), 0);
	assert_false(found.incomplete);
	mr_sessions_release(&found);
}
