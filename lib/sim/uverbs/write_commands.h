/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_UVERBS_WRITE_COMMANDS_H
#define LIB_SIM_UVERBS_WRITE_COMMANDS_H

#include <rdma/rdma_user_ioctl_cmds.h>

#include "lib/sim/call/attrs.h"

/** sim_invoke_write() - the ioctl method INVOKE_WRITE, which carries a write command out: 0, or -errno */
int sim_invoke_write(struct sim_call *call);

/** sim_invoke_write_call() - the name for faults of an INVOKE_WRITE's command; MR_SIM_CALLS: none */
enum mr_sim_call sim_invoke_write_call(const struct ib_uverbs_ioctl_hdr *hdr);

#endif
