/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How much memory of the whole machine is pinned, as /proc/vmstat counts it. */
#ifndef LIB_HOST_PINNED_PAGES_H
#define LIB_HOST_PINNED_PAGES_H

#include "lib/base/base.h"
#include "lib/host/root.h"

/**
 * mr_pinned_pages() - bytes that are pinned: nr_foll_pin_acquired less nr_foll_pin_released
 *
 * The kernel counts there each page that pin_user_pages() pins, once for each time, whoever pins it: RDMA, VFIO,
 * io_uring, and direct I/O while it lasts (mm/gup.c).  dma-buf and ODP pin nothing in this way.
 *
 * Return: unknown where the kernel does not count them (before Linux 5.7).
 */
struct mr_opt_u64 mr_pinned_pages(struct mr_host *host);

#endif
