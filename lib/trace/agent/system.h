/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * System calls of the agent: by syscall(2), as functions of libc are cancellation points, which the call of the
 * program is not, and as others may have put theirs in the place of libc's.  They return -errno, and leave errno.
 */
#ifndef LIB_TRACE_AGENT_SYSTEM_H
#define LIB_TRACE_AGENT_SYSTEM_H

#include <errno.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/** system_result() - what a syscall(2) has returned, as -errno, with errno as it was */
static inline long system_result(long result, int saved)
{
	if (result < 0)
		result = -errno;
	errno = saved;
	return result;
}

/** SYSTEM() - a system call: its number, and its arguments */
#define SYSTEM(...)                                                                                \
	({                                                                                         \
		int saved_ = errno;                                                                \
		system_result(syscall(__VA_ARGS__), saved_);                                       \
	})

/** system_now() - CLOCK_MONOTONIC in ns */
static inline uint64_t system_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/** system_pause() - wait for 100 us, or less where a signal comes.  A filter allows futex(2) to who has threads. */
static inline void system_pause(void)
{
	struct timespec pause = { .tv_nsec = 100000 };
	uint32_t word = 0;

	SYSTEM(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &pause, NULL, 0);
}

#endif
