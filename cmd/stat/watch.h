/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CMD_STAT_WATCH_H
#define CMD_STAT_WATCH_H

#include "cmd/cli/cli.h"

/**
 * stat_watch() - call @run again and again, until a signal comes or nobody reads
 * @interval: between two answers, in nanoseconds, not 0
 *
 * On a terminal each answer takes the place of the one before.  Else an empty line is between them, or they
 * are JSON Lines.  An answer that fails is no end.
 *
 * Return: exit status of the last answer; -errno for an error that each answer would have.
 */
int stat_watch(const struct invocation *invocation, command_run_function *run, uint64_t interval,
	       struct mr_error *err);

#endif
