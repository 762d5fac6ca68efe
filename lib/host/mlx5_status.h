/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What mlx5's firmware answers to a command (enum MLX5_CMD_STAT_... of include/linux/mlx5/device.h). */
#ifndef LIB_HOST_MLX5_STATUS_H
#define LIB_HOST_MLX5_STATUS_H

#include <stdint.h>

/** A status of a command. */
struct mr_mlx5_status {
	uint64_t status;
	const char *name; /**< "BAD_PARAM_ERR" */
	/** What mlx5_core makes of it: drivers/net/ethernet/mellanox/mlx5/core/cmd.c cmd_status_to_err(); 0 for OK. */
	int errnum;
	const char *meaning; /**< a few words */
};

/** mr_mlx5_status() - the row of a status; NULL: mlx5_core does not know it, and returns EIO */
const struct mr_mlx5_status *mr_mlx5_status(uint64_t status);

/** mr_mlx5_status_name() - "BAD_PARAM_ERR"; NULL: unknown */
const char *mr_mlx5_status_name(uint64_t status);

#endif
