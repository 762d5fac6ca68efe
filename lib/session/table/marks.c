// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Relaxed regions that were deregistered and are yet to be invalidated: marked entries. */
#include "lib/session/table/change.h"
#include "lib/session/table/entries.h"
#include "lib/session/table/format.h"
#include "lib/session/table/index.h"
#include "lib/session/table/marks.h"

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
