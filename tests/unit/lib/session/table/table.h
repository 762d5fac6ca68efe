/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The table of each test, locked, and what its tests share. */
#ifndef TESTS_UNIT_LIB_SESSION_TABLE_TABLE_H
#define TESTS_UNIT_LIB_SESSION_TABLE_TABLE_H

#include "lib/session/table/table.h"
#include "tests/unit/unit.h"

static struct mr_table table;
static struct mr_error err;

static inline int open_table(void **state __attribute__((unused)))
{
	static const struct mr_table_device facts = { .name = "mlx5_0",
						      .provider = "mlx5",
						      .driver_id = 1 };

	return mr_table_create(&facts, &table, &err) || mr_table_lock(&table, &err);
}

static inline int close_table(void **state __attribute__((unused)))
{
	mr_table_close(&table);
	return 0;
}

static inline uint32_t add(const char *name, struct mr_entry *entry)
{
	uint32_t slot;

	*entry = (struct mr_entry){ .page_shift = 12 };
	snprintf(entry->name, sizeof(entry->name), "%s", name);
	assert_int_equal(mr_table_add(&table, entry, &slot, &err), 0);
	return slot;
}

static inline uint32_t add_live(const char *name, uint32_t handle, struct mr_entry *entry)
{
	uint32_t slot = add(name, entry);

	entry->handle = handle;
	entry->lkey = 0x1000 + handle;
	entry->rkey = 0x800000 + handle;
	assert_true(mr_table_commit(&table, slot, entry));
	return slot;
}

/* Checks that entries, indexes and counters agree, as they must while nobody writes to the table. */
static inline void assert_sound(void)
{
	uint32_t count = 0, relaxed = 0, marked = 0, slot = MR_NO_SLOT;
	struct mr_table_pool pool;
	struct mr_entry entry;
	uint64_t size;

	assert_int_equal(mr_table_lock(&table, &err), 0);
	mr_table_pool(&table, &pool);
	while ((slot = mr_table_next_marked(&table, slot)) != MR_NO_SLOT)
		assert_true(++marked <= pool.marked);
	assert_int_equal(pool.marked, marked);
	for (slot = 0; slot < table.capacity; slot++) {
		if (!mr_table_get(&table, slot, &entry))
			continue;
		count++;
		relaxed += entry.call == MR_REG_MR_RELAXED;
		marked -= mr_entry_is_marked(&entry);
		assert_int_equal(mr_table_find(&table, MR_BY_ID, entry.id, NULL), slot);
		if (entry.name[0])
			assert_int_equal(mr_table_find(&table, MR_BY_NAME, 0, entry.name), slot);
		if (entry.state == MR_ENTRY_LIVE)
			assert_int_equal(mr_table_find(&table, MR_BY_LKEY, entry.lkey, NULL), slot);
	}
	assert_int_equal(mr_table_count(&table), count);
	assert_int_equal(pool.relaxed, relaxed);
	assert_int_equal(marked, 0);
	/* Every free slot can be used before the table grows. */
	size = table.mapped;
	for (; count < table.capacity; count++)
		add("", &entry);
	assert_int_equal(table.mapped, size);
}

#endif
