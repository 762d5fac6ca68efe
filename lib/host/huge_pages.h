/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Huge pages: the pools of hugetlb by size and NUMA node, and transparent ones. */
#ifndef LIB_HOST_HUGE_PAGES_H
#define LIB_HOST_HUGE_PAGES_H

#include "lib/base/base.h"
#include "lib/host/root.h"

/** The pages of one size, of the host or of a NUMA node.  What the kernel does not tell is not known. */
struct mr_huge_pool {
	uint64_t size; /**< bytes of a page */
	struct mr_opt_u64 total, free;
	struct mr_opt_u64
		reserved; /**< free ones that are promised; the kernel counts them by host alone */
	struct mr_opt_u64 surplus;    /**< beyond what was set */
	struct mr_opt_u64 overcommit; /**< how many surplus pages there may be; by host alone */
};

enum { MR_HUGE_POOLS = 8 /**< sizes that an architecture has at most */ };

struct mr_huge_pools {
	struct mr_huge_pool pools[MR_HUGE_POOLS]; /**< by name of their folders */
	size_t count;
};

/**
 * mr_huge_pools_read() - read the pools
 * @node: of a NUMA node, "node0"; NULL: of the host
 *
 * Return: 0, or -errno, and no pool; -ENOENT where the kernel has no hugetlb.
 */
int mr_huge_pools_read(struct mr_host *host, const char *node, struct mr_huge_pools *pools);

/** mr_huge_pools_find() - the pool of pages of @size bytes; or NULL */
const struct mr_huge_pool *mr_huge_pools_find(const struct mr_huge_pools *pools, uint64_t size);

/** mr_huge_pool_room() - pages that can still be had, reserved ones left out; not known where a figure is missing */
struct mr_opt_u64 mr_huge_pool_room(const struct mr_huge_pool *pool);

/** mr_huge_pools_total() - bytes of all pages, which are not available as ordinary memory; what is not known is 0 */
uint64_t mr_huge_pools_total(const struct mr_huge_pools *pools);

/** mr_huge_pools_room() - bytes of all pages that can still be had; what is not known is 0 */
uint64_t mr_huge_pools_room(const struct mr_huge_pools *pools);

/** mr_huge_page_default() - bytes of a page of hugetlb where no size is asked for; 0 where the kernel has no hugetlb */
uint64_t mr_huge_page_default(struct mr_host *host);

/**
 * mr_thp_mode() - whether the kernel makes huge pages by itself
 * @mode: set to "always", "madvise" or "never", or to an empty text
 *
 * Return: 0; -ENOENT where it has no transparent huge pages; -EINVAL where it says something else.
 */
int mr_thp_mode(struct mr_host *host, char *mode, size_t size);

#endif
