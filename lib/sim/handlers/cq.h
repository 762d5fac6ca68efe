/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_HANDLERS_CQ_H
#define LIB_SIM_HANDLERS_CQ_H

#include "lib/sim/call/attrs.h"

/* Methods of the ioctl: as handle() of struct sim_method. */
int sim_mlx5_create_cq(struct sim_call *call);
int sim_mlx5_destroy_cq(struct sim_call *call);

#endif
