/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_HANDLERS_ADVISE_H
#define LIB_SIM_HANDLERS_ADVISE_H

#include "lib/sim/call/attrs.h"

/** sim_advise_mr() - the ioctl method ADVISE_MR: as handle() of struct sim_method */
int sim_advise_mr(struct sim_call *call);

#endif
