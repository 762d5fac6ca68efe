/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_HANDLERS_DM_H
#define LIB_SIM_HANDLERS_DM_H

#include "lib/sim/call/attrs.h"

/* Methods of the ioctl: as handle() of struct sim_method. */
int sim_mlx5_alloc_dm(struct sim_call *call);
int sim_mlx5_query_dm(struct sim_call *call);
int sim_reg_dm_mr(struct sim_call *call);

#endif
