/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the memory of a traced call is, and which kind of memory of mrctl's own stands for it. */
#ifndef LIB_TRACE_RANGE_H
#define LIB_TRACE_RANGE_H

#include "lib/diagnose/causes/obstacle.h"
#include "lib/diagnose/causes/refusal.h"
#include "lib/host/reading.h"
#include "lib/memory/memory.h"

/** The memory of a call. */
struct mr_traced_range {
	/** As --memory takes it: "anon", "hugetlb:2M", "file:/tmp/a"; empty: no kind stands for it. */
	char memory[300];
	enum mr_memory_type type; /**< of @memory */
	uint64_t addr, length;    /**< bytes, as the call was given them */
	uint64_t offset;    /**< bytes from the start of a mapping of that kind to the range */
	uint64_t page_size; /**< bytes of the pages behind it; 0: not known */
	bool is_exact;      /**< the kernel's rules for @memory are those that the range has met */
	char remark[200];   /**< what is different, or why nothing stands for it; or empty */
	unsigned int mappings; /**< that the range is in, as far as they were looked at */
	bool has_mapping;
	struct mr_mapping mapping;  /**< that has the first byte, or with an obstacle its page */
	struct mr_mapped_file file; /**< behind @mapping */
	enum mr_obstacle_kind obstacle; /**< what keeps it from being pinned */
	uint64_t obstacle_addr;         /**< address of that page */
};

/**
 * mr_traced_range_read() - look at the memory that a refused call was given
 * @refusal: of the call: its range, and the access and the kernel that decide what can be pinned
 * @host:    whose process has the memory
 *
 * Return: 0; -ENODATA where the call was given none; or -errno where the mappings cannot be read: then no kind stands
 * for it, and the remark says so.
 */
int mr_traced_range_read(const struct mr_refusal *refusal, struct mr_host *host,
			 struct mr_traced_range *range);

#endif
