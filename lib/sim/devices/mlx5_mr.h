/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_DEVICES_MLX5_MR_H
#define LIB_SIM_DEVICES_MLX5_MR_H

#include "lib/sim/call/registration.h"

/* Functions of struct sim_profile. */
int sim_mlx5_reg_mr(struct sim_mr_request *request);
int sim_mlx5_rereg_mr(struct sim_rereg *rereg);
int sim_mlx5_check_prefetch(const struct sim_advice *advice, const struct sim_object *mr);
int sim_mlx5_prefetch_address(const struct sim_object *mr, const struct ib_uverbs_sge *part,
			      uint64_t *addr);
uint32_t sim_mlx5_make_key(struct sim_table *table, uint8_t variant);

#endif
