/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The memory behind a region: mapping and unmapping it. */
#ifndef LIB_MEMORY_MAPPING_H
#define LIB_MEMORY_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/base.h"
#include "lib/host/shortage.h"
#include "lib/memory/kinds.h"
#include "lib/memory/unfinished.h"

/** Memory that is wanted. */
struct mr_memory_request {
	struct mr_memory_kind kind;
	uint64_t length;        /**< bytes of the range to be registered */
	uint64_t offset;        /**< bytes from the start of the mapping to that range */
	struct mr_opt_u64 addr; /**< map it at this address, or fail */
	struct mr_opt_u64 node; /**< NUMA node of the pages */
	bool populate;          /**< fault the pages in now */
};

struct mr_cuda;

/** Mapped memory. */
struct mr_memory {
	uint64_t start;               /**< address of the range: the mapping's, plus the offset */
	uint64_t page_size;           /**< bytes of the pages behind it, base or huge ones */
	struct mr_cuda *cuda;         /**< of CUDA, or NULL */
	void *map;                    /**< the mapping, or NULL */
	uint64_t map_length;          /**< bytes */
	struct mr_unfinished created; /**< a file that was created for it, until it is kept */
};

/**
 * mr_memory_map() - map memory
 * @request: what is wanted
 * @memory:  set on success; mr_memory_unmap() it
 *
 * Nothing reserves the gap of the kinds unmapped and hole: a later mapping of this process may be put
 * there.  So a caller allocates what it needs for the registration before this call.
 *
 * Return: 0, or -errno of the call that failed, with MR_ERROR_HOST.
 */
int mr_memory_map(const struct mr_memory_request *request, struct mr_memory *memory,
		  struct mr_error *err);

/** mr_memory_shortage() - what mmap(2) is asked for, to find out which limit is too small where it fails */
void mr_memory_shortage(const struct mr_memory_request *request, struct mr_shortage *shortage);

/** mr_memory_keep_file() - keep a file that was created for the memory, because a region is on it now */
void mr_memory_keep_file(struct mr_memory *memory);

/**
 * mr_memory_unmap() - unmap the memory, whose regions are deregistered
 *
 * A file that was created for it is removed, unless it is kept.
 */
void mr_memory_unmap(struct mr_memory *memory);

#endif
