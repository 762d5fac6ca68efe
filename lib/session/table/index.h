/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The indexes of a session table: they find an entry without a look at all entries.
 *
 * Each index but that of marked entries is a hash table whose buckets follow the entries; entries of
 * one bucket are chained by mr_entry.next[].
 */
#ifndef LIB_SESSION_TABLE_INDEX_H
#define LIB_SESSION_TABLE_INDEX_H

#include "lib/session/table/table.h"

/**
 * mr_entry_matches() - whether an entry is one that mr_table_find() or mr_table_find_name() looks for
 * @name: with MR_BY_NAME; else NULL, and @value counts
 *
 * Their callers ask this of the copy that they make: another holder may have changed the entry since.
 */
bool mr_entry_matches(const struct mr_entry *entry, enum mr_table_index index, uint64_t value,
		      const char *name);

/**
 * mr_table_find() - find an entry by id, handle, lkey or rkey
 * Return: its slot, or MR_NO_SLOT.
 */
uint32_t mr_table_find(const struct mr_table *table, enum mr_table_index index, uint64_t value);

/** mr_table_find_name() - find an entry by its name.  Return: its slot, or MR_NO_SLOT. */
uint32_t mr_table_find_name(const struct mr_table *table, const char *name);

/* For the files of this folder, under the lock: */

/** All indexes, as a mask with a bit for each. */
#define MR_ALL_INDEXES UINT32_MAX

/** The indexes that mr_table_commit() changes: all but those of ids and names. */
#define MR_KEY_INDEXES (MR_ALL_INDEXES << MR_BY_HANDLE)

/**
 * mr_table_link() - put an entry into those of the indexes @among that it belongs into by its contents
 *
 * A relaxed region is also counted in the pool.
 */
void mr_table_link(struct mr_table *table, uint32_t slot, unsigned int among);

/** mr_table_unlink() - undo mr_table_link(), before the contents of the entry change */
void mr_table_unlink(struct mr_table *table, uint32_t slot, unsigned int among);

/** mr_table_unlink_name() - take an entry that is about to lose its name out of the index of names */
void mr_table_unlink_name(struct mr_table *table, uint32_t slot);

/** mr_table_rebuild_indexes() - make all indexes and the chain of free entries anew: they are valid then */
void mr_table_rebuild_indexes(struct mr_table *table);

/** mr_table_longest_chain() - steps after which a chain is taken to be damaged */
uint32_t mr_table_longest_chain(const struct mr_table *table, unsigned int index);

#endif
