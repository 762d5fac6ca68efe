/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What /proc/meminfo tells of a host's memory. */
#ifndef LIB_HOST_MEMINFO_H
#define LIB_HOST_MEMINFO_H

#include "lib/base/base.h"
#include "lib/host/root.h"

/** Bytes.  What the kernel does not tell is not known. */
struct mr_meminfo {
	struct mr_opt_u64 total;
	struct mr_opt_u64 free;
	struct mr_opt_u64
		available; /**< the kernel's estimate of what new programs can have without swapping */
	struct mr_opt_u64 swap_total, swap_free;
	struct mr_opt_u64
		commit_limit; /**< of what may be promised where vm.overcommit_memory is 2 */
	struct mr_opt_u64 committed;
	struct mr_opt_u64 huge_page_size; /**< of hugetlb, where none is asked for */
	struct mr_opt_u64 cma_total;      /**< in the areas of the contiguous memory allocator */
	struct mr_opt_u64 corrupted;      /**< pages that have failed, and were taken out of use */
	struct mr_opt_u64 cma_free; /**< free in page blocks of type CMA, whoever they belong to */
};

/** mr_meminfo_read() - Return: 0, or -errno. */
int mr_meminfo_read(struct mr_host *host, struct mr_meminfo *info);

#endif
