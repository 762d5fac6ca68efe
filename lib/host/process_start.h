/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* When a process was started: a number of a process that ended is given to another one. */
#ifndef LIB_HOST_PROCESS_START_H
#define LIB_HOST_PROCESS_START_H

#include "lib/base/base.h"
#include "lib/host/root.h"

/**
 * mr_process_start() - read when a process was started (field 22 of /proc/PID/stat, proc_pid_stat(5))
 * @process: its number
 *
 * Return: clock ticks since the machine was booted; unknown where the process has ended.
 */
struct mr_opt_u64 mr_process_start(struct mr_host *host, const char *process);

/** mr_process_ticks() - the time now, as mr_process_start() tells it of a process that starts now */
uint64_t mr_process_ticks(void);

#endif
