/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* RDMA devices as sysfs shows them, without opening them. */
#ifndef LIB_HOST_RDMA_DEVICE_H
#define LIB_HOST_RDMA_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/base.h"
#include "lib/host/root.h"

/** A device.  What sysfs does not show is empty or not known. */
struct mr_rdma_device {
	char name[64];        /**< "mlx5_0" */
	char driver[64];      /**< of its PCI function, or of another bus: "mlx5_core" */
	char firmware[64];    /**< version */
	char board_id[64];    /**< "MT_0000000223" */
	char hca_type[64];    /**< "MT4119" */
	char hw_rev[32];      /**< revision of the chip */
	char node_type[32];   /**< "CA", "RNIC", ... */
	char pci_address[32]; /**< "0000:c1:00.0" */
	char parent[64];      /**< network device below a software device: "eth0" */
	struct mr_opt_u64 numa_node;
	struct mr_opt_u64 fw_pages;  /**< pages of 4 KiB that the firmware has (mlx5) */
	struct mr_opt_u64 reg_pages; /**< pages that the driver counts as registered (mlx5) */
	/* by mr_rdma_device_identify() */
	char node_desc[65];      /**< text that an administrator may set */
	char node_guid[32];      /**< "0200:00ff:fe6d:7263" */
	char sys_image_guid[32]; /**< the same of the adapter */
};

/** A port of a device. */
struct mr_rdma_port {
	unsigned int number; /**< from 1 */
	char state[32];      /**< "ACTIVE" */
	char phys_state[32]; /**< "LinkUp" */
	char link_layer[32]; /**< "InfiniBand" or "Ethernet" */
	char rate[64];       /**< "100 Gb/sec (4X EDR)" */
	struct mr_opt_u64 lid;
};

/** The most ports that a device has. */
#define MR_RDMA_PORTS 255

/** The node of a device in /dev/infiniband. */
struct mr_rdma_node {
	char path[64];              /**< "/dev/infiniband/uverbs0"; empty: sysfs knows of none */
	struct mr_opt_u64 mode;     /**< its permission; not known: there is no such file */
	struct mr_opt_u64 uid, gid; /**< its owner and group */
	int error;     /**< -errno of opening it for reading and writing; 0: this user may */
	bool is_other; /**< the file there is no device, or another one than sysfs says */
	unsigned int major, minor; /**< of the device, as sysfs says */
};

/**
 * mr_rdma_device_list() - call @take with the name of each device in the network namespace of this process
 *
 * Return: how many there are, or -errno; -ENOENT where ib_core is not loaded.
 */
int mr_rdma_device_list(struct mr_host *host, void (*take)(const char *name, void *data),
			void *data);

/**
 * mr_rdma_device_pci_address() - read only the PCI address of a device
 * @address: set to it, such as "0000:c1:00.0", or to ""
 *
 * Return: whether it has one.
 */
bool mr_rdma_device_pci_address(struct mr_host *host, const char *name, char *address, size_t size);

/**
 * mr_rdma_device_read_place() - read only where a device is and what its driver counts
 *
 * That is its PCI address, driver, NUMA node, fw_pages and reg_pages.
 */
void mr_rdma_device_read_place(struct mr_host *host, const char *name,
			       struct mr_rdma_device *device);

/** mr_rdma_device_read() - read what sysfs shows of a device */
void mr_rdma_device_read(struct mr_host *host, const char *name, struct mr_rdma_device *device);

/**
 * mr_rdma_device_identify() - read what no other device has
 *
 * It is kept apart because it identifies a machine (the description begins with its name), and so has no place
 * in a recording.
 */
void mr_rdma_device_identify(struct mr_host *host, struct mr_rdma_device *device);

/** mr_rdma_ports_read() - read its ports, in their order; @ports: MR_RDMA_PORTS.  Return: how many there are. */
size_t mr_rdma_ports_read(struct mr_host *host, const char *device, struct mr_rdma_port *ports);

/** mr_rdma_node_read() - find its node, and try to open that.  Return: whether sysfs knows of a node. */
bool mr_rdma_node_read(struct mr_host *host, const char *device, struct mr_rdma_node *node);

#endif
