/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The signals by which a user ends a command: SIGINT, SIGTERM and SIGHUP.  They are blocked and asked
 * for, not handled, so that none comes between a call and what is noted of it.
 */
#ifndef LIB_BASE_SIGNALS_H
#define LIB_BASE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

#include "lib/base/number.h"

/** SIGINT, SIGTERM and SIGHUP. */
#define MR_ENDING_SIGNALS 3
extern const int mr_ending_signals[MR_ENDING_SIGNALS];

/** mr_signals_include_hangup() - whether SIGHUP counts: not where it is ignored, as by nohup(1) */
bool mr_signals_include_hangup(void);

/** mr_signals_block() - from here on these signals wait until they are asked for */
void mr_signals_block(void);

/** mr_interrupted() - whether one of them has come since mr_signals_block() */
bool mr_interrupted(void);

/**
 * mr_signals_wait() - sleep until one of them comes
 * @ns: sleep no longer than that; not known: without end
 */
void mr_signals_wait(struct mr_opt_u64 ns);

/**
 * mr_signals_wait_readable() - sleep until there is something to read from @fd, or one of them comes
 * Return: false for the signal.
 */
bool mr_signals_wait_readable(int fd);

/** mr_signals_ignore() - the command ends: from here on a second one of them does nothing */
void mr_signals_ignore(void);

/**
 * mr_signals_deliver() - let a signal that waits end this process, after all
 * @mask: signals that were blocked before mr_signals_block(); they are again
 *
 * The parent then sees that this process died of it.  A shell stops a loop for that, but goes on with
 * it after any exit status (https://www.cons.org/cracauer/sigint.html).
 *
 * Return: only where none waits, or none can end it (process 1 of a container).
 */
void mr_signals_deliver(const sigset_t *mask);

#endif
