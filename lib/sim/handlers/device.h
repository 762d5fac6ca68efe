/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_HANDLERS_DEVICE_H
#define LIB_SIM_HANDLERS_DEVICE_H

#include "lib/sim/call/attrs.h"

/* Methods of the ioctl: as handle() of struct sim_method. */
int sim_get_context(struct sim_call *call);
int sim_query_context(struct sim_call *call);
int sim_info_handles(struct sim_call *call);
int sim_query_port(struct sim_call *call);
int sim_query_gid_table(struct sim_call *call);
int sim_query_gid_entry(struct sim_call *call);

/* Write commands: as run() in uverbs/write_commands.c. */
int sim_write_query_device(struct sim_call *call);
int sim_write_query_device_ex(struct sim_call *call);

#endif
