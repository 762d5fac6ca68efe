// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "lib/base/base.h"
#include "lib/session/table/table.h"

/* The indexes that mr_table_commit() changes: all but those of ids and names. */
#define MR_KEY_INDEXES (MR_ALL_INDEXES << MR_BY_HANDLE)

/*
 * During a change: a free slot.  Where another holder has damaged the chain of free entries it is made anew with
 * the indexes, which are valid then: the change goes on, so they are marked as invalid again.
 */
static uint32_t take_free(struct mr_table *table)
{
	struct mr_table_header *header = table->header;
	uint32_t slot = *(volatile uint32_t *)&header->free;

	if (slot < table->capacity && mr_entry_at(table, slot)->state == MR_ENTRY_FREE) {
		header->free = mr_entry_at(table, slot)->next[0];
		return slot;
	}
	if (slot == MR_NO_SLOT)
		return slot;
	mr_table_rebuild_indexes(table);
	mr_table_begin_change(table);
	slot = *(volatile uint32_t *)&header->free;
	if (slot >= table->capacity)
		return MR_NO_SLOT;
	header->free = mr_entry_at(table, slot)->next[0];
	return slot;
}

static int check_pool(const struct mr_table *table, const struct mr_entry *entry,
		      struct mr_error *err)
{
	struct mr_table_pool pool;

	mr_table_pool(table, &pool);
	if (entry->call != MR_REG_MR_RELAXED || pool.relaxed < pool.limit)
		return 0;
	mr_fail(err, MR_ERROR_RELAXED, EAGAIN, "mr_reg_mr_relaxed", NULL);
	return -EAGAIN;
}

/* Make sure that no other entry has that name: a marked one loses it. */
static int take_name(struct mr_table *table, const char *name, struct mr_error *err)
{
	uint32_t slot = name[0] ? mr_table_find_name(table, name) : MR_NO_SLOT;

	if (slot == MR_NO_SLOT)
		return 0;
	if (!mr_entry_is_marked(mr_entry_at(table, slot)))
		return mr_fail_text(err, MR_ERROR_USAGE, EEXIST,
				    "the %s has a region named '%s' already", mr_table_noun(table),
				    name);
	mr_table_begin_change(table);
	mr_table_unlink_name(table, slot);
	mr_entry_at(table, slot)->name[0] = '\0';
	mr_table_end_change(table);
	return 0;
}

int mr_table_add(struct mr_table *table, struct mr_entry *entry, uint32_t *slot,
		 struct mr_error *err)
{
	uint32_t free_slot;
	int rc = check_pool(table, entry, err);

	if (!rc)
		rc = take_name(table, entry->name, err);
	if (rc)
		return rc;
	if (table->header->free == MR_NO_SLOT) {
		rc = mr_table_grow(table, err);
		if (rc)
			return rc;
	}
	mr_table_begin_change(table);
	free_slot = take_free(table);
	if (free_slot == MR_NO_SLOT)
		return mr_table_fail_unsound(err, "its free entries are lost");
	entry->id = ++table->header->last_id;
	entry->state = MR_ENTRY_FREE;
	*mr_entry_at(table, free_slot) = *entry;
	entry->state = MR_ENTRY_PENDING;
	mr_entry_store_state(mr_entry_at(table, free_slot), MR_ENTRY_PENDING);
	mr_table_link(table, free_slot, MR_ALL_INDEXES);
	table->header->count++;
	mr_table_end_change(table);
	*slot = free_slot;
	return 0;
}

static void free_entry(struct mr_table *table, uint32_t slot)
{
	struct mr_entry *entry = mr_entry_at(table, slot);

	mr_table_begin_change(table);
	mr_table_unlink(table, slot, MR_ALL_INDEXES);
	mr_entry_store_state(entry, MR_ENTRY_FREE);
	entry->id = 0;
	entry->name[0] = '\0';
	entry->next[0] = table->header->free;
	table->header->free = slot;
	table->header->count--;
	mr_table_end_change(table);
}

