/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_DEVICES_RXE_H
#define LIB_SIM_DEVICES_RXE_H

#include "lib/sim/call/attrs.h"
#include "lib/sim/call/profile.h"

extern const struct sim_profile sim_rxe_profile;

/** sim_rxe_reg_dmabuf_mr() - the ioctl method REG_DMABUF_MR: -EOPNOTSUPP */
int sim_rxe_reg_dmabuf_mr(struct sim_call *call);

#endif
