/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Relaxed regions that were deregistered and are yet to be invalidated: marked entries. */
#ifndef LIB_SESSION_TABLE_MARKS_H
#define LIB_SESSION_TABLE_MARKS_H

#include "lib/session/table/table.h"

/**
 * mr_table_mark() - note that a relaxed region is deregistered, if the entry in that slot still has that id
 * @now:      mr_now_ns()
 * @defer_ns: nanoseconds from now until its age alone invalidates it
 */
void mr_table_mark(struct mr_table *table, uint32_t slot, uint64_t id, uint64_t now,
		   uint64_t defer_ns);

/** mr_table_refuse_mark() - note the errno by which a marked region could not be invalidated */
void mr_table_refuse_mark(struct mr_table *table, uint32_t slot, uint64_t id, int errnum);

/**
 * mr_table_next_marked() - go through the marked entries, the one that was marked last first
 * @slot: slot of the one before, or MR_NO_SLOT
 *
 * Another holder may have made the chain a circle: a caller takes no more steps than the table has slots.
 *
 * Return: its slot, or MR_NO_SLOT after the last.
 */
uint32_t mr_table_next_marked(const struct mr_table *table, uint32_t slot);

#endif
