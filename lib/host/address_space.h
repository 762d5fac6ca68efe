/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is mapped at addresses of the process: /proc/self/maps and smaps. */
#ifndef LIB_HOST_ADDRESS_SPACE_H
#define LIB_HOST_ADDRESS_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/base.h"
#include "lib/host/root.h"

/** A mapping, as /proc/self/maps has it (proc_pid_maps(5)). */
struct mr_mapping {
	uint64_t start, end;       /**< addresses; @end is the first behind it */
	uint64_t offset;           /**< bytes from the start of the file to that of the mapping */
	uint64_t inode;            /**< of the file; 0: there is none */
	unsigned int major, minor; /**< of the device that the file is on */
	bool readable, writable, executable, shared;
	char path[256]; /**< of the file, or "[stack]"; cut; empty: none */
};

/**
 * mr_mappings_walk() - call @visit with each mapping from an address on
 * @start: address; the first mapping is the one that has it, or the next one
 * @visit: returns whether it wants the next one
 *
 * Of this machine nothing is recorded: addresses and files of a process are its own.
 *
 * Return: 0, or -errno where the mappings cannot be read: -EBADMSG where a line is that of no mapping, or there is none.
 */
int mr_mappings_walk(struct mr_host *host, uint64_t start,
		     bool (*visit)(const struct mr_mapping *mapping, void *data), void *data);

/** What /proc/self/smaps tells of a mapping (proc_pid_smaps(5)). */
struct mr_mapping_details {
	uint64_t page_size; /**< bytes */
	uint64_t huge;      /**< bytes of pages from the pool of hugetlb that are there */
	bool is_io;         /**< VmFlags io: memory of a device */
	bool is_pfn;        /**< VmFlags pf: pages that the kernel does not manage */
	bool is_hugetlb;    /**< VmFlags ht */
	bool is_unreserved; /**< VmFlags nr: no pages were reserved for it */
	bool is_thp_asked;  /**< VmFlags hg: madvise(2) has asked for transparent huge pages */
	bool has_faults;    /**< VmFlags um, uw or ui: userfaultfd(2) handles its faults */
};

/**
 * mr_mapping_details_read() - read the details of the mapping that begins at an address
 *
 * The kernel looks at each page of the mappings before it.  So nothing is read where the process has so
 * much memory that this takes milliseconds.
 *
 * Return: 0; -EFBIG where it would take too long; -ENOENT where no mapping begins there; or -errno.
 */
int mr_mapping_details_read(struct mr_host *host, uint64_t start,
			    struct mr_mapping_details *details);

/** A page that is not in memory (Documentation/admin-guide/mm/pagemap.rst). */
struct mr_absent_page {
	uint64_t addr;
	bool is_swapped; /**< in swap, or marked as one that must not be used: bit 62 */
	bool is_guard;   /**< of MADV_GUARD_INSTALL, since Linux 6.15: bit 58 */
};

/** What a page has to be in memory for. */
enum mr_page_use {
	MR_PAGE_READ,
	MR_PAGE_WRITE, /**< userfaultfd(2) does not handle writes */
	MR_PAGE_OWN,   /**< the same of a private mapping that has its copy already */
};

/**
 * mr_absent_page_find() - find the first page of a range that the process does not have in memory for a use
 * @start: of a page
 * @end:   first address behind the range
 *
 * Return: 1 where there is one; 0; -ENODATA of a recording, which has no pages; or -errno.
 */
int mr_absent_page_find(struct mr_host *host, uint64_t start, uint64_t end, enum mr_page_use use,
			struct mr_absent_page *page);

#endif
