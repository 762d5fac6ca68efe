/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_DIAGNOSE_COPY_ON_FORK_H
#define LIB_DIAGNOSE_COPY_ON_FORK_H

#include "lib/base/base.h"
#include "lib/host/reading.h"

/**
 * mr_copies_on_fork() - whether fork(2) copies pinned pages for the child (RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK)
 *
 * Fork protection of libibverbs does nothing then.  Kernels that do not tell do not copy all pages.
 */
enum mr_tristate mr_copies_on_fork(struct mr_host *host);

#endif
