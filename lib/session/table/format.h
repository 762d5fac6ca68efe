/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The layout of the session table in memory; for the files of this folder alone. */
#ifndef LIB_SESSION_TABLE_FORMAT_H
#define LIB_SESSION_TABLE_FORMAT_H

#include <string.h>

#include "lib/session/table/table.h"

struct mr_table_header {
	char magic[16];
	uint32_t version;
	uint32_t entry_size;
	uint32_t capacity;
	uint32_t count;
	uint32_t free; /* slot of the first free entry; free entries are chained by next[0] */
	uint32_t indexes_valid; /* 0 while a process changes them */
	uint64_t last_id;
	struct mr_table_pool pool;
	uint32_t marked; /* slot of the entry that was marked last: the chain of MR_BY_MARK */
	struct mr_table_device device;
	struct mr_table_pd pds[MR_TABLE_PDS];
};

_Static_assert(sizeof(struct mr_entry) == 216,
	       "an entry fits in 256 bytes with its share of the indexes and of the room to grow");

#define HEADER_SIZE 8192u
_Static_assert(sizeof(struct mr_table_header) <= HEADER_SIZE, "the header has its own pages");

/*
 * Copy something out of the table, to be checked.  The compiler must not read the original again after that:
 * another process may have changed it since.
 */
static inline void mr_copy_out(void *to, const void *from, size_t size)
{
	memcpy(to, from, size);
	__asm__ volatile("" : : "r"(to) : "memory");
}

/* The entry in a slot, which must be below the capacity.  Other processes may write it at any time. */
static inline struct mr_entry *mr_entry_at(const struct mr_table *table, uint32_t slot)
{
	return (struct mr_entry *)(void *)((char *)table->header + HEADER_SIZE) + slot;
}

#endif
