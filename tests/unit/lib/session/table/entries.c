// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The entries and protection domains of the table: their values, and how each is found. */
#include "lib/session/table/table.h"
#include "tests/unit/lib/session/table/table.h"

enum { ID = 1 << MR_BY_ID, NAME = 1 << MR_BY_NAME, HANDLE = 1 << MR_BY_HANDLE };
enum { LKEY = 1 << MR_BY_LKEY, RKEY = 1 << MR_BY_RKEY };

/* Checks that the entry is found in @slot by these values of it, and by the others not. */
static void assert_found(uint32_t slot, const struct mr_entry *entry, unsigned int by)
{
	const uint64_t values[] = { [MR_BY_ID] = entry->id,
				    [MR_BY_HANDLE] = entry->handle,
				    [MR_BY_LKEY] = entry->lkey,
				    [MR_BY_RKEY] = entry->rkey };
	uint32_t found;
	char name[8];

	for (enum mr_table_index index = 0; index < MR_TABLE_HASHES; index++) {
		found = index == MR_BY_NAME ? mr_table_find(&table, MR_BY_NAME, 0, entry->name)
					    : mr_table_find(&table, index, values[index], NULL);
		snprintf(name, sizeof(name), "index %u", index);
		assert_equal_for(name, found == slot, by >> index & 1);
	}
}

