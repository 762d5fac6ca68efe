/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The limits of a process, getrlimit(2), as /proc/PID/limits has them. */
#ifndef LIB_HOST_RLIMIT_H
#define LIB_HOST_RLIMIT_H

#include <stdint.h>

#include "lib/host/root.h"

/** In the unit of the limit; UINT64_MAX: unlimited. */
struct mr_rlimit {
	uint64_t soft; /**< the one that counts */
	uint64_t hard; /**< up to which the process may raise the other */
};

/**
 * mr_rlimit_read() - read a limit of a process
 * @process: its number, or "self"
 * @name:    of the line: "Max locked memory" (fs/proc/base.c lnames)
 * @limit:   set; to 0 where it cannot be read
 *
 * Return: 0, or -errno; -EINVAL where the file does not have it.
 */
int mr_rlimit_read(struct mr_host *host, const char *process, const char *name,
		   struct mr_rlimit *limit);

#endif
