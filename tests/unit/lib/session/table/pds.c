// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Protection domains in the table. */
#include "lib/session/table/file.h"
#include "lib/session/table/pds.h"
#include "tests/unit/lib/session/table/table.h"
#include "tests/unit/unit.h"

TEST(protection_domains_are_found_by_name_and_slot)
{
	struct mr_table table;
	struct mr_table_pd pd;
	char name[MR_NAME_SIZE];
	uint32_t pd_slot;

	open_new(&table);
	pd_slot = mr_table_add_pd(&table, "default", 0);
	assert_int_equal(mr_table_add_pd(&table, "other", 9), pd_slot + 1);
	assert_int_equal(mr_table_find_pd(&table, "other"), pd_slot + 1);
	assert_int_equal(mr_table_find_pd(&table, "othe"), MR_NO_SLOT);
	assert_true(mr_table_pd(&table, pd_slot + 1, &pd));
	assert_string_equal(pd.name, "other");
	assert_int_equal(pd.handle, 9);
	mr_table_remove_pd(&table, pd_slot);
	assert_int_equal(mr_table_find_pd(&table, "default"), MR_NO_SLOT);
	assert_false(mr_table_pd(&table, pd_slot, &pd));
	assert_false(mr_table_pd(&table, MR_NO_SLOT, &pd));
	for (uint32_t i = 1; i < MR_TABLE_PDS; i++) {
		snprintf(name, sizeof(name), "pd%u", i);
		assert_int_not_equal(mr_table_add_pd(&table, name, 100 + i), MR_NO_SLOT);
	}
	assert_int_equal(mr_table_add_pd(&table, "toomany", 200), MR_NO_SLOT);
	mr_table_close(&table);
}

TEST(a_protection_domain_that_the_kernel_gave_out_again_retires_the_one_before)
{
	struct mr_table table;
	struct mr_table_pd pd;

	open_new(&table);
	mr_table_doubt_pd(&table, mr_table_add_pd(&table, "old", 9), true);
	assert_true(mr_table_pd(&table, mr_table_find_pd(&table, "old"), &pd));
	assert_int_equal(pd.in_doubt, 1);
	assert_true(mr_table_pd(&table, mr_table_add_pd(&table, "new", 9), &pd));
	assert_int_equal(pd.in_doubt, 0);
	assert_int_equal(mr_table_find_pd(&table, "old"), MR_NO_SLOT);
	mr_table_close(&table);
}
