/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How much memory, and how many bytes in huge pages, a control group may have. */
#ifndef LIB_HOST_MEMORY_CGROUP_H
#define LIB_HOST_MEMORY_CGROUP_H

#include "lib/base/base.h"
#include "lib/host/cgroup.h"

/** Memory of a control group, in bytes.  A limit of UINT64_MAX is none. */
struct mr_memory_group {
	struct mr_opt_u64 max;  /**< beyond it, processes are killed */
	struct mr_opt_u64 high; /**< beyond it, processes are slowed down; version 2 only */
	struct mr_opt_u64 used; /**< without pages of files, which the kernel can drop */
};

/** mr_memory_group_read() - false where the group has no limits, as the controller is not enabled in it */
bool mr_memory_group_read(struct mr_host *host, const struct mr_cgroup *group,
			  struct mr_memory_group *memory);

/** What the kernel counts of huge pages (mm/hugetlb_cgroup.c). */
enum mr_huge_count {
	MR_HUGE_RESERVED, /**< what mmap(2) promises; kernels before 5.7 have no limit of it */
	MR_HUGE_FAULTED,  /**< what is used */
	MR_HUGE_COUNTS,
};

/** A limit of huge pages, in bytes. */
struct mr_huge_limit {
	char file[64]; /**< of the group: "hugetlb.2MB.rsvd.max" */
	struct mr_opt_u64 max, used;
};

/**
 * mr_huge_limit_read() - read a limit of huge pages
 * @page: bytes of a page
 *
 * Return: false where the group does not have it.
 */
bool mr_huge_limit_read(struct mr_host *host, const struct mr_cgroup *group, uint64_t page,
			enum mr_huge_count count, struct mr_huge_limit *limit);

#endif