bool mr_table_get(const struct mr_table *table, uint32_t slot, struct mr_entry *entry)
{
	if (slot >= table->capacity)
		return false;
	mr_copy_out(entry, mr_entry_at(table, slot), sizeof(*entry));
	mr_clean_text(entry->name, sizeof(entry->name));
	mr_clean_text(entry->memory, sizeof(entry->memory));
	return entry->state != MR_ENTRY_FREE;
}

bool mr_table_is_used(const struct mr_table *table, uint32_t slot)
{
	return slot < table->capacity &&
	       *(volatile uint32_t *)&mr_entry_at(table, slot)->state != MR_ENTRY_FREE;
}

bool mr_table_has_id(const struct mr_table *table, uint32_t slot, uint64_t id)
{
	return mr_table_is_used(table, slot) &&
	       *(volatile uint64_t *)&mr_entry_at(table, slot)->id == id;
}

/*
 * The kernel has given the entry's handle to another region, so the entry's own is destroyed.  A process
 * that has claimed the entry is about to remove it.  Until then the slot must not become free: whoever got
 * it could not claim it.
 */
static void lose_handle(struct mr_table *table, uint32_t slot)
{
	if (!mr_table_is_claimed(table, slot)) {
		free_entry(table, slot);
		return;
	}
	mr_table_begin_change(table);
	mr_table_unlink(table, slot, MR_ALL_INDEXES);
	mr_entry_at(table, slot)->handle = MR_NO_HANDLE;
	mr_table_link(table, slot, MR_ALL_INDEXES);
	mr_table_end_change(table);
}

/* The number is limited: another holder could add entries as fast as they are removed here. */
static void lose_others(struct mr_table *table, uint32_t handle)
{
	uint32_t other = mr_table_find(table, MR_BY_HANDLE, handle), lost = 0;

	while (other != MR_NO_SLOT && lost++ < mr_table_longest_chain(table, MR_BY_HANDLE)) {
		lose_handle(table, other);
		other = mr_table_find(table, MR_BY_HANDLE, handle);
	}
}

/* The id and the name do not change, so the entry stays linked in their indexes. */
bool mr_table_commit(struct mr_table *table, uint32_t slot, const struct mr_entry *entry)
{
	struct mr_entry *stored;
	uint32_t next[MR_BY_HANDLE];

	if (!mr_table_has_id(table, slot, entry->id))
		return false;
	if (entry->handle != MR_NO_HANDLE)
		lose_others(table, entry->handle);
	stored = mr_entry_at(table, slot);
	mr_table_begin_change(table);
	mr_table_unlink(table, slot, MR_KEY_INDEXES);
	memcpy(next, stored->next, sizeof(next));
	*stored = *entry;
	memcpy(stored->next, next, sizeof(next));
	mr_entry_store_state(stored, MR_ENTRY_LIVE);
	mr_table_link(table, slot, MR_KEY_INDEXES);
	mr_table_end_change(table);
	return true;
}

/*
 * A process that is killed in here leaves the entry in doubt.  As long as @unsure says what the kernel was
 * asked for, the region is recognised as it was before the change and as it is after it (mr_session_agrees()):
 * so @unsure is written after all that it is about.
 */
bool mr_table_change(struct mr_table *table, uint32_t slot, const struct mr_entry *entry)
{
	struct mr_entry current, changed = *entry;
	struct mr_entry *stored;

	if (!mr_table_get(table, slot, &current) || current.id != entry->id ||
	    current.handle != entry->handle)
		return false;
	stored = mr_entry_at(table, slot);
	mr_entry_store_state(stored, MR_ENTRY_IN_DOUBT);
	mr_table_begin_change(table);
	mr_table_unlink(table, slot, MR_ALL_INDEXES);
	changed.state = MR_ENTRY_IN_DOUBT;
	changed.unsure = current.unsure;
	*stored = changed;
	__asm__ volatile("" : : : "memory");
	*(volatile uint8_t *)&stored->unsure = entry->unsure;
	mr_table_link(table, slot, MR_ALL_INDEXES);
	mr_table_end_change(table);
	mr_entry_store_state(stored, (enum mr_entry_state)entry->state);
	return true;
}

