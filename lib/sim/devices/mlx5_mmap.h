/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_DEVICES_MLX5_MMAP_H
#define LIB_SIM_DEVICES_MLX5_MMAP_H

#include "lib/sim/call/attrs.h"

/** sim_mlx5_mmap() - mmap() of struct sim_profile */
void *sim_mlx5_mmap(struct sim_table *table, void *addr, size_t length, int prot, int flags,
		    off_t offset);

/* Methods of the ioctl that only this driver has: as handle() of struct sim_method. */
int sim_mlx5_alloc_uar(struct sim_call *call);
int sim_mlx5_export_dmabuf(struct sim_call *call);

#endif
