/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_HANDLERS_MW_H
#define LIB_SIM_HANDLERS_MW_H

#include "lib/sim/call/attrs.h"

/* Write commands: as run() in uverbs/write_commands.c. */
int sim_write_alloc_mw(struct sim_call *call);
int sim_write_dealloc_mw(struct sim_call *call);

#endif
