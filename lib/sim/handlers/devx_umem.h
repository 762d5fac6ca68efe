/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_HANDLERS_DEVX_UMEM_H
#define LIB_SIM_HANDLERS_DEVX_UMEM_H

#include "lib/sim/call/attrs.h"

/** sim_mlx5_umem_reg() - the ioctl method DEVX_UMEM_REG: as handle() of struct sim_method */
int sim_mlx5_umem_reg(struct sim_call *call);

#endif
