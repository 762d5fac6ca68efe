// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "lib/session/table/change.h"
#include "lib/session/table/format.h"
#include "lib/session/table/index.h"

#define CHAIN_MAX 1024u

static uint32_t *bucket_at(const struct mr_table *table, unsigned int index, uint64_t hash)
{
	uint32_t *buckets = (uint32_t *)(void *)mr_entry_at(table, table->capacity);

	if (index == MR_BY_MARK)
		return &table->header->marked;
	return buckets + (uint64_t)index * table->buckets + (hash & (table->buckets - 1));
}

/*
 * Ids count up, and the kernel gives the lowest handle that is free: most often neighbours follow one another, and so
 * do their buckets in memory.  Keys differ in some of their bits only.
 */
static uint64_t hash_number(unsigned int index, uint64_t value)
{
	if (index == MR_BY_ID || index == MR_BY_HANDLE)
		return value;
	return value * UINT64_C(0x9e3779b97f4a7c15) >> 29;
}

/* FNV-1a */
static uint64_t hash_name(const char *name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (int i = 0; i < MR_NAME_SIZE && name[i]; i++)
		hash = (hash ^ (uint8_t)name[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t number_of(const struct mr_entry *entry, unsigned int index)
{
	switch (index) {
	case MR_BY_ID:
		return entry->id;
	case MR_BY_HANDLE:
		return entry->handle;
	case MR_BY_LKEY:
		return entry->lkey;
	default:
		return entry->rkey;
	}
}

/*
 * The indexes that an entry belongs into, a bit for each.  Names are optional, keys come with the commit, and
 * umems have no keys.  Without remote access some drivers give the rkey 0 (rxe of Linux 6.1): it identifies
 * nothing.
 */
static unsigned int indexes_of(const struct mr_entry *entry)
{
	unsigned int indexes = 1u << MR_BY_ID;

	if (entry->name[0])
		indexes |= 1u << MR_BY_NAME;
	if (entry->state != MR_ENTRY_LIVE && entry->state != MR_ENTRY_IN_DOUBT)
		return indexes;
	indexes |= 1u << MR_BY_HANDLE;
	if (mr_region_kind(entry->call) != MR_KIND_UMEM)
		indexes |= 1u << MR_BY_LKEY | (entry->rkey ? 1u << MR_BY_RKEY : 0);
	if (mr_entry_is_marked(entry))
		indexes |= 1u << MR_BY_MARK;
	return indexes;
}

static bool is_indexed(const struct mr_entry *entry, unsigned int index)
{
	return indexes_of(entry) >> index & 1;
}

static uint64_t hash_of(const struct mr_entry *entry, unsigned int index)
{
	return index == MR_BY_NAME ? hash_name(entry->name)
				   : hash_number(index, number_of(entry, index));
}

static void link_entry(struct mr_table *table, uint32_t slot, unsigned int index)
{
	struct mr_entry *entry = mr_entry_at(table, slot);
	uint32_t *bucket = bucket_at(table, index, hash_of(entry, index));

	entry->next[index] = *bucket;
	*bucket = slot;
}

/*
 * Another holder can put all entries into one chain, which would make each search as long as the table.  So
 * a chain ends here once it is longer than any that mrctl makes.  There is no such limit for the chain of
 * all marked entries, and none in a private table, where all entries without a handle share a chain.
 */
uint32_t mr_table_longest_chain(const struct mr_table *table, unsigned int index)
{
	bool limited = !table->is_private && index < MR_TABLE_HASHES;

	return limited && table->capacity > CHAIN_MAX ? CHAIN_MAX : table->capacity;
}

/* Other holders can make a chain lead anywhere: each step is checked, and their number is limited. */
static void unlink_entry(struct mr_table *table, uint32_t slot, unsigned int index)
{
	struct mr_entry *entry = mr_entry_at(table, slot);
	uint32_t *link = bucket_at(table, index, hash_of(entry, index));
	uint32_t longest = mr_table_longest_chain(table, index);

	for (uint32_t steps = 0; steps < longest; steps++) {
		uint32_t at = *(volatile uint32_t *)link;

		if (at >= table->capacity)
			return;
		if (at == slot) {
			*link = entry->next[index];
			return;
		}
		link = &mr_entry_at(table, at)->next[index];
	}
}

/* Another holder may have changed the entries or the counter: the counter must not wrap around below 0. */
static void adjust_counter(uint32_t *counter, bool counts, bool more)
{
	if (counts && (more || *counter))
		*counter += more ? 1u : -1u;
}

static void count_entry(struct mr_table *table, uint32_t slot, unsigned int indexes, bool more)
{
	struct mr_table_pool *pool = &table->header->pool;

	adjust_counter(&pool->relaxed, mr_entry_at(table, slot)->call == MR_REG_MR_RELAXED, more);
	adjust_counter(&pool->marked, indexes >> MR_BY_MARK & 1, more);
}

void mr_table_link(struct mr_table *table, uint32_t slot, unsigned int among)
{
	unsigned int indexes = indexes_of(mr_entry_at(table, slot));

	count_entry(table, slot, indexes, true);
	for (indexes &= among; indexes; indexes &= indexes - 1)
		link_entry(table, slot, (unsigned int)__builtin_ctz(indexes));
}

void mr_table_unlink(struct mr_table *table, uint32_t slot, unsigned int among)
{
	unsigned int indexes = indexes_of(mr_entry_at(table, slot));

	count_entry(table, slot, indexes, false);
	for (indexes &= among; indexes; indexes &= indexes - 1)
		unlink_entry(table, slot, (unsigned int)__builtin_ctz(indexes));
}

void mr_table_unlink_name(struct mr_table *table, uint32_t slot)
{
	unlink_entry(table, slot, MR_BY_NAME);
}

void mr_table_rebuild_indexes(struct mr_table *table)
{
	struct mr_table_header *header = table->header;
	uint32_t count = 0;

	memset(bucket_at(table, 0, 0), 0xff,
	       (size_t)table->buckets * MR_TABLE_HASHES * sizeof(uint32_t));
	header->free = header->marked = MR_NO_SLOT;
	header->pool.relaxed = header->pool.marked = 0;
	for (uint32_t slot = table->capacity; slot-- > 0;) {
		struct mr_entry *entry = mr_entry_at(table, slot);

		if (entry->state == MR_ENTRY_FREE) {
			entry->next[0] = header->free;
			header->free = slot;
			continue;
		}
		count++;
		mr_table_link(table, slot, MR_ALL_INDEXES);
	}
	header->count = count;
	mr_table_end_change(table);
}

bool mr_entry_matches(const struct mr_entry *entry, enum mr_table_index index, uint64_t value,
		      const char *name)
{
	if (entry->state == MR_ENTRY_FREE || !is_indexed(entry, index))
		return false;
	return name ? !strncmp(entry->name, name, MR_NAME_SIZE) : number_of(entry, index) == value;
}

static uint32_t find(const struct mr_table *table, enum mr_table_index index, uint64_t value,
		     const char *name)
{
	uint64_t hash = name ? hash_name(name) : hash_number(index, value);
	uint32_t slot = *(volatile uint32_t *)bucket_at(table, index, hash);
	uint32_t longest = mr_table_longest_chain(table, index);

	for (uint32_t steps = 0; steps < longest && slot < table->capacity; steps++) {
		const struct mr_entry *entry = mr_entry_at(table, slot);

		if (mr_entry_matches(entry, index, value, name))
			return slot;
		slot = *(const volatile uint32_t *)&entry->next[index];
	}
	return MR_NO_SLOT;
}

uint32_t mr_table_find(const struct mr_table *table, enum mr_table_index index, uint64_t value)
{
	return find(table, index, value, NULL);
}

uint32_t mr_table_find_name(const struct mr_table *table, const char *name)
{
	return find(table, MR_BY_NAME, 0, name);
}
