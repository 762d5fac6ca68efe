// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The lock of an object table: who is refused, and what a process leaves that is killed with it. */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "tests/unit/lib/sim/state/object_table.h"

TEST(a_table_that_was_written_over_is_refused)
{
	struct sim_table *table = *state;
	struct sim_header *header = table->header;
	const uint64_t guard = header->guard;

	sim_table_unlock(table);
	header->guard = 0x6d656d6f7279;
	assert_int_equal(sim_table_lock(table), -EIO);
	header->guard = guard;
	header->magic[3]++;
	assert_int_equal(sim_table_lock(table), -EIO);
	header->magic[3]--;
	assert_int_equal(sim_table_lock(table), 0);
}

static void churn(struct sim_table *table)
{
	uint32_t pd = 0, mr[100];
	size_t i;

	sim_table_unlock(table);
	for (;;) {
		for (i = 0; i < ARRAY_SIZE(mr); i++) {
			if (sim_table_lock(table))
				return;
			mr[i] = add(table, MR, pd);
			sim_table_unlock(table);
		}
		for (i = 0; i < ARRAY_SIZE(mr); i++) {
			if (sim_table_lock(table))
				return;
			sim_object_delete(table, mr[i]);
			sim_table_unlock(table);
		}
	}
}

TEST(a_kill_at_any_moment_leaves_a_table_that_works)
{
	struct sim_table *table = *state;
	uint32_t pd = add(table, PD, SIM_NO_HANDLE);
	pid_t pid;
	int i;

	for (i = 0; i < 200; i++) {
		sim_table_unlock(table);
		pid = fork();
		if (!pid) {
			if (!sim_table_lock(table))
				churn(table);
			_exit(1);
		}
		usleep((useconds_t)(i * 13 % 700));
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		assert_int_equal(sim_table_lock(table), 0);
		assert_consistent(table, pd);
	}
}

EACH_TEST(open_table, close_table)
