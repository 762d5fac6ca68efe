/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How many RDMA objects a control group may have (kernel/cgroup/rdma.c). */
#ifndef LIB_HOST_RDMA_CGROUP_H
#define LIB_HOST_RDMA_CGROUP_H

#include "lib/base/base.h"
#include "lib/host/cgroup.h"

/** What the kernel counts. */
enum mr_rdma_resource {
	MR_RDMA_HANDLE, /**< opened devices */
	MR_RDMA_OBJECT, /**< protection domains, regions, queues, ... */
	MR_RDMA_RESOURCES,
};

/** Their names in the kernel's files. */
extern const char *const mr_rdma_resources[MR_RDMA_RESOURCES];

/** A device in a control group. */
struct mr_rdma_pool {
	char device[64];
	struct mr_opt_u64 max[MR_RDMA_RESOURCES]; /**< UINT64_MAX: no limit */
	struct mr_opt_u64 used[MR_RDMA_RESOURCES];
};

enum { MR_RDMA_POOLS = 64 /**< devices that are looked at */ };

struct mr_rdma_pools {
	struct mr_rdma_pool pools[MR_RDMA_POOLS];
	size_t count;
};

/**
 * mr_rdma_pools_read() - read limits and use of a control group by device
 *
 * Return: 0; -ENOENT where the group has none, as the controller is not enabled in it; or -errno.
 */
int mr_rdma_pools_read(struct mr_host *host, const struct mr_cgroup *group,
		       struct mr_rdma_pools *pools);

#endif
