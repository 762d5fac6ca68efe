/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Waiting for the user or the clock to end something. */
#ifndef LIB_BASE_SIGNALS_H
#define LIB_BASE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

#include "lib/base/number.h"

/** The signals that end something: SIGINT, SIGTERM and SIGHUP. */
#define MR_HOLD_SIGNALS 3
extern const int mr_hold_signals[MR_HOLD_SIGNALS];

/** mr_hold_block() - from here on SIGINT, SIGTERM and SIGHUP wait for mr_hold() */
void mr_hold_block(void);

/**
 * mr_hold() - sleep until SIGINT, SIGTERM or SIGHUP comes
 * @ns: or until so much time has passed; not known: without end
 */
void mr_hold(struct mr_opt_u64 ns);

/** mr_hold_hears_hangup() - whether SIGHUP ends it, too: not where it is ignored, as by nohup(1) */
bool mr_hold_hears_hangup(void);

/**
 * mr_hold_readable() - sleep until there is something to read, or one of these signals comes
 * Return: false for the signal.
 */
bool mr_hold_readable(int fd);

/** mr_interrupted() - whether one of these signals has come since mr_hold_block() */
bool mr_interrupted(void);

/** mr_hold_ignore() - the end has come: from here on these signals do nothing, if one comes twice */
void mr_hold_ignore(void);

/**
 * mr_hold_end() - let a signal that waits end this process, after all
 * @mask: signals that were blocked before mr_hold_block(); they are again
 *
 * The parent then sees that this process died of it: a shell goes on with a loop after any status
 * (https://www.cons.org/cracauer/sigint.html), but not after that.
 *
 * Return: only where none waits, or none can end it (process 1 of a container).
 */
void mr_hold_end(const sigset_t *mask);

#endif
