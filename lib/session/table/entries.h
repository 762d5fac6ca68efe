/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The entries of a session table.  But for the looks without the lock all of it needs mr_table_lock(). */
#ifndef LIB_SESSION_TABLE_ENTRIES_H
#define LIB_SESSION_TABLE_ENTRIES_H

#include "lib/session/table/table.h"

/**
 * mr_table_add() - a new entry in state PENDING; its id is chosen
 * @entry: what is known; id, next are set
 * @slot:  set to its place
 *
 * The name of a marked entry may be used again: that entry has none then.
 *
 * Return: 0, -EEXIST for a name in use (MR_ERROR_USAGE), -EAGAIN where the pool of relaxed regions is
 * full (MR_ERROR_RELAXED), -ENOMEM, ….
 */
int mr_table_add(struct mr_table *table, struct mr_entry *entry, uint32_t *slot,
		 struct mr_error *err);

/**
 * mr_table_commit() - the kernel registered it: the entry gets its keys and is LIVE
 *
 * The kernel reuses handles at once, so every other entry with that handle is one whose region
 * has gone: it is removed, or has MR_NO_HANDLE until the process that claims it removes it.
 *
 * Return: false if the entry there has not that id any more.
 */
bool mr_table_commit(struct mr_table *table, uint32_t slot, const struct mr_entry *entry);

/**
 * mr_table_change() - new contents of an entry that has its handle already, indexed anew
 * @entry: id and handle are those that it has; its state is LIVE or IN_DOUBT
 *
 * Return: false if the entry there has not that id and handle any more.
 */
bool mr_table_change(struct mr_table *table, uint32_t slot, const struct mr_entry *entry);

/** mr_table_get() - a checked copy of an entry.  Return: false for a place that is free. */
bool mr_table_get(const struct mr_table *table, uint32_t slot, struct mr_entry *entry);

/** mr_table_is_used() - whether there seems to be an entry; a look without the lock */
bool mr_table_is_used(const struct mr_table *table, uint32_t slot);

/** mr_table_set_state() - if the entry there still has that id */
void mr_table_set_state(struct mr_table *table, uint32_t slot, uint64_t id,
			enum mr_entry_state state);

/** mr_table_remove() - if the entry there still has that id */
void mr_table_remove(struct mr_table *table, uint32_t slot, uint64_t id);

/** mr_table_count() - entries there are */
uint32_t mr_table_count(const struct mr_table *table);

/* For the files of this folder: */

/** mr_table_has_id() - whether there is an entry with that id in that place */
bool mr_table_has_id(const struct mr_table *table, uint32_t slot, uint64_t id);

#endif
