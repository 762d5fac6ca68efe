// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Blocking signals, and waiting for one or for a time. */
#include "lib/base/base.h"
#include "tests/unit/unit.h"

#define SECOND UINT64_C(1000000000)

static const uint64_t a_moment = SECOND / 20;
static const uint64_t an_hour = 3600 * SECOND;

/* The cases run in processes of their own, because blocked signals stay blocked. */

static int signals_that_came_before(void)
{
	signal(SIGHUP, SIG_DFL); /* the tests may be run by nohup, which ignores it */
	mr_signals_block();
	if (mr_interrupted())
		return 1;
	for (size_t i = 0; i < MR_ENDING_SIGNALS; i++) {
		raise(mr_ending_signals[i]);
		if (!mr_interrupted())
			return 2;
		mr_signals_wait_until(i % 2 ? mr_now_ns() + an_hour : UINT64_MAX, NULL, -1);
		if (mr_interrupted())
			return 3;
	}
	return 7;
}

static int other_signal(void)
{
	mr_signals_block();
	raise(SIGUSR1);
	return 7;
}

static int ignored_hangup(void)
{
	sigset_t pending;

	signal(SIGHUP, SIG_IGN);
	mr_signals_block();
	raise(SIGHUP);
	sigpending(&pending);
	return sigismember(&pending, SIGHUP) ? 1 : 7;
}

TEST(ending_signals_or_the_time_end_the_wait)
{
	assert_int_equal(in_child(signals_that_came_before), 7);
	assert_int_equal(in_child(other_signal), 128 + SIGUSR1);
	assert_int_equal(in_child(ignored_hangup), 7);
}

/* Does what main() does.  Return: 7, where the process goes on. */
static int end_after(void (*handler)(int), void (*body)(void))
{
	sigset_t mask;

	sigprocmask(SIG_SETMASK, NULL, &mask);
	signal(SIGINT, handler);
	mr_signals_block();
	body();
	mr_signals_deliver(&mask);
	return 7;
}

static void interrupt(void)
{
	raise(SIGINT);
}

static int interrupted_in_the_background(void)
{
	return end_after(SIG_IGN, interrupt);
}

static int blocked_by_the_parent(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return end_after(SIG_DFL, interrupt);
}

TEST(a_blocked_signal_ends_the_process_at_its_end)
{
	assert_int_equal(in_child(interrupted_in_the_background), 128 + SIGINT);
	assert_int_equal(in_child(blocked_by_the_parent), 7);
}

/* Asks mr_signals_wait_until() about a time that is over, signals, and a pipe without reader. */
static int waits_until(void)
{
	const uint64_t now = mr_now_ns(), later = now + an_hour;
	int fds[2];
	sigset_t more;

	sigemptyset(&more);
	sigaddset(&more, SIGWINCH);
	sigprocmask(SIG_BLOCK, &more, NULL);
	mr_signals_block();
	if (pipe(fds) || mr_signals_wait_until(now, NULL, fds[1]))
		return 1;
	if (mr_signals_wait_until(now + a_moment, NULL, fds[1]) ||
	    mr_now_ns() < now + a_moment)
		return 2;
	raise(SIGWINCH); /* which is ignored by default, but not where it is blocked */
	if (mr_signals_wait_until(now, NULL, fds[1]) ||
	    mr_signals_wait_until(later, &more, fds[1]) != SIGWINCH)
		return 3;
	raise(SIGTERM);
	if (mr_signals_wait_until(later, &more, fds[1]) != SIGTERM || mr_interrupted())
		return 4;
	close(fds[0]);
	return mr_signals_wait_until(later, &more, fds[1]) == -1 ? 7 : 5;
}

TEST(waiting_ends_with_time_signals_or_the_reader)
{
	assert_int_equal(in_child(waits_until), 7);
}
