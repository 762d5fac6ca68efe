// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Rows about regions, made of entries of the session's table. */
#include "cmd/region/region.h"
#include "lib/verbs/verbs.h"
#include "tests/unit/unit.h"

static bool needs_process(const struct mr_entry *entry)
{
	const struct mr_table table = { .fd = -1 };
	struct mr_table_pd pd;
	struct region_row row;

	region_row_fill(&row, entry, &table, &pd);
	assert_int_not_equal(row.needs_process, MR_UNKNOWN);
	return row.needs_process == MR_YES;
}

TEST(a_region_needs_its_process_by_what_its_memory_is_not_by_the_text)
{
	struct mr_entry entry = { .state = MR_ENTRY_LIVE,
				  .call = MR_REG_DMABUF_MR,
				  .pd = MR_TABLE_PDS,
				  .memory = "cuda:0" };

	assert_false(needs_process(&entry));
	entry.memory_of = MR_MEMORY_OF_GPU;
	entry.memory[0] = '\0';
	assert_true(needs_process(&entry));
	entry.memory_of = MR_MEMORY_OF_HOST;
	entry.access = MR_ACCESS_ON_DEMAND;
	assert_true(needs_process(&entry));
}
