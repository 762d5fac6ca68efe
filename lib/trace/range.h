/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a range of addresses of a process is, and which kind of memory of mrctl's own stands for it. */
#ifndef LIB_TRACE_RANGE_H
#define LIB_TRACE_RANGE_H

#include "lib/diagnose/causes/obstacle.h"
#include "lib/host/root.h"
#include "lib/memory/kinds.h"

/** The memory of a call. */
struct mr_traced_range {
	/** As --memory takes it: "anon", "hugetlb:2M", "file:/tmp/a"; empty: no kind stands for it. */
	char memory[300];
	enum mr_memory_type type; /**< of @memory */
	uint64_t addr, length;    /**< as the call was given them */
	uint64_t offset;    /**< bytes from the start of a mapping of that kind to the range */
	uint64_t page_size; /**< bytes of the pages behind it; 0: not known */
	bool is_exact; /**< @memory meets the same rules of the kernel; else @remark says why not */
	char remark[200]; /**< what is different, or why nothing stands for it; or empty */
	struct mr_opt_u64 mappings; /**< that the range is in, as far as they were looked at */
	bool has_mapping;
	struct mr_mapping
		mapping; /**< that has the first byte, or with an obstacle the refused page */
	struct mr_mapped_file file;     /**< behind @mapping */
	enum mr_obstacle_kind obstacle; /**< what keeps it from being pinned */
	uint64_t obstacle_addr;         /**< address of that page */
};

/** How a range is to be used, which decides what is an obstacle. */
struct mr_traced_use {
	uint64_t addr, length; /**< bytes */
	uint32_t access;       /**< access flags of the call */
};

/**
 * mr_traced_range_read() - look at a range of a process
 * @host: whose process it is of
 *
 * Return: 0; or -errno where the mappings cannot be read: then no kind stands for it, and the remark says so.
 */
int mr_traced_range_read(struct mr_host *host, const struct mr_traced_use *use,
			 struct mr_traced_range *range);

#endif
