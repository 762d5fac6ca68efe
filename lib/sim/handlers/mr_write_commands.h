/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_HANDLERS_MR_WRITE_COMMANDS_H
#define LIB_SIM_HANDLERS_MR_WRITE_COMMANDS_H

#include "lib/sim/call/attrs.h"

/* Write commands: as run() in uverbs/write_commands.c. */
int sim_write_reg_mr(struct sim_call *call);
int sim_write_dereg_mr(struct sim_call *call);

#endif
