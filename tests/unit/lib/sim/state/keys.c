// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The memory keys of a table: which index is new, and which freed key comes back. */
#include "lib/sim/state/keys.h"
#include "tests/unit/lib/sim/state/object_table.h"

#define FIRST 0x11

TEST(the_last_key_of_its_variant_comes_back_first)
{
	struct sim_table *table = *state;

	assert_int_equal(sim_key_reuse(table, 4), 0);
	sim_key_free(table, 0x1104);
	sim_key_free(table, 0x1206);
	sim_key_free(table, 0x1304);
	assert_int_equal(sim_key_reuse(table, 5), 0);
	assert_int_equal(sim_key_reuse(table, 4), 0x1304);
	sim_key_free(table, 0x1404);
	assert_int_equal(sim_key_reuse(table, 6), 0x1206);
	assert_int_equal(sim_key_reuse(table, 4), 0x1404);
	assert_int_equal(sim_key_reuse(table, 4), 0x1104);
	assert_int_equal(sim_key_reuse(table, 4), 0);
	assert_int_equal(sim_key_reuse(table, 6), 0);
}

TEST(keys_of_the_device_do_not_come_back)
{
	struct sim_table *table = *state;

	sim_key_free(table, 0x1100 | SIM_KEY_OF_DEVICE);
	assert_int_equal(sim_key_reuse(table, SIM_KEY_OF_DEVICE), 0);
}

TEST(the_oldest_of_many_keys_are_forgotten)
{
	struct sim_table *table = *state;
	uint32_t i;

	for (i = 1; i <= SIM_FREED_KEYS + 1; i++)
		sim_key_free(table, i << 8);
	for (i = SIM_FREED_KEYS + 1; i > SIM_FREED_KEYS / 2; i--)
		assert_int_equal(sim_key_reuse(table, 0), i << 8);
	assert_int_equal(sim_key_reuse(table, 0), 0);
}

TEST(indexes_are_used_in_turn)
{
	struct sim_table *table = *state;
	uint32_t mr = add(table, MR, SIM_NO_HANDLE);

	assert_int_equal(sim_key_index(table, FIRST), FIRST);
	assert_int_equal(sim_key_index(table, FIRST), FIRST + 1);
	table->objects[mr].key = FIRST << 8 | 4;
	table->header->key_index = 0xfffffe;
	sim_key_free(table, (FIRST + 1) << 8);
	assert_int_equal(sim_key_index(table, FIRST), 0xffffff);
	/* then one that is taken is left out, and one that was freed is new */
	assert_int_equal(sim_key_index(table, FIRST), FIRST + 1);
	assert_int_equal(sim_key_reuse(table, 0), 0);
}

TEST(a_number_that_was_written_over_is_no_number_of_keys)
{
	struct sim_table *table = *state;

	table->header->freed_count = 0x7fffffff;
	assert_int_equal(sim_key_reuse(table, 0), 0);
	table->header->freed_count = SIM_FREED_KEYS + 1;
	sim_key_free(table, 0x1100);
	assert_int_equal(sim_key_reuse(table, 0), 0x1100);
}

TEST(a_repair_forgets_freed_keys)
{
	struct sim_table *table = *state;

	sim_key_free(table, 0x1104);
	table->header->damaged = true;
	sim_table_unlock(table);
	assert_int_equal(sim_table_lock(table), 0);
	assert_int_equal(sim_key_reuse(table, 4), 0);
}

EACH_TEST(open_table, close_table)
