/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Why mmap() failed with ENOMEM, as far as the figures of the machine show it. */
#ifndef LIB_HOST_SHORTAGE_H
#define LIB_HOST_SHORTAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/host/root.h"

/** A mapping that could not be made. */
struct mr_shortage {
	uint64_t length;    /**< bytes */
	uint64_t huge_size; /**< bytes of its huge pages, 0 for other memory */
	bool is_private;    /**< private and writable: the kernel counts it as data */
};

/** Which limit is too small. */
enum mr_shortage_kind {
	MR_SHORTAGE_NONE,       /**< none is known to be */
	MR_SHORTAGE_RLIMIT,     /**< RLIMIT_AS or RLIMIT_DATA of the process */
	MR_SHORTAGE_HUGE_POOL,  /**< huge pages of the host */
	MR_SHORTAGE_HUGE_GROUP, /**< huge pages of a control group */
	MR_SHORTAGE_COMMIT,     /**< what the host promises, vm.overcommit_memory 2 */
	MR_SHORTAGE_MEMORY,     /**< all memory of the host, vm.overcommit_memory 0 */
};

/** A limit that is too small. */
struct mr_shortage_reason {
	char text[320];   /**< the limit with its figures */
	char remedy[320]; /**< what to do */
};

/**
 * mr_shortage_find() - find the limit that is too small
 * @reason: set, but for MR_SHORTAGE_NONE
 *
 * The rules are those of mm/mmap.c may_expand_vm(), mm/util.c __vm_enough_memory(), mm/hugetlb.c
 * hugetlb_acct_memory() and mm/hugetlb_cgroup.c.
 */
enum mr_shortage_kind mr_shortage_find(const struct mr_shortage *shortage, struct mr_host *host,
				       struct mr_shortage_reason *reason);

#endif
