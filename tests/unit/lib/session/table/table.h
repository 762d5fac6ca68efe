/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the tests of the session table share: creating and opening tables, and adding entries. */
#ifndef TESTS_UNIT_LIB_SESSION_TABLE_TABLE_H
#define TESTS_UNIT_LIB_SESSION_TABLE_TABLE_H

#include "lib/session/table/entries.h"
#include "lib/session/table/file.h"
#include "lib/session/table/index.h"
#include "lib/session/table/lock.h"
#include "lib/session/table/marks.h"
#include "lib/session/table/pool.h"
#include "tests/unit/unit.h"

static const struct mr_table_device facts = { .name = "mlx5_0",
					      .provider = "mlx5",
					      .driver_id = 1 };

static struct mr_error err;

static inline void open_new(struct mr_table *table)
{
	assert_int_equal(mr_table_create(&facts, table, &err), 0);
	assert_int_equal(mr_table_lock(table, &err), 0);
}

/* Open the same table again, as another command would. */
static inline void open_again(const struct mr_table *table, struct mr_table *other)
{
	assert_int_equal(mr_table_open(dup(table->fd), other, &err), 0);
}

static inline uint32_t add(struct mr_table *table, const char *name, struct mr_entry *entry)
{
	uint32_t slot;

	*entry = (struct mr_entry){ .page_shift = 12 };
	snprintf(entry->name, sizeof(entry->name), "%s", name);
	assert_int_equal(mr_table_add(table, entry, &slot, &err), 0);
	return slot;
}

static inline uint32_t add_live(struct mr_table *table, const char *name, uint32_t handle,
				struct mr_entry *entry)
{
	uint32_t slot = add(table, name, entry);

	entry->handle = handle;
	entry->lkey = 0x1000 + handle;
	entry->rkey = 0x800000 + handle;
	assert_true(mr_table_commit(table, slot, entry));
	return slot;
}

/* Assert that entries, indexes and counters agree, as they must while nobody writes to the table. */
static inline void assert_sound(struct mr_table *table)
{
	uint32_t count = 0, relaxed = 0, marked = 0, slot = MR_NO_SLOT;
	struct mr_table_pool pool;
	struct mr_entry entry;
	uint64_t size;

	assert_int_equal(mr_table_lock(table, &err), 0);
	mr_table_pool(table, &pool);
	while ((slot = mr_table_next_marked(table, slot)) != MR_NO_SLOT)
		assert_true(++marked <= pool.marked);
	assert_int_equal(pool.marked, marked);
	for (slot = 0; slot < table->capacity; slot++) {
		if (!mr_table_get(table, slot, &entry))
			continue;
		count++;
		relaxed += entry.call == MR_REG_MR_RELAXED;
		marked -= mr_entry_is_marked(&entry);
		assert_int_equal(mr_table_find(table, MR_BY_ID, entry.id), slot);
		if (entry.name[0])
			assert_int_equal(mr_table_find_name(table, entry.name), slot);
		if (entry.state == MR_ENTRY_LIVE)
			assert_int_equal(mr_table_find(table, MR_BY_LKEY, entry.lkey), slot);
	}
	assert_int_equal(mr_table_count(table), count);
	assert_int_equal(pool.relaxed, relaxed);
	assert_int_equal(marked, 0);
	/* Every free slot can be used before the table grows. */
	size = mr_table_size(table);
	for (; count < table->capacity; count++)
		add(table, "", &entry);
	assert_int_equal(mr_table_size(table), size);
}

#endif
