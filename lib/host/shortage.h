/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Why mmap() failed with ENOMEM, as far as the figures of the machine show it. */
#ifndef LIB_HOST_SHORTAGE_H
#define LIB_HOST_SHORTAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "lib/host/root.h"

/** A mapping that could not be made. */
struct mr_shortage {
	uint64_t length;    /**< bytes */
	uint64_t huge_size; /**< bytes of its huge pages, 0 for other memory */
	bool is_private;    /**< private and writable: the kernel counts it as data */
};

/**
 * mr_shortage_hint() - name in a hint the limit that is too small, with its figures
 * @err: unchanged where no limit is known to be too small
 *
 * The rules are those of mm/mmap.c may_expand_vm(), mm/util.c __vm_enough_memory(), mm/hugetlb.c
 * hugetlb_acct_memory() and mm/hugetlb_cgroup.c.
 */
void mr_shortage_hint(const struct mr_shortage *shortage, struct mr_host *host,
		      struct mr_error *err);

#endif
