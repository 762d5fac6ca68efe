/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_HANDLERS_REREG_H
#define LIB_SIM_HANDLERS_REREG_H

#include "lib/sim/call/attrs.h"

int sim_write_rereg_mr(struct sim_call *call);

#endif
