/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* All MRs of a device, as the kernel's RDMA netlink tells them. */
#ifndef LIB_NLDEV_MRS_H
#define LIB_NLDEV_MRS_H

#include "lib/base/base.h"
#include "lib/nldev/nldev.h"

enum mr_nldev_odp {
	MR_NLDEV_ODP_UNTOLD, /**< the driver says nothing: of mlx5 such an MR is pinned */
	MR_NLDEV_ODP_EXPLICIT,
	MR_NLDEV_ODP_IMPLICIT,
};

/** An MR.  There may be a million of them. */
struct mr_nldev_mr {
	uint64_t length;
	uint32_t
		mrn; /**< the kernel's number for it, which the kernel uses again only after 2^32 others */
	uint32_t lkey, rkey; /**< where @has_keys */
	uint32_t pdn;        /**< of its PD, where @has_pdn */
	/**
	 * The process that registered it, by its number in this PID namespace; 0: the process has ended, or it is
	 * not in this PID namespace, or the MR is the kernel's.
	 */
	uint32_t pid;
	bool has_keys; /**< the kernel tells them with CAP_NET_ADMIN */
	bool has_pdn;
	bool has_counters;
	uint8_t odp;     /**< enum mr_nldev_odp */
	char kernel[20]; /**< the kernel's module that made it, cut; empty: a process did */
	/** Of ODP, since it was registered; where @has_counters. */
	uint64_t page_faults, page_invalidations, page_prefetch;
};

struct mr_nldev_mrs {
	struct mr_nldev_mr *list; /**< in the order of mrn */
	size_t count;
	size_t room; /**< elements that @list has room for */
	/** How many the kernel counts after they were listed; unknown: it does not tell. */
	struct mr_opt_u64 counted;
};

/**
 * mr_nldev_mrs() - list all MRs of a device, in a time that is linear in their number
 * @device: its index
 * @mrs:    mr_nldev_mrs_release() it, also after a failure
 *
 * A dump of the kernel begins its walk anew for each part that it sends, so its time is quadratic, and it skips
 * as many MRs as vanish between two parts.  So only the first parts of a dump are used, and numbers that are
 * missing between two parts are asked for one by one.  So are those that follow, unless the dump has listed as many
 * as there were before it, until as many MRs were found as the kernel counts.  Where that takes longer than a dump, as the numbers have large gaps, the rest is dumped.
 * So each MR that exists all the time is found, unless numbers have large gaps and other MRs vanish
 * meanwhile: then @mrs->counted is likely to be larger than @mrs->count.
 *
 * Return: 0 or -errno.
 */
int mr_nldev_mrs(struct mr_nldev *nl, uint32_t device, struct mr_nldev_mrs *mrs,
		 struct mr_error *err);
void mr_nldev_mrs_release(struct mr_nldev_mrs *mrs);

/**
 * mr_nldev_count_faults() - set the counters of the MRs that use ODP (RDMA_NLDEV_CMD_STAT_GET)
 *
 * Those of MRs that have vanished, or whose driver has none, stay unknown.
 *
 * Return: 0 or -errno.
 */
int mr_nldev_count_faults(struct mr_nldev *nl, uint32_t device, struct mr_nldev_mrs *mrs,
			  struct mr_error *err);

#endif
