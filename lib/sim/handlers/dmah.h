/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_HANDLERS_DMAH_H
#define LIB_SIM_HANDLERS_DMAH_H

#include "lib/sim/call/attrs.h"

/** sim_mlx5_alloc_dmah() - UVERBS_METHOD_DMAH_ALLOC, of mlx5: 0 or -errno */
int sim_mlx5_alloc_dmah(struct sim_call *call);

#endif
