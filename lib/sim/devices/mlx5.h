/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_DEVICES_MLX5_H
#define LIB_SIM_DEVICES_MLX5_H

#include "lib/sim/call/attrs.h"
#include "lib/sim/call/profile.h"

extern const struct sim_profile sim_mlx5_profile;

/* Methods of the ioctl that only this driver has: as handle() of struct sim_method. */
int sim_mlx5_query_pd(struct sim_call *call);
int sim_mlx5_devx_other(struct sim_call *call);
int sim_mlx5_data_direct_path(struct sim_call *call);

#endif
