/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The first page of a range that the kernel cannot pin, by the rules of mm/gup.c check_vma_flags().  Pages are
 * pinned by ascending address, so the first obstacle is the one that a call is refused for.
 */
#ifndef LIB_DIAGNOSE_CAUSES_OBSTACLE_H
#define LIB_DIAGNOSE_CAUSES_OBSTACLE_H

#include "lib/host/processes.h"

enum mr_obstacle_kind {
	MR_OBSTACLE_NONE,      /**< no page is known that cannot be pinned */
	MR_OBSTACLE_UNMAPPED,  /**< nothing is mapped in the whole range */
	MR_OBSTACLE_HOLE,      /**< a part of the range is not mapped, and what follows is */
	MR_OBSTACLE_END,       /**< the range goes on where the mappings end */
	MR_OBSTACLE_DEVICE,    /**< memory of a device, without pages of the kernel */
	MR_OBSTACLE_DAX,       /**< a file that is persistent memory itself */
	MR_OBSTACLE_SECRET,    /**< memfd_secret(2) */
	MR_OBSTACLE_FILE,      /**< the shared mapping of a file that is written back */
	MR_OBSTACLE_READ_ONLY, /**< mapped without write permission */
	MR_OBSTACLE_NO_ACCESS, /**< mapped without any permission, or without that to read */
	MR_OBSTACLE_FILE_END,  /**< beyond the end of the mapped file */
	MR_OBSTACLE_GUARD, /**< a page of MADV_GUARD_INSTALL, which /proc/PID/maps does not show */
};

struct mr_obstacle {
	enum mr_obstacle_kind kind;
	/**
	 * Nothing else can explain it: the page cannot be pinned, and those before it were.  Pinning puts each page
	 * into memory before it goes on to the next one.
	 */
	bool is_sure;
	uint64_t addr; /**< of the page; of a hole: its first one */
	uint64_t hole; /**< HOLE, END, UNMAPPED: bytes of the range that are not mapped there */
	unsigned int mappings;      /**< of the range that were looked at */
	struct mr_mapping mapping;  /**< that has the page, or is before the hole */
	struct mr_mapped_file file; /**< behind @mapping */
	/** Where pinning ended before @addr, or is not known to have begun: the page, and the mapping that has it. */
	bool has_stop;
	struct mr_absent_page stop;
	struct mr_mapping stop_mapping;
	/** Where the shared mapping of a file has gaps that its file system has no room for. */
	bool has_full;
	struct mr_mapping full;
	struct mr_mapped_file full_file;
	/** Where pages are from the pool of hugetlb: the first mapping of them, and what smaps tells of it. */
	bool has_huge;
	struct mr_mapping huge;
	struct mr_mapping_details huge_details;
};

#endif
