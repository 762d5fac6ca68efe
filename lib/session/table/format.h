/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the session table looks like in memory, for the files that work on it alone. */
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
	uint32_t free; /* slot of the first free entry; they are chained by next[0] */
	uint32_t indexes_valid;
	uint64_t last_id;
	struct mr_table_pool pool;
	uint32_t marked; /* slot of the entry that was marked last; they are chained */
	struct mr_table_device device;
	struct mr_table_pd pds[MR_TABLE_PDS];
};

_Static_assert(sizeof(struct mr_entry) == 216,
	       "an entry fits in 256 bytes with its share of the indexes and of the room to grow");

#define HEADER_SIZE 8192u
_Static_assert(sizeof(struct mr_table_header) <= HEADER_SIZE, "the header has its own pages");

/* The compiler must not read the shared original again after the copy was checked. */
static inline void mr_copy_out(void *to, const void *from, size_t size)
{
	memcpy(to, from, size);
	__asm__ volatile("" : : "r"(to) : "memory");
}

/* The entry in a place of the table: other processes may write it at any time. */
static inline struct mr_entry *mr_entry_at(const struct mr_table *table, uint32_t slot)
{
	return (struct mr_entry *)(void *)((char *)table->header + HEADER_SIZE) + slot;
}

#endif
