/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_BASE_CLOCK_H
#define LIB_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/** mr_clock_ns() - the time of a clock, in nanoseconds */
static inline uint64_t mr_clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/** mr_now_ns() - monotonic time in nanoseconds */
static inline uint64_t mr_now_ns(void)
{
	return mr_clock_ns(CLOCK_MONOTONIC);
}

/**
 * mr_tick_ns() - monotonic time of the kernel's last timer tick, in nanoseconds
 *
 * It is some milliseconds old, and takes much less time to read than mr_now_ns().
 */
static inline uint64_t mr_tick_ns(void)
{
	return mr_clock_ns(CLOCK_MONOTONIC_COARSE);
}

#endif
