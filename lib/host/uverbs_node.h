/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* RDMA devices and their nodes in /dev/infiniband, as the kernel shows them, without libibverbs. */
#ifndef LIB_HOST_UVERBS_NODE_H
#define LIB_HOST_UVERBS_NODE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/host/root.h"

#define MR_UVERBS_NODES "/dev/infiniband/"

/** A node below /dev/infiniband, by which programs open an RDMA device. */
struct mr_uverbs_node {
	char path[sizeof(MR_UVERBS_NODES) + NAME_MAX];
	char device[64]; /**< "mlx5_0" */
	unsigned int major, minor;
};

/**
 * mr_uverbs_node_read() - read the device and the number of a node from sysfs
 * @name: "uverbs0"
 * @node: set; its path also where sysfs does not have the node
 *
 * The class of nodes in sysfs is the same in all network namespaces.
 *
 * Return: false where sysfs does not have the node.
 */
bool mr_uverbs_node_read(struct mr_host *host, const char *name, struct mr_uverbs_node *node);

/**
 * mr_uverbs_node_find() - find the node of a device
 * @device: "mlx5_0", or NULL for any
 * @node:   set where there is one
 *
 * Return: 1; 0 where there is none; or -errno where the class of nodes cannot be read.
 */
int mr_uverbs_node_find(struct mr_host *host, const char *device, struct mr_uverbs_node *node);

/**
 * mr_rdma_device_find() - whether the kernel shows a device in sysfs, with a node or without
 * @name:   the device, or NULL for any
 * @device: set to its name, @size bytes long
 */
bool mr_rdma_device_find(struct mr_host *host, const char *name, char *device, size_t size);

/** mr_rdma_device_is_in_namespace() - whether a device is in the network namespace of this process */
bool mr_rdma_device_is_in_namespace(struct mr_host *host, const char *device);

/** mr_rdma_namespaces_are_exclusive() - whether each device belongs to one network namespace only */
bool mr_rdma_namespaces_are_exclusive(struct mr_host *host);

/**
 * mr_folder_find() - find an entry of a folder by the end of its name
 * @name: set to the name of the first entry that ends with @end, @size bytes long
 *
 * Return: whether there is one.  Hidden entries do not count.
 */
bool mr_folder_find(struct mr_host *host, const char *path, const char *end, char *name,
		    size_t size);

#endif
