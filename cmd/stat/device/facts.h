/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* All that can be found out about a device without registering memory. */
#ifndef CMD_STAT_DEVICE_FACTS_H
#define CMD_STAT_DEVICE_FACTS_H

#include "lib/host/host.h"
#include "lib/nldev/nldev.h"
#include "lib/verbs/device.h"

/** The facts, each with where it comes from. */
struct device_facts {
	struct mr_rdma_device sysfs;
	struct mr_rdma_port ports[MR_RDMA_PORTS];
	size_t port_count;
	struct mr_rdma_node node;

	struct mr_environment environment; /**< of the device */
	bool opened;                       /**< features are known */
	bool has_attributes;
	struct mr_features features;
	struct mr_attributes attributes;

	bool has_summary; /**< of netlink */
	struct mr_nldev_summary summary;
	bool has_pools; /**< the kernel has FRMR pools */
	struct mr_nldev_pools pools;

	bool has_commands;
	struct mr_mlx5_command commands[MR_MLX5_COMMANDS];
	struct mr_error
		commands_error; /**< why there are none; empty: the device is no mlx5 device */
};

/**
 * device_facts_find() - find out all about a device
 * @name:        as sysfs lists it
 * @environment: of this machine, without a device
 * @facts:       set as far as known; device_facts_release() it, also after a failure
 *
 * Return: 0, or -errno where the device could not be opened, or does not answer.
 */
int device_facts_find(struct mr_host *host, const char *name,
		      const struct mr_environment *environment, struct device_facts *facts,
		      struct mr_error *err);

/** device_facts_release() - free what the facts have allocated */
void device_facts_release(struct device_facts *facts);

#endif
