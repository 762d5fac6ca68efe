/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The memory behind a region: mapping it, and giving it back. */
#ifndef LIB_MEMORY_MAPPING_H
#define LIB_MEMORY_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "lib/base/number.h"
#include "lib/memory/kinds.h"
#include "lib/memory/unfinished.h"

struct mr_memory_request {
	struct mr_memory_kind kind;
	uint64_t length;        /**< bytes wanted behind the start */
	uint64_t offset;        /**< bytes from the start of the mapping to the start */
	struct mr_opt_u64 addr; /**< map there or fail */
	struct mr_opt_u64 node; /**< NUMA node of the pages */
	bool populate;          /**< fault the pages in now */
};

struct mr_memory {
	uint64_t start;            /**< address of the first byte, the mapping's plus the offset */
	uint64_t page_size;        /**< bytes; of the base or huge pages behind it */
	void *map;                 /**< the mapping, or NULL */
	uint64_t map_length;       /**< bytes */
	struct mr_unfinished made; /**< the file that was made for it, until it is kept */
};

/**
 * mr_memory_map() - make the memory
 * @request: what is wanted
 * @memory:  set on success; mr_memory_unmap() it
 *
 * The kinds that leave a gap (unmapped, hole) leave it unprotected: what this process maps before the
 * registration may fall into it, so what is needed for that is to be allocated before.
 *
 * Return: 0, or -errno of the host call that failed.
 */
int mr_memory_map(const struct mr_memory_request *request, struct mr_memory *memory,
		  struct mr_error *err);

/** mr_memory_keep_file() - there is a region on it now: a file that was made for it stays */
void mr_memory_keep_file(struct mr_memory *memory);

/**
 * mr_memory_unmap() - give it back; a region on it has been deregistered before
 *
 * A file that was made for it and not kept is removed.
 */
void mr_memory_unmap(struct mr_memory *memory);

#endif
