/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The order of writes to the table.  A process can be killed between any two of them, and the next
 * one must find a table that is sound.
 */
#ifndef LIB_SESSION_TABLE_CHANGE_H
#define LIB_SESSION_TABLE_CHANGE_H

#include "lib/session/table/format.h"

/*
 * A process that is killed between these two leaves indexes that are marked as invalid: mr_table_lock() of the
 * next process makes them anew.
 */
static inline void mr_table_begin_change(struct mr_table *table)
{
	table->header->indexes_valid = 0;
	__asm__ volatile("" : : : "memory");
}

static inline void mr_table_end_change(struct mr_table *table)
{
	__asm__ volatile("" : : : "memory");
	table->header->indexes_valid = 1;
}

/*
 * After a process was killed the state of an entry says which of its members are valid.  So a state is stored
 * after all members that it makes valid, and before those are written that it makes invalid.
 */
static inline void mr_entry_store_state(struct mr_entry *entry, enum mr_entry_state state)
{
	__asm__ volatile("" : : : "memory");
	*(volatile uint32_t *)&entry->state = state;
	__asm__ volatile("" : : : "memory");
}

#endif
