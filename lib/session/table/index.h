/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The indexes of a session table: by them an entry is found without looking at all.
 *
 * Each index but that of marked entries is a hash table whose buckets follow the entries; entries of
 * one bucket are chained by mr_entry.next[].
 */
#ifndef LIB_SESSION_TABLE_INDEX_H
#define LIB_SESSION_TABLE_INDEX_H

#include "lib/session/table/table.h"

/**
 * mr_entry_matches() - whether a copy of an entry is what was looked for
 * @name: with MR_BY_NAME; else NULL, and @value counts
 *
 * Another holder may have changed the entry after it was found.
 */
bool mr_entry_matches(const struct mr_entry *entry, enum mr_table_index index, uint64_t value,
		      const char *name);

/**
 * mr_table_find() - by id, handle, lkey or rkey
 * Return: its slot, or MR_NO_SLOT.
 */
uint32_t mr_table_find(const struct mr_table *table, enum mr_table_index index, uint64_t value);

uint32_t mr_table_find_name(const struct mr_table *table, const char *name);

/* For the files of this folder, under the lock: */

/** All indexes, as a mask with a bit for each. */
#define MR_ALL_INDEXES UINT32_MAX

/** Those that mr_table_commit() changes: an entry keeps its id and name. */
#define MR_KEY_INDEXES (MR_ALL_INDEXES << MR_BY_HANDLE)

/**
 * mr_table_link() - put an entry into those indexes of @among that its contents ask for
 *
 * It is counted in the pool of relaxed regions as well.
 */
void mr_table_link(struct mr_table *table, uint32_t slot, unsigned int among);

/** mr_table_unlink() - undo mr_table_link(), before the contents of the entry change */
void mr_table_unlink(struct mr_table *table, uint32_t slot, unsigned int among);

/** mr_table_unlink_name() - an entry is about to lose its name, and nothing else of it changes */
void mr_table_unlink_name(struct mr_table *table, uint32_t slot);

/** mr_table_rebuild_indexes() - make all indexes and the chain of free entries anew */
void mr_table_rebuild_indexes(struct mr_table *table);

/** mr_table_longest_chain() - steps after which a chain is taken to be damaged */
uint32_t mr_table_longest_chain(const struct mr_table *table, unsigned int index);

#endif
