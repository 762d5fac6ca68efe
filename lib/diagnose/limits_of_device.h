/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What libibverbs answers about a device, as facts of a host. */
#ifndef LIB_DIAGNOSE_LIMITS_OF_DEVICE_H
#define LIB_DIAGNOSE_LIMITS_OF_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/host/root.h"

/** Limits of a device. */
struct mr_device_limits {
	uint64_t max_mr_size; /**< bytes */
	bool odp_explicit, odp_implicit;
};

/** mr_device_limits_ask() - open a device and query it.  Return: 0, or -errno. */
int mr_device_limits_ask(struct mr_host *host, const char *device, struct mr_device_limits *limits);

#endif