TEST(an_entry_is_found_by_the_values_of_its_state)
{
	struct mr_entry entry, other, got;
	uint32_t slot = add("buf0", &entry);

	assert_found(slot, &entry, ID | NAME);
	assert_true(mr_table_get(&table, slot, &got));
	assert_int_equal(got.state, MR_ENTRY_PENDING);
	entry.handle = 0; /* is a valid handle */
	entry.lkey = 0x1000;
	assert_true(mr_table_commit(&table, slot, &entry));
	assert_found(slot, &entry, ID | NAME | HANDLE | LKEY); /* an rkey of 0 names no entry */
	entry.rkey = 0x800000;
	assert_true(mr_table_commit(&table, slot, &entry));
	add_live("buf1", 1, &other);
	assert_found(slot, &entry, ID | NAME | HANDLE | LKEY | RKEY);
	assert_int_equal(mr_table_find(&table, MR_BY_RKEY, entry.lkey, NULL), MR_NO_SLOT);
	assert_int_equal(mr_table_find(&table, MR_BY_NAME, 0, "buf"), MR_NO_SLOT);
	assert_true(mr_table_get(&table, slot, &got));
	assert_int_equal(got.state, MR_ENTRY_LIVE);
	assert_int_equal(mr_table_count(&table), 2);
	mr_table_remove(&table, slot, entry.id);
	assert_found(slot, &entry, 0);
	assert_false(mr_table_get(&table, slot, &got));
	assert_int_equal(mr_table_count(&table), 1);
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

TEST(a_umem_has_no_keys_to_be_found_by)
{
	struct mr_entry entry = { .call = MR_UMEM_REG_EX, .name = "q" }, got;
	uint32_t slot, mr;

	assert_int_equal(mr_table_add(&table, &entry, &slot, &err), 0);
	entry.handle = 7;
	entry.umem_id = 0x1001;
	entry.page_sizes = 4096;
	assert_true(mr_table_commit(&table, slot, &entry));
	assert_found(slot, &entry, ID | NAME | HANDLE);
	mr = add_live("mr", 1, &got); /* its lkey equals the id of the umem */
	assert_int_equal(mr_table_find(&table, MR_BY_LKEY, 0x1001, NULL), mr);
	mr_table_remove(&table, slot, entry.id);
	assert_int_equal(mr_table_find(&table, MR_BY_LKEY, 0x1001, NULL), mr);
	assert_int_equal(mr_table_count(&table), 1);
}

TEST(a_handle_that_was_given_out_again_retires_the_entry_that_had_it)
{
	struct mr_entry first, second, umem = { .call = MR_UMEM_REG };
	uint32_t slot;

	add_live("old", 3, &first);
	slot = add_live("new", 3, &second);
	assert_found(slot, &second, ID | NAME | HANDLE | LKEY | RKEY);
	assert_int_equal(mr_table_find(&table, MR_BY_NAME, 0, "old"), MR_NO_SLOT);
	assert_int_equal(mr_table_find(&table, MR_BY_ID, first.id, NULL), MR_NO_SLOT);
	assert_int_equal(mr_table_count(&table), 1);
	/* a handle is one region of whatever kind */
	assert_int_equal(mr_table_add(&table, &umem, &slot, &err), 0);
	umem.handle = 3;
	assert_true(mr_table_commit(&table, slot, &umem));
	assert_int_equal(mr_table_find(&table, MR_BY_HANDLE, 3, NULL), slot);
	assert_int_equal(mr_table_find(&table, MR_BY_ID, second.id, NULL), MR_NO_SLOT);
}

TEST(slots_are_reused_and_ids_are_not)
{
	uint64_t size = table.mapped, last = 0;
	struct mr_entry entry, next;
	uint32_t slot = 0;

	for (uint32_t i = 0; i < 1000; i++) {
		slot = add_live("", i, &entry);
		assert_true(entry.id > last);
		last = entry.id;
		mr_table_remove(&table, slot, entry.id);
	}
	assert_int_equal(table.mapped, size);
	/* an entry that was removed meanwhile is not committed over the next one */
	assert_int_equal(add("next", &next), slot);
	assert_false(mr_table_commit(&table, slot, &entry));
	assert_int_equal(mr_table_find(&table, MR_BY_NAME, 0, "next"), slot);
	assert_int_equal(mr_table_count(&table), 1);
}

TEST(an_entry_with_another_id_or_handle_is_left_alone)
{
	struct mr_entry entry, changed, got;
	uint32_t slot = add_live("", 3, &entry);

	mr_table_set_state(&table, slot, entry.id + 1, MR_ENTRY_IN_DOUBT);
	mr_table_remove(&table, slot, entry.id + 1);
	mr_table_refuse_mark(&table, slot, entry.id + 1, EIO);
	assert_true(mr_table_get(&table, slot, &changed));
	changed.handle = 4;
	changed.length = 1 << 20;
	assert_false(mr_table_change(&table, slot, &changed));
	changed.handle = 3;
	changed.id++;
	assert_false(mr_table_change(&table, slot, &changed));
	assert_true(mr_table_get(&table, slot, &got));
	assert_int_equal(got.length, entry.length);
	assert_int_equal(got.state, MR_ENTRY_LIVE);
	assert_int_equal(got.mark_errno, 0);
	mr_table_set_state(&table, slot, entry.id, MR_ENTRY_IN_DOUBT);
	mr_table_refuse_mark(&table, slot, entry.id, EIO);
	assert_true(mr_table_get(&table, slot, &got));
	assert_int_equal(got.state, MR_ENTRY_IN_DOUBT);
	assert_int_equal(got.mark_errno, EIO);
	assert_int_equal(mr_table_find(&table, MR_BY_HANDLE, 3, NULL), slot);
	mr_table_remove(&table, slot, entry.id);
	assert_false(mr_table_change(&table, slot, &entry));
}

TEST(an_entry_that_was_changed_is_found_by_its_new_keys_only)
{
	struct mr_entry entry, changed, got;
	uint32_t slot = add_live("buf0", 3, &entry);

	assert_true(mr_table_get(&table, slot, &changed));
	changed.lkey = 0xaaaa;
	changed.rkey = 0xbbbb;
	for (uint8_t in_doubt = 2; in_doubt-- > 0;) {
		changed.length++;
		changed.in_doubt = in_doubt;
		changed.state = in_doubt ? MR_ENTRY_IN_DOUBT : MR_ENTRY_LIVE;
		assert_true(mr_table_change(&table, slot, &changed));
		assert_found(slot, &changed, ID | NAME | HANDLE | LKEY | RKEY);
		assert_found(slot, &entry, ID | NAME | HANDLE);
		assert_true(mr_table_get(&table, slot, &got));
		assert_int_equal(got.state, changed.state);
		assert_int_equal(got.in_doubt, in_doubt);
		assert_int_equal(got.length, changed.length);
	}
	assert_int_equal(mr_table_count(&table), 1);
}

TEST(a_marked_entry_is_in_the_chain_of_marks_without_a_name_to_refuse)
{
	struct mr_entry entry = { .name = "buf0", .call = MR_REG_MR_RELAXED }, other = entry;
	uint32_t slot, other_slot;

	assert_int_equal(mr_table_add(&table, &entry, &slot, &err), 0);
	entry.handle = 3;
	assert_true(mr_table_commit(&table, slot, &entry));
	mr_table_mark(&table, slot, entry.id + 1, 5, 6);
	assert_failure(mr_table_add(&table, &other, &other_slot, &err), -EEXIST, err,
		       MR_ERROR_USAGE, "'buf0'");
	mr_table_mark(&table, slot, entry.id, 5, 6);
	assert_int_equal(mr_table_next_marked(&table, MR_NO_SLOT), slot);
	assert_int_equal(mr_table_next_marked(&table, slot), MR_NO_SLOT);
	assert_int_equal(mr_table_add(&table, &other, &other_slot, &err), 0);
	assert_int_equal(mr_table_find(&table, MR_BY_NAME, 0, "buf0"), other_slot);
	mr_table_unlock(&table);
	assert_sound();
}

TEST(protection_domains_are_found_by_name_and_slot)
{
	struct mr_table_pd pd;
	char name[MR_NAME_SIZE];
	uint32_t first = mr_table_add_pd(&table, "default", 0);

	assert_int_equal(mr_table_add_pd(&table, "other", 9), first + 1);
	assert_int_equal(mr_table_find_pd(&table, "other"), first + 1);
	assert_int_equal(mr_table_find_pd(&table, "othe"), MR_NO_SLOT);
	mr_table_doubt_pd(&table, first + 1, true);
	assert_true(mr_table_pd(&table, first + 1, &pd));
	assert_string_equal(pd.name, "other");
	assert_int_equal(pd.handle, 9);
	assert_int_equal(pd.in_doubt, 1);
	/* one that the kernel gave out again retires the one before */
	assert_true(mr_table_pd(&table, mr_table_add_pd(&table, "new", 9), &pd));
	assert_int_equal(pd.in_doubt, 0);
	assert_int_equal(mr_table_find_pd(&table, "other"), MR_NO_SLOT);
	mr_table_remove_pd(&table, first);
	assert_int_equal(mr_table_find_pd(&table, "default"), MR_NO_SLOT);
	assert_false(mr_table_pd(&table, first, &pd));
	for (uint32_t i = 1; i < MR_TABLE_PDS; i++) {
		snprintf(name, sizeof(name), "pd%u", i);
		assert_int_not_equal(mr_table_add_pd(&table, name, 100 + i), MR_NO_SLOT);
	}
	assert_int_equal(mr_table_add_pd(&table, "toomany", 200), MR_NO_SLOT);
	snprintf(name, sizeof(name), "pd%u", MR_TABLE_PDS - 1);
	assert_int_not_equal(mr_table_find_pd(&table, name), MR_NO_SLOT);
	assert_true(mr_table_pd(&table, MR_TABLE_PDS - 1, &pd));
	assert_false(mr_table_pd(&table, MR_TABLE_PDS, &pd));
	/* a slot beyond the last is nobody's */
	mr_table_doubt_pd(&table, MR_TABLE_PDS, true);
	mr_table_remove_pd(&table, MR_TABLE_PDS);
	mr_table_unlock_pd(&table, MR_TABLE_PDS);
}

/* Checks that each change has come to its end: else the indexes would be made anew at each lock. */
static int close_sound_table(void **state)
{
	const uint32_t valid = table.header->indexes_valid;

	return close_table(state) || !valid;
}

EACH_TEST(open_table, close_sound_table)
