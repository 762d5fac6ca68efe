/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What mlx5_core writes to the kernel's log where the firmware refuses a command
 * (drivers/net/ethernet/mellanox/mlx5/core/cmd.c mlx5_cmd_out_err()).  It writes not more than a few lines each
 * five seconds.
 */
#ifndef LIB_HOST_MLX5_LOG_H
#define LIB_HOST_MLX5_LOG_H

#include "lib/host/root.h"

/** A line that is younger than this can be about the call that was just refused. */
#define MR_MLX5_LOG_RECENT_NS UINT64_C(2000000000)

/** A refused command. */
struct mr_mlx5_log_line {
	char command
		[40];    /**< "CREATE_MKEY"; "UMR": a work request for a key, which is no command */
	uint64_t status; /**< of the firmware, or of the completion of the work request */
	uint64_t syndrome;
	int errnum;      /**< that mlx5_core made of it; 0: older kernels do not write it */
	uint64_t age_ns; /**< since it was written */
};

/**
 * mr_mlx5_log_read() - the last line about a command that the thread has sent to a device
 * @device: name of the RDMA device
 *
 * The log is read from its end, at most 32 KiB.
 *
 * Return: 0; -ENOENT: there is no such line; or -errno: -EPERM where only root may read the log
 * (kernel.dmesg_restrict).
 */
int mr_mlx5_log_read(struct mr_host *host, const char *device, struct mr_mlx5_log_line *line);

/**
 * mr_mlx5_log_parse() - read such a line
 * @text:        a line of the log, with its time
 * @pci_address: of the device
 * @thread:      that has sent the command
 * @line:        set; its age is the time of the log, since the machine was started
 *
 * Return: whether it is a line about that device and thread.
 */
bool mr_mlx5_log_parse(const char *text, const char *pci_address, uint64_t thread,
		       struct mr_mlx5_log_line *line);

#endif
