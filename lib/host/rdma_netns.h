/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* RDMA devices and network namespaces: rdma-system(8). */
#ifndef LIB_HOST_RDMA_NETNS_H
#define LIB_HOST_RDMA_NETNS_H

#include "lib/base/base.h"
#include "lib/host/root.h"

/** Which devices are in the network namespace of this process. */
struct mr_rdma_netns {
	enum mr_tristate is_exclusive; /**< whether a device belongs to one namespace only */
	int error; /**< -errno of reading that; -ENOENT: the kernel is older, or has no RDMA */
	unsigned int visible;  /**< devices here */
	unsigned int hidden;   /**< devices that have a node, but are not here */
	char first_hidden[64]; /**< name of one of them */
};

/** mr_rdma_netns_read() - Return: 0, or -errno where the devices cannot be listed; -ENOENT where there is no /sys. */
int mr_rdma_netns_read(struct mr_host *host, struct mr_rdma_netns *netns);

#endif
