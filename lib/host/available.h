/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How much memory this process could have now: the host's, its control groups', its address space's. */
#ifndef LIB_HOST_AVAILABLE_H
#define LIB_HOST_AVAILABLE_H

#include <stdint.h>

#include "lib/host/root.h"

/** What is available. */
struct mr_available {
	uint64_t bytes; /**< the least that any of these leaves */
	const char *
		by; /**< which that is: "MemAvailable", "memory.max", "memory.high" or "RLIMIT_AS" */
};

/**
 * mr_available_read() - find out how much memory is available
 *
 * It is the least of MemAvailable of /proc/meminfo, of what each control group of this process leaves
 * (mr_memory_group_read()), and of RLIMIT_AS less VmSize.
 *
 * Return: 0, or -errno where /proc/meminfo does not tell.
 */
int mr_available_read(struct mr_host *host, struct mr_available *available);

#endif
