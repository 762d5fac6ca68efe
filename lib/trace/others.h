/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Processes of a traced program that have not joined: a child of fork(2) does so when it makes its first call. */
#ifndef LIB_TRACE_OTHERS_H
#define LIB_TRACE_OTHERS_H

#include <sys/types.h>

/**
 * mr_trace_find_other() - find a process that was started with a channel in its environment
 * @channel: name of its socket
 *
 * Return: its pid, or 0 where there is none whose environment this user may read.
 */
pid_t mr_trace_find_other(const char *channel);

#endif
