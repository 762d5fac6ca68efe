/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* RDMA devices and their nodes in /dev, by what the kernel shows, without libibverbs. */
#ifndef LIB_HOST_UVERBS_NODE_H
#define LIB_HOST_UVERBS_NODE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define MR_UVERBS_NODES "/dev/infiniband/"

/** A node below /dev/infiniband, by which programs open an RDMA device. */
struct mr_uverbs_node {
	char path[sizeof(MR_UVERBS_NODES) + NAME_MAX];
	char device[64]; /**< "mlx5_0" */
	unsigned int major, minor;
};

/**
 * mr_uverbs_node_read() - the device and the number of a node, by sysfs
 * @name: "uverbs0"
 * @node: its path is set in any case
 *
 * The class of nodes in sysfs is the same in all network namespaces.
 *
 * Return: whether sysfs has it.
 */
bool mr_uverbs_node_read(const char *name, struct mr_uverbs_node *node);

/**
 * mr_uverbs_node_find() - the node of a device
 * @device: or NULL for any
 *
 * Return: 1, 0 where there is none, or -errno of reading the class of nodes.
 */
int mr_uverbs_node_find(const char *device, struct mr_uverbs_node *node);

/**
 * mr_rdma_device_find() - whether the kernel has a device, with a node or not
 * @name:   the device, or NULL for any
 * @device: set to its name
 */
bool mr_rdma_device_find(const char *name, char *device, size_t size);

/** mr_rdma_device_is_in_namespace() - whether it is in the network namespace of this process */
bool mr_rdma_device_is_in_namespace(const char *device);

/** mr_rdma_namespaces_are_exclusive() - whether devices belong to one network namespace each */
bool mr_rdma_namespaces_are_exclusive(void);

/**
 * mr_folder_find() - look for an entry of a folder by the end of its name
 * @name: set to the name of the first that ends with @end
 */
bool mr_folder_find(const char *path, const char *end, char *name, size_t size);

#endif
