// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <signal.h>

#include "clock.h"
#include "hold.h"

/* SIGHUP only where it is not ignored: nohup(1) keeps a hold alive. */
static void ending_signals(sigset_t *set)
{
	struct sigaction hangup;

	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN)
		sigaddset(set, SIGHUP);
}

void mr_hold_block(void)
{
	sigset_t set;

	ending_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

void mr_hold(struct mr_opt_u64 ns)
{
	uint64_t end = mr_now_ns() + ns.value;
	sigset_t set;

	ending_signals(&set);
	for (;;) {
		uint64_t now = mr_now_ns(), left = end > now ? end - now : 0;
		struct timespec timeout = { .tv_sec = (time_t)(left / 1000000000),
					    .tv_nsec = (long)(left % 1000000000) };

		if (sigtimedwait(&set, NULL, ns.known ? &timeout : NULL) >= 0)
			return;
		if (errno == EAGAIN) /* the time has passed */
			return;
	}
}

bool mr_interrupted(void)
{
	sigset_t ending, pending;

	ending_signals(&ending);
	sigpending(&pending);
	sigandset(&pending, &pending, &ending);
	return !sigisemptyset(&pending);
}
