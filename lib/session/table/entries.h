/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The entries of a session table.  What is not said to need no lock needs mr_table_lock(). */
#ifndef LIB_SESSION_TABLE_ENTRIES_H
#define LIB_SESSION_TABLE_ENTRIES_H

#include "lib/session/table/table.h"

/**
 * mr_table_add() - a new entry in state PENDING; its id is chosen
 * @entry: what is known of it; its id is set
 * @slot:  set to its place
 *
 * Where a marked entry has its name, that entry loses it.
 *
 * Return: 0, -EEXIST for a name in use (MR_ERROR_USAGE), -EAGAIN where the pool of relaxed regions is
 * full (MR_ERROR_RELAXED), -ENOMEM, ….
 */
int mr_table_add(struct mr_table *table, struct mr_entry *entry, uint32_t *slot,
		 struct mr_error *err);

/**
 * mr_table_commit() - the kernel registered it: the entry gets its keys and is LIVE
 *
 * The kernel gives a handle out again at once, so the region of any other entry with this handle has gone.
 * That entry is removed; one that a process has claimed gets MR_NO_HANDLE until that process removes it.
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

/** mr_table_is_used() - whether there seems to be an entry; needs no lock */
bool mr_table_is_used(const struct mr_table *table, uint32_t slot);

/** mr_table_set_state() - change the state of an entry, if the one there still has that id */
void mr_table_set_state(struct mr_table *table, uint32_t slot, uint64_t id,
			enum mr_entry_state state);

/** mr_table_remove() - remove an entry, if the one there still has that id */
void mr_table_remove(struct mr_table *table, uint32_t slot, uint64_t id);

/** mr_table_count() - how many entries there are */
uint32_t mr_table_count(const struct mr_table *table);

/* For the files of this folder: */

/** mr_table_has_id() - whether there is an entry with that id in that place */
bool mr_table_has_id(const struct mr_table *table, uint32_t slot, uint64_t id);

#endif
