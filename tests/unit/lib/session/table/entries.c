// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The entries of the table: their values, and how each is found. */
#include <errno.h>

#include "lib/session/table/entries.h"
#include "lib/session/table/file.h"
#include "lib/session/table/index.h"
#include "lib/session/table/lock.h"
#include "lib/session/table/marks.h"
#include "tests/unit/lib/session/table/table.h"
#include "tests/unit/unit.h"

TEST(a_pending_entry_is_found_by_id_and_name_only)
{
	struct mr_table table;
	struct mr_entry entry;
	uint32_t slot;

	open_new(&table);
	slot = add(&table, "buf0", &entry);
	assert_int_equal(mr_table_find(&table, MR_BY_ID, entry.id), slot);
	assert_int_equal(mr_table_find_name(&table, "buf0"), slot);
	assert_int_equal(mr_table_find(&table, MR_BY_HANDLE, 0), MR_NO_SLOT);
	assert_int_equal(mr_table_find(&table, MR_BY_LKEY, 0), MR_NO_SLOT);
	assert_int_equal(mr_table_find(&table, MR_BY_RKEY, 0), MR_NO_SLOT);
	assert_true(mr_table_get(&table, slot, &entry));
	assert_int_equal(entry.state, MR_ENTRY_PENDING);
	mr_table_close(&table);
}

TEST(a_live_entry_is_found_by_id_name_keys_and_handle)
{
	struct mr_table table;
	struct mr_entry entry, got;
	uint32_t slot;

	open_new(&table);
	slot = add_live(&table, "buf0", 0, &entry); /* 0 is a valid handle */
	add_live(&table, "buf1", 1, &got);
	assert_int_equal(mr_table_find(&table, MR_BY_ID, entry.id), slot);
	assert_int_equal(mr_table_find_name(&table, "buf0"), slot);
	assert_int_equal(mr_table_find(&table, MR_BY_HANDLE, 0), slot);
	assert_int_equal(mr_table_find(&table, MR_BY_LKEY, entry.lkey), slot);
	assert_int_equal(mr_table_find(&table, MR_BY_RKEY, entry.rkey), slot);
	assert_int_equal(mr_table_find(&table, MR_BY_RKEY, entry.lkey), MR_NO_SLOT);
	assert_int_equal(mr_table_find_name(&table, "buf"), MR_NO_SLOT);
	assert_true(mr_table_get(&table, slot, &got));
	assert_int_equal(got.state, MR_ENTRY_LIVE);
	assert_int_equal(mr_entry_page_size(&got), 4096);
	assert_int_equal(mr_table_count(&table), 2);
	mr_table_close(&table);
}

TEST(a_page_size_is_stored_in_one_byte)
{
	struct mr_entry entry = { 0 };

	assert_int_equal(mr_entry_page_size(&entry), 0);
	for (unsigned int shift = 1; shift < 64; shift++) {
		entry.page_shift = mr_page_shift(UINT64_C(1) << shift);
		assert_int_equal(mr_entry_page_size(&entry), UINT64_C(1) << shift);
	}
	assert_int_equal(mr_page_shift(0), 0);
	assert_int_equal(mr_page_shift(4095), 0);
	for (unsigned int shift = 64; shift <= UINT8_MAX; shift++) {
		entry.page_shift = (uint8_t)shift; /* as another holder could write it */
		assert_int_equal(mr_entry_page_size(&entry), 0);
	}
}

TEST(an_rkey_of_zero_names_no_entry)
{
	struct mr_table table;
	struct mr_entry entry;
	uint32_t slot;

	open_new(&table);
	slot = add_live(&table, "a", 1, &entry);
	entry.rkey = 0;
	assert_true(mr_table_commit(&table, slot, &entry));
	assert_int_equal(mr_table_find(&table, MR_BY_RKEY, 0), MR_NO_SLOT);
	assert_int_equal(mr_table_find(&table, MR_BY_LKEY, entry.lkey), slot);
	mr_table_close(&table);
}

TEST(a_umem_has_no_keys_to_be_found_by)
{
	struct mr_entry entry = { .call = MR_UMEM_REG_EX, .name = "q" }, got;
	struct mr_table table;
	uint32_t slot, mr;

	open_new(&table);
	assert_int_equal(mr_table_add(&table, &entry, &slot, &err), 0);
	entry.handle = 7;
	entry.umem_id = 0x1001;
	entry.page_sizes = 4096;
	assert_true(mr_table_commit(&table, slot, &entry));
	assert_int_equal(mr_table_find(&table, MR_BY_LKEY, 0x1001), MR_NO_SLOT);
	assert_int_equal(mr_table_find(&table, MR_BY_RKEY, 0), MR_NO_SLOT);
	assert_int_equal(mr_table_find(&table, MR_BY_HANDLE, 7), slot);
	assert_int_equal(mr_table_find_name(&table, "q"), slot);
	mr = add_live(&table, "mr", 1, &got); /* its lkey equals the id of the umem */
	assert_int_equal(mr_table_find(&table, MR_BY_LKEY, 0x1001), mr);
	mr_table_remove(&table, slot, entry.id);
	assert_int_equal(mr_table_find(&table, MR_BY_LKEY, 0x1001), mr);
	assert_int_equal(mr_table_count(&table), 1);
	mr_table_close(&table);
}

