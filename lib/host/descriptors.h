/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whether the process can open more files. */
#ifndef LIB_HOST_DESCRIPTORS_H
#define LIB_HOST_DESCRIPTORS_H

#include <stdint.h>

#include "lib/host/root.h"

/** Files that libibverbs has open at once: a class in sysfs, a device in that class, and a file of that device. */
#define MR_LIBIBVERBS_DESCRIPTORS 3

struct mr_descriptors {
	int error;      /**< errno of opening MR_LIBIBVERBS_DESCRIPTORS files, or 0 */
	uint64_t limit; /**< RLIMIT_NOFILE, UINT64_MAX: none */
};

/**
 * mr_descriptors_try() - open as many files as libibverbs does, and close them
 *
 * Of another process its free numbers are counted.
 *
 * Return: 0, or -errno.
 */
int mr_descriptors_try(struct mr_host *host, struct mr_descriptors *descriptors);

#endif
