/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_HANDLERS_REREG_H
#define LIB_SIM_HANDLERS_REREG_H

#include <stdbool.h>

#include "lib/sim/call/attrs.h"

/** sim_rereg_is_supported() - whether the driver of the simulated kernel has a rereg_user_mr */
bool sim_rereg_is_supported(const struct sim_call *call);

/** sim_write_rereg_mr() - the write command REREG_MR: as run() in uverbs/write_commands.c */
int sim_write_rereg_mr(struct sim_call *call);

#endif