TEST(a_handle_is_one_region_of_whatever_kind)
{
	struct mr_entry entry = { .call = MR_UMEM_REG }, mr;
	struct mr_table table;
	uint32_t slot;

	open_new(&table);
	add_live(&table, "mr", 7, &mr);
	assert_int_equal(mr_table_add(&table, &entry, &slot, &err), 0);
	entry.handle = 7;
	assert_true(mr_table_commit(&table, slot, &entry));
	assert_int_equal(mr_table_find(&table, MR_BY_HANDLE, 7), slot);
	assert_int_equal(mr_table_find(&table, MR_BY_ID, mr.id), MR_NO_SLOT);
	mr_table_close(&table);
}

TEST(an_entry_that_was_removed_is_not_found_any_more)
{
	struct mr_table table;
	struct mr_entry entry;
	uint32_t slot;

	open_new(&table);
	slot = add_live(&table, "buf0", 7, &entry);
	mr_table_remove(&table, slot, entry.id);
	assert_int_equal(mr_table_find(&table, MR_BY_ID, entry.id), MR_NO_SLOT);
	assert_int_equal(mr_table_find_name(&table, "buf0"), MR_NO_SLOT);
	assert_int_equal(mr_table_find(&table, MR_BY_HANDLE, 7), MR_NO_SLOT);
	assert_int_equal(mr_table_find(&table, MR_BY_LKEY, entry.lkey), MR_NO_SLOT);
	assert_int_equal(mr_table_find(&table, MR_BY_RKEY, entry.rkey), MR_NO_SLOT);
	assert_false(mr_table_get(&table, slot, &entry));
	assert_int_equal(mr_table_count(&table), 0);
	mr_table_close(&table);
}

TEST(a_name_in_use_is_refused_until_it_is_free)
{
	struct mr_table table;
	struct mr_entry entry, same = { .name = "buf0" };
	uint32_t slot, other;

	open_new(&table);
	slot = add(&table, "buf0", &entry);
	assert_int_equal(mr_table_add(&table, &same, &other, &err), -EEXIST);
	assert_int_equal(err.kind, MR_ERROR_USAGE);
	assert_contains(err.text, "'buf0'");
	assert_int_equal(mr_table_count(&table), 1);
	mr_table_remove(&table, slot, entry.id);
	assert_int_equal(mr_table_add(&table, &same, &other, &err), 0);
	mr_table_close(&table);
}

TEST(slots_are_reused_and_ids_are_not)
{
	struct mr_table table;
	struct mr_entry entry;
	uint64_t size, last = 0;

	open_new(&table);
	size = mr_table_size(&table);
	for (uint32_t i = 0; i < 1000; i++) {
		uint32_t slot = add_live(&table, "", i, &entry);

		assert_true(entry.id > last);
		last = entry.id;
		mr_table_remove(&table, slot, entry.id);
	}
	assert_int_equal(mr_table_size(&table), size);
	mr_table_close(&table);
}

TEST(an_entry_with_another_id_is_left_alone)
{
	struct mr_table table;
	struct mr_entry entry;
	uint32_t slot;

	open_new(&table);
	slot = add_live(&table, "", 3, &entry);
	mr_table_set_state(&table, slot, entry.id + 1, MR_ENTRY_IN_DOUBT);
	mr_table_remove(&table, slot, entry.id + 1);
	assert_true(mr_table_get(&table, slot, &entry));
	assert_int_equal(entry.state, MR_ENTRY_LIVE);
	mr_table_set_state(&table, slot, entry.id, MR_ENTRY_IN_DOUBT);
	assert_true(mr_table_get(&table, slot, &entry));
	assert_int_equal(entry.state, MR_ENTRY_IN_DOUBT);
	assert_int_equal(mr_table_find(&table, MR_BY_HANDLE, 3), slot);
	mr_table_close(&table);
}

