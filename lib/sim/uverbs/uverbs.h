/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares the dispatch of the simulated uverbs. */
#ifndef LIB_SIM_UVERBS_UVERBS_H
#define LIB_SIM_UVERBS_UVERBS_H

#include <rdma/rdma_user_ioctl_cmds.h>

#include "lib/sim/call/call.h"
#include "lib/sim/state/state.h"

/**
 * sim_uverbs_ioctl() - serve the ioctl RDMA_VERBS_IOCTL of a context; no table may be locked
 * @hdr: what the program passed, possibly NULL
 *
 * Return: 0, or -errno.
 */
int sim_uverbs_ioctl(struct sim_table *table, struct ib_uverbs_ioctl_hdr *hdr);

#endif
