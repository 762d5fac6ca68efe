/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The order of writes to the table.  A process can be killed between any two of them, and the next
 * one must find a table that is sound.
 */
#ifndef LIB_SESSION_TABLE_CHANGE_H
#define LIB_SESSION_TABLE_CHANGE_H

#include "lib/session/table/format.h"

/* A process that is killed between these two leaves invalid indexes, which the next one makes anew. */
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
 * After a process was killed the state of an entry tells what of it is valid.  So the state is written after
 * all that it makes valid, and before anything that it no longer does.
 */
static inline void mr_entry_store_state(struct mr_entry *entry, enum mr_entry_state state)
{
	__asm__ volatile("" : : : "memory");
	*(volatile uint32_t *)&entry->state = state;
	__asm__ volatile("" : : : "memory");
}

#endif