TEST(an_entry_that_was_changed_is_found_by_its_new_keys_only)
{
	struct mr_entry entry, changed, got;
	struct mr_table table;
	uint32_t slot;

	open_new(&table);
	slot = add_live(&table, "buf0", 3, &entry);
	assert_true(mr_table_get(&table, slot, &changed));
	changed.lkey = 0xaaaa;
	changed.rkey = 0xbbbb;
	changed.length = 1 << 20;
	changed.unsure = 1;
	changed.state = MR_ENTRY_IN_DOUBT;
	assert_true(mr_table_change(&table, slot, &changed));
	assert_int_equal(mr_table_find(&table, MR_BY_LKEY, 0xaaaa), slot);
	assert_int_equal(mr_table_find(&table, MR_BY_RKEY, 0xbbbb), slot);
	assert_int_equal(mr_table_find(&table, MR_BY_LKEY, entry.lkey), MR_NO_SLOT);
	assert_int_equal(mr_table_find(&table, MR_BY_RKEY, entry.rkey), MR_NO_SLOT);
	assert_int_equal(mr_table_find(&table, MR_BY_HANDLE, 3), slot);
	assert_int_equal(mr_table_find(&table, MR_BY_ID, entry.id), slot);
	assert_int_equal(mr_table_find_name(&table, "buf0"), slot);
	assert_true(mr_table_get(&table, slot, &got));
	assert_int_equal(got.state, MR_ENTRY_IN_DOUBT);
	assert_int_equal(got.unsure, 1);
	assert_int_equal(got.length, 1 << 20);
	changed.state = MR_ENTRY_LIVE;
	changed.unsure = 0;
	assert_true(mr_table_change(&table, slot, &changed));
	assert_true(mr_table_get(&table, slot, &got));
	assert_int_equal(got.state, MR_ENTRY_LIVE);
	assert_int_equal(got.unsure, 0);
	assert_int_equal(mr_table_count(&table), 1);
	mr_table_close(&table);
}

TEST(an_entry_that_has_lost_its_handle_is_not_changed)
{
	struct mr_entry entry, changed;
	struct mr_table table;
	uint32_t slot;

	open_new(&table);
	slot = add_live(&table, "", 3, &entry);
	assert_true(mr_table_get(&table, slot, &changed));
	changed.handle = 4;
	changed.length = 1 << 20;
	assert_false(mr_table_change(&table, slot, &changed));
	changed.handle = 3;
	changed.id++;
	assert_false(mr_table_change(&table, slot, &changed));
	assert_true(mr_table_get(&table, slot, &changed));
	assert_int_equal(changed.length, entry.length);
	assert_int_equal(changed.state, MR_ENTRY_LIVE);
	mr_table_remove(&table, slot, entry.id);
	assert_false(mr_table_change(&table, slot, &entry));
	mr_table_close(&table);
}

TEST(a_handle_that_was_given_out_again_retires_the_entry_that_had_it)
{
	struct mr_table table;
	struct mr_entry first, second;
	uint32_t slot;

	open_new(&table);
	add_live(&table, "old", 3, &first);
	slot = add_live(&table, "new", 3, &second);
	assert_int_equal(mr_table_find(&table, MR_BY_HANDLE, 3), slot);
	assert_int_equal(mr_table_find_name(&table, "old"), MR_NO_SLOT);
	assert_int_equal(mr_table_find(&table, MR_BY_ID, first.id), MR_NO_SLOT);
	assert_int_equal(mr_table_count(&table), 1);
	mr_table_close(&table);
}

TEST(an_entry_that_was_removed_meanwhile_is_not_committed_over_the_next)
{
	struct mr_table table;
	struct mr_entry first, second;
	uint32_t slot;

	open_new(&table);
	slot = add(&table, "first", &first);
	mr_table_remove(&table, slot, first.id);
	assert_int_equal(add(&table, "second", &second), slot);
	assert_false(mr_table_commit(&table, slot, &first));
	assert_int_equal(mr_table_find_name(&table, "second"), slot);
	assert_int_equal(mr_table_count(&table), 1);
	mr_table_close(&table);
}

TEST(the_name_of_a_marked_entry_is_free_for_another)
{
	struct mr_entry entry = { .name = "buf0", .call = MR_REG_MR_RELAXED }, other = entry, got;
	struct mr_table table;
	uint32_t slot, other_slot;

	open_new(&table);
	assert_int_equal(mr_table_add(&table, &entry, &slot, &err), 0);
	entry.handle = 3;
	assert_true(mr_table_commit(&table, slot, &entry));
	mr_table_mark(&table, slot, entry.id + 1, 5, 6);
	assert_int_equal(mr_table_add(&table, &other, &other_slot, &err), -EEXIST);
	mr_table_mark(&table, slot, entry.id, 5, 6);
	assert_int_equal(mr_table_find_name(&table, "buf0"), slot);
	assert_int_equal(mr_table_next_marked(&table, MR_NO_SLOT), slot);
	assert_int_equal(mr_table_next_marked(&table, slot), MR_NO_SLOT);
	assert_int_equal(mr_table_add(&table, &other, &other_slot, &err), 0);
	assert_int_equal(mr_table_find_name(&table, "buf0"), other_slot);
	assert_true(mr_table_get(&table, slot, &got));
	assert_string_equal(got.name, "");
	assert_int_equal(got.marked_ns, 5);
	assert_int_equal(got.defer_ns, 6);
	mr_table_unlock(&table);
	assert_sound(&table);
	mr_table_close(&table);
}
