/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares the profiles of simulated devices. */
#ifndef LIB_SIM_DEVICES_DEVICES_H
#define LIB_SIM_DEVICES_DEVICES_H

#include "lib/sim/call/call.h"

extern const struct sim_profile sim_mlx5_profile;

/** Methods of the ioctl that only one driver has. */
sim_handler sim_mlx5_query_pd, sim_mlx5_devx_other, sim_mlx5_data_direct_path, sim_mlx5_alloc_uar,
	sim_mlx5_export_dmabuf;

/** sim_profile_of() - the profile of a kind of device, or NULL for MR_SIM_PROFILES */
const struct sim_profile *sim_profile_of(enum mr_sim_profile kind);

#endif
