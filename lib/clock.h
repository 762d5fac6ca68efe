/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef MR_CLOCK_H
#define MR_CLOCK_H

#include <stdint.h>
#include <time.h>

/** mr_now_ns() - monotonic time in nanoseconds */
static inline uint64_t mr_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

#endif
