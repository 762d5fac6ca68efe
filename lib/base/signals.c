// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <time.h>

#include "lib/base/cleanup.h"
#include "lib/base/clock.h"
#include "lib/base/signals.h"

bool mr_signals_include_hangup(void)
{
	struct sigaction hangup;

	return !sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN;
}

const int mr_ending_signals[MR_ENDING_SIGNALS] = { SIGINT, SIGTERM, SIGHUP };

static void ending_signals(sigset_t *set)
{
	sigemptyset(set);
	for (size_t i = 0; i < MR_ENDING_SIGNALS; i++)
		if (mr_ending_signals[i] != SIGHUP || mr_signals_include_hangup())
			sigaddset(set, mr_ending_signals[i]);
}

void mr_signals_block(void)
{
	sigset_t set;

	ending_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static struct timespec time_left(uint64_t until)
{
	uint64_t now = mr_now_ns(), left = until > now ? until - now : 0;

	return (struct timespec){ .tv_sec = (time_t)(left / 1000000000),
				  .tv_nsec = (long)(left % 1000000000) };
}

void mr_signals_wait(struct mr_opt_u64 ns)
{
	uint64_t end = mr_now_ns() + ns.value;
	sigset_t set;

	ending_signals(&set);
	for (;;) {
		struct timespec timeout = time_left(end);

		if (sigtimedwait(&set, NULL, ns.known ? &timeout : NULL) >= 0)
			return;
		if (errno == EAGAIN) /* the time is over */
			return;
	}
}

bool mr_signals_wait_readable(int fd)
{
	mr_auto_fd int signals = -1;
	struct pollfd fds[2] = { { .fd = fd, .events = POLLIN }, { .events = POLLIN } };
	sigset_t set;

	ending_signals(&set);
	signals = signalfd(-1, &set, SFD_CLOEXEC);
	fds[1].fd = signals; /* -1 on failure: then poll() does not wait, and read() will */
	while (poll(fds, 2, signals < 0 ? 0 : -1) < 0 && errno == EINTR)
		;
	return !fds[1].revents;
}

int mr_signals_wait_until(uint64_t until, const sigset_t *more, int fd)
{
	mr_auto_fd int signals = -1;
	struct signalfd_siginfo info;
	struct timespec timeout;
	struct pollfd fds[2];
	sigset_t set;
	int ready;

	ending_signals(&set);
	if (more)
		sigorset(&set, &set, more);
	signals = signalfd(-1, &set, SFD_CLOEXEC);
	fds[0] = (struct pollfd){ .fd = signals, .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = fd };
	do {
		timeout = time_left(until);
		if (signals >= 0)
			ready = ppoll(fds, 2, &timeout, NULL);
		else
			ready = sigtimedwait(&set, NULL, &timeout);
	} while (ready < 0 && errno == EINTR);
	if (signals < 0)
		return ready < 0 ? 0 : ready;
	if (fds[0].revents && read(signals, &info, sizeof(info)) == sizeof(info))
		return (int)info.ssi_signo;
	return ready > 0 ? -1 : 0;
}

bool mr_interrupted(void)
{
	sigset_t ending, pending;

	/* This runs before each region of a command: mostly one system call is all. */
	if (sigpending(&pending) || sigisemptyset(&pending))
		return false;
	ending_signals(&ending);
	sigandset(&pending, &pending, &ending);
	return !sigisemptyset(&pending);
}

void mr_signals_ignore(void)
{
	sigset_t set;

	ending_signals(&set);
	for (size_t i = 0; i < MR_ENDING_SIGNALS; i++)
		signal(mr_ending_signals[i], SIG_IGN);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

void mr_signals_deliver(const sigset_t *mask)
{
	sigset_t pending;

	if (sigpending(&pending))
		sigemptyset(&pending);
	/* Also a signal that the parent had ignored: it has stopped the work all the same. */
	for (size_t i = 0; i < MR_ENDING_SIGNALS; i++)
		if (sigismember(&pending, mr_ending_signals[i]) > 0 &&
		    !sigismember(mask, mr_ending_signals[i]))
			signal(mr_ending_signals[i], SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
}
