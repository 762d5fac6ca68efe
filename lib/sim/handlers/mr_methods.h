/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_HANDLERS_MR_METHODS_H
#define LIB_SIM_HANDLERS_MR_METHODS_H

#include "lib/sim/call/attrs.h"

/* Methods of the ioctl: as handle() of struct sim_method. */
int sim_reg_dmabuf_mr(struct sim_call *call);
int sim_reg_mr(struct sim_call *call);
int sim_query_mr(struct sim_call *call);

#endif
