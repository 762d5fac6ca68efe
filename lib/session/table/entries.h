/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The entries of a session table.  Each function needs mr_table_lock(), unless it says that it needs no lock. */
#ifndef LIB_SESSION_TABLE_ENTRIES_H
#define LIB_SESSION_TABLE_ENTRIES_H

#include "lib/session/table/table.h"

/**
 * mr_table_add() - add an entry in state PENDING
 * @entry: what is known of it; its id and state are set
 * @slot:  set to its slot
 *
 * Where a marked entry has the same name, that entry loses it.
 *
 * Return: 0, -EEXIST for a name in use (MR_ERROR_USAGE), -EAGAIN where the pool of relaxed regions is
 * full (MR_ERROR_RELAXED), -ENOMEM, ….
 */
int mr_table_add(struct mr_table *table, struct mr_entry *entry, uint32_t *slot,
		 struct mr_error *err);

/**
 * mr_table_commit() - note the keys of a region that the kernel has registered: its entry becomes LIVE
 * @entry: new contents; its id and name are those that it has
 *
 * The kernel gives a handle out again at once, so the region of any other entry with this handle has gone.
 * That entry is removed; one that a process has claimed gets MR_NO_HANDLE until that process removes it.
 *
 * Return: false where the entry in that slot has another id by now.
 */
bool mr_table_commit(struct mr_table *table, uint32_t slot, const struct mr_entry *entry);

/**
 * mr_table_change() - give an entry that has a handle new contents, and index it anew
 * @entry: new contents; its id and handle are those that it has, and its state is LIVE or IN_DOUBT
 *
 * Return: false where the entry in that slot has another id or handle by now.
 */
bool mr_table_change(struct mr_table *table, uint32_t slot, const struct mr_entry *entry);

/**
 * mr_table_get() - copy an entry out of the table
 *
 * The texts of the copy are terminated, and printable ASCII.  Its numbers may be any: another holder can have
 * written them.
 *
 * Return: false for a slot that is free, or beyond the table.
 */
bool mr_table_get(const struct mr_table *table, uint32_t slot, struct mr_entry *entry);

/** mr_table_is_used() - whether there seems to be an entry in that slot; needs no lock */
bool mr_table_is_used(const struct mr_table *table, uint32_t slot);

/** mr_table_set_state() - change the state of the entry in that slot, if it still has that id */
void mr_table_set_state(struct mr_table *table, uint32_t slot, uint64_t id,
			enum mr_entry_state state);

/** mr_table_remove() - remove the entry in that slot, if it still has that id */
void mr_table_remove(struct mr_table *table, uint32_t slot, uint64_t id);

/** mr_table_count() - how many entries there are, as the table says: another holder can have changed that */
uint32_t mr_table_count(const struct mr_table *table);

/* For the files of this folder: */

/** mr_table_has_id() - whether there is an entry with that id in that slot */
bool mr_table_has_id(const struct mr_table *table, uint32_t slot, uint64_t id);

#endif
