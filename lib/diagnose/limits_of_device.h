/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What libibverbs answers about a device, as facts of a host. */
#ifndef LIB_DIAGNOSE_LIMITS_OF_DEVICE_H
#define LIB_DIAGNOSE_LIMITS_OF_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/host/reading.h"

/**
 * Pages of a region of rxe since Linux 7.0: it has 16 bytes of each, in one piece of at most 4 MiB
 * (sw/rxe/rxe_mr.c __alloc_mr_page_info(); mm/page_alloc.c, MAX_PAGE_ORDER 10).
 */
#define MR_RXE_PAGES_MAX ((UINT64_C(4) << 20) / 16)

/** Limits of a device. */
struct mr_device_limits {
	uint64_t max_mr_size; /**< bytes; of rxe less than it reports */
	bool odp_explicit, odp_implicit;
};

/** mr_device_limits_ask() - open a device and query it.  Return: 0, or -errno. */
int mr_device_limits_ask(struct mr_host *host, const char *device, struct mr_device_limits *limits);

#endif
