/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The commands that mlx5_core has sent to the firmware, as it counts them in debugfs
 * (drivers/net/ethernet/mellanox/mlx5/core/debugfs.c mlx5_cmdif_debugfs_init()).
 */
#ifndef LIB_HOST_MLX5_COMMANDS_H
#define LIB_HOST_MLX5_COMMANDS_H

#include "lib/base/base.h"
#include "lib/host/root.h"

/** A command.  What the kernel does not count is not known: failures are counted since Linux 5.18. */
struct mr_mlx5_command {
	const char *name;              /**< "CREATE_MKEY" */
	struct mr_opt_u64 sent;        /**< "n" */
	struct mr_opt_u64 failed;      /**< all failures */
	struct mr_opt_u64 refused;     /**< "failed_mbox_status": those that the firmware refused */
	struct mr_opt_u64 last_errno;  /**< of the last failure; 0: there was none */
	struct mr_opt_u64 last_status; /**< of the last refusal; 0: there was none */
	struct mr_opt_u64 last_syndrome; /**< the firmware's number of the reason */
};

/** How many commands have to do with registration. */
#define MR_MLX5_COMMANDS 12

/**
 * mr_mlx5_commands_read() - read the counters of the commands that have to do with registration
 * @pci_address: of the device
 * @commands:    set; each has a name
 *
 * Return: 0, or -errno with MR_ERROR_HOST and a hint: debugfs is not mounted, root alone may read it, or the
 * device has no such counters.
 */
int mr_mlx5_commands_read(struct mr_host *host, const char *pci_address,
			  struct mr_mlx5_command commands[MR_MLX5_COMMANDS], struct mr_error *err);

/** mr_mlx5_command_read() - read the counters of one command, such as "ALLOC_UAR".  Return: as above. */
int mr_mlx5_command_read(struct mr_host *host, const char *pci_address, const char *name,
			 struct mr_mlx5_command *command, struct mr_error *err);

#endif
