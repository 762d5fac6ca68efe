// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Waiting for a signal or the clock. */
#include <signal.h>
#include <sys/wait.h>

#include "hold.h"
#include "unit.h"

static const struct mr_opt_u64 forever = { 0, false };
static const struct mr_opt_u64 a_moment = { 50000000, true };

/* Each case has a process of its own, since blocked signals stay blocked. */
static int in_child(int (*body)(void))
{
	pid_t pid;
	int status;

	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		alarm(10);
		_exit(body());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int signals_that_came_before(void)
{
	static const int ending[] = { SIGINT, SIGTERM, SIGHUP };

	signal(SIGHUP, SIG_DFL); /* the tests may be run by nohup themselves */
	mr_hold_block();
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++) {
		raise(ending[i]);
		mr_hold(forever);
	}
	return 7;
}

TEST(each_ending_signal_ends_it_even_one_that_came_before)
{
	assert_int_equal(in_child(signals_that_came_before), 7);
}

static int time_that_passes(void)
{
	mr_hold_block();
	mr_hold((struct mr_opt_u64){ 0, true });
	mr_hold(a_moment);
	return 7;
}

TEST(time_ends_it)
{
	assert_int_equal(in_child(time_that_passes), 7);
}

static int other_signal(void)
{
	mr_hold_block();
	raise(SIGUSR1);
	return 7;
}

TEST(other_signals_do_what_they_always_do)
{
	assert_int_equal(in_child(other_signal), 128 + SIGUSR1);
}

static int ignored_hangup(void)
{
	sigset_t pending;

	signal(SIGHUP, SIG_IGN);
	mr_hold_block();
	raise(SIGHUP);
	sigpending(&pending);
	return sigismember(&pending, SIGHUP) ? 1 : 7;
}

TEST(nohup_keeps_it_alive)
{
	assert_int_equal(in_child(ignored_hangup), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_ending_signal_ends_it_even_one_that_came_before),
		cmocka_unit_test(time_ends_it),
		cmocka_unit_test(other_signals_do_what_they_always_do),
		cmocka_unit_test(nohup_keeps_it_alive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
