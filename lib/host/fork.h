/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fork protection that the environment asks libibverbs for (ibv_fork_init(3)). */
#ifndef LIB_HOST_FORK_H
#define LIB_HOST_FORK_H

#include <stdbool.h>

#include "lib/host/root.h"

/** What the environment of this process says. */
struct mr_fork {
	/** RDMAV_FORK_SAFE or IBV_FORK_SAFE is set: children do not inherit the pages of regions. */
	bool is_asked;
	bool huge_pages; /**< RDMAV_HUGEPAGES_SAFE is set: the size of pages is looked up, which is slow */
};

/** mr_fork_read() - libibverbs/init.c ibverbs_init() and libibverbs/memory.c ibv_fork_init() read the same */
void mr_fork_read(struct mr_host *host, struct mr_fork *fork);

#endif