void mr_table_set_state(struct mr_table *table, uint32_t slot, uint64_t id,
			enum mr_entry_state state)
{
	if (mr_table_has_id(table, slot, id))
		mr_entry_store_state(mr_entry_at(table, slot), state);
}

void mr_table_remove(struct mr_table *table, uint32_t slot, uint64_t id)
{
	if (mr_table_has_id(table, slot, id))
		free_entry(table, slot);
}

uint32_t mr_table_count(const struct mr_table *table)
{
	uint32_t count = *(volatile uint32_t *)&table->header->count;

	return count < table->capacity ? count : table->capacity;
}

void mr_table_pool(const struct mr_table *table, struct mr_table_pool *pool)
{
	mr_copy_out(pool, &table->header->pool, sizeof(*pool));
}

void mr_table_set_pool(struct mr_table *table, const struct mr_table_pool *pool)
{
	table->header->pool.limit = pool->limit;
	table->header->pool.watermark = pool->watermark;
}

/* An entry is marked as soon as it has the time of the mark, so that is written last. */
void mr_table_mark(struct mr_table *table, uint32_t slot, uint64_t id, uint64_t now,
		   uint64_t defer_ns)
{
	struct mr_entry *entry = mr_entry_at(table, slot);

	if (!mr_table_has_id(table, slot, id))
		return;
	mr_table_begin_change(table);
	mr_table_unlink(table, slot, MR_ALL_INDEXES);
	entry->defer_ns = defer_ns;
	__asm__ volatile("" : : : "memory");
	*(volatile uint64_t *)&entry->marked_ns = now;
	mr_table_link(table, slot, MR_ALL_INDEXES);
	mr_table_end_change(table);
}

void mr_table_refuse_mark(struct mr_table *table, uint32_t slot, uint64_t id, int errnum)
{
	if (mr_table_has_id(table, slot, id))
		mr_entry_at(table, slot)->mark_errno = (uint32_t)errnum;
}

uint32_t mr_table_next_marked(const struct mr_table *table, uint32_t slot)
{
	struct mr_entry entry;
	uint32_t next = *(volatile uint32_t *)&table->header->marked;

	if (slot != MR_NO_SLOT)
		next = mr_table_get(table, slot, &entry) ? entry.next[MR_BY_MARK] : MR_NO_SLOT;
	return mr_table_get(table, next, &entry) && mr_entry_is_marked(&entry) ? next : MR_NO_SLOT;
}

int mr_table_begin_unnamed(struct mr_table *table, struct mr_error *err)
{
	struct flock lock;
	int rc;

	if (table->is_private)
		return 0;
	rc = mr_table_lock(table, err);
	if (rc)
		return rc;
	if (mr_lock_byte(table->fd, F_SETLK, F_RDLCK, MR_UNNAMED_BYTE, &lock))
		rc = mr_fail(err, MR_ERROR_HOST, errno, "fcntl(F_SETLK)", NULL);
	mr_table_unlock(table);
	return rc;
}

void mr_table_end_unnamed(const struct mr_table *table)
{
	struct flock lock;

	if (!table->is_private)
		mr_lock_byte(table->fd, F_SETLK, F_UNLCK, MR_UNNAMED_BYTE, &lock);
}

bool mr_table_others_make_objects(const struct mr_table *table)
{
	struct mr_entry entry;
	struct flock lock;

	if (table->is_private)
		return false;
	if (mr_lock_byte(table->fd, F_GETLK, F_WRLCK, MR_UNNAMED_BYTE, &lock) ||
	    lock.l_type != F_UNLCK)
		return true;
	for (uint32_t slot = 0; slot < table->capacity; slot++)
		if (mr_table_is_used(table, slot) && mr_table_get(table, slot, &entry) &&
		    entry.state == MR_ENTRY_PENDING && mr_table_is_claimed(table, slot))
			return true;
	return false;
}
