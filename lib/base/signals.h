/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The signals by which a user ends a command: SIGINT, SIGTERM and SIGHUP.  A command that registers blocks
 * them, and checks whether one is pending.  So none can end the process between a call that registers and
 * the entry in the session that records its result.
 */
#ifndef LIB_BASE_SIGNALS_H
#define LIB_BASE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

#include "lib/base/number.h"

/** These signals, and how many they are. */
#define MR_ENDING_SIGNALS 3
extern const int mr_ending_signals[MR_ENDING_SIGNALS];

/** mr_signals_include_hangup() - whether SIGHUP ends commands: not where it is ignored, as by nohup(1) */
bool mr_signals_include_hangup(void);

/** mr_signals_block() - block these signals: from here on they stay pending */
void mr_signals_block(void);

/** mr_interrupted() - whether one of them is pending since mr_signals_block() */
bool mr_interrupted(void);

/**
 * mr_signals_wait() - sleep until one of them comes
 * @ns: the longest time to sleep, in nanoseconds; not known: for ever
 */
void mr_signals_wait(struct mr_opt_u64 ns);

/**
 * mr_signals_wait_readable() - sleep until there is something to read from @fd, or one of them comes
 * Return: false where a signal came.
 */
bool mr_signals_wait_readable(int fd);

/**
 * mr_signals_wait_until() - sleep until one of them or of @more comes, or nobody can read from @fd any more
 * @until: the end of the sleep, as mr_now_ns() counts
 * @more:  further signals, which are blocked; or NULL
 *
 * Return: the signal, which is not pending any more; 0 where the time is over; -1 where nobody reads.
 */
int mr_signals_wait_until(uint64_t until, const sigset_t *more, int fd);

/** mr_signals_ignore() - ignore these signals: the command is ending, and a second one must not disturb that */
void mr_signals_ignore(void);

/**
 * mr_signals_deliver() - let a pending signal end this process
 * @mask: the signal mask of before mr_signals_block(), which is restored
 *
 * The parent then sees that the signal ended this process.  A shell stops a loop because of that, but
 * goes on with it after any exit status (https://www.cons.org/cracauer/sigint.html).
 *
 * It returns only where no signal is pending, or none can end the process (process 1 of a container).
 */
void mr_signals_deliver(const sigset_t *mask);

#endif
