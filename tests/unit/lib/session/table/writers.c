// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Many processes that write to one table at once, and are killed meanwhile. */
#include <signal.h>
#include <sys/wait.h>

#include "lib/session/table/entries.h"
#include "lib/session/table/file.h"
#include "lib/session/table/index.h"
#include "lib/session/table/lock.h"
#include "lib/session/table/marks.h"
#include "tests/unit/lib/session/table/table.h"
#include "tests/unit/unit.h"

enum { WRITERS = 4, TIMES = 500, STAY = 100 };

/* Add, commit and remove entries under the lock, as commands do, and leave some.  Return: 0, or 1 on failure. */
static int write_entries(struct mr_table *table)
{
	for (uint32_t i = 0; i < TIMES; i++) {
		struct mr_entry entry = { .length = (uint64_t)getpid() };
		uint32_t slot;

		if (mr_table_lock(table, &err) || mr_table_add(table, &entry, &slot, &err))
			return 1;
		mr_table_unlock(table);
		if (mr_table_lock(table, &err))
			return 1;
		entry.handle = (uint32_t)entry.id;
		entry.lkey = entry.rkey = (uint32_t)entry.id + 7;
		mr_table_commit(table, slot, &entry);
		mr_table_unlock(table);
		if (i < STAY)
			continue;
		if (mr_table_lock(table, &err) ||
		    mr_table_find(table, MR_BY_HANDLE, (uint32_t)entry.id) != slot)
			return 1;
		mr_table_remove(table, slot, entry.id);
		mr_table_unlock(table);
	}
	return 0;
}

TEST(many_writers_at_once_lose_no_entry)
{
	struct mr_table table;
	pid_t pids[WRITERS];

	assert_int_equal(mr_table_create(&facts, &table, &err), 0);
	fflush(NULL);
	for (int i = 0; i < WRITERS; i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (!pids[i])
			_exit(write_entries(&table));
	}
	for (int i = 0; i < WRITERS; i++) {
		int status;

		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	assert_int_equal(mr_table_lock(&table, &err), 0);
	assert_int_equal(mr_table_count(&table), WRITERS * STAY);
	assert_sound(&table);
	mr_table_close(&table);
}

/* Add, commit, mark and remove entries until this process is killed. */
static void churn(struct mr_table *table, unsigned int seed)
{
	for (;;) {
		struct mr_entry entry = { .page_shift = 12, .call = MR_REG_MR_RELAXED };
		uint32_t slot, number = (uint32_t)rand_r(&seed) % 400;

		snprintf(entry.name, sizeof(entry.name), "n%u", number);
		if (mr_table_lock(table, &err))
			_exit(1);
		slot = mr_table_find_name(table, entry.name);
		if (mr_table_get(table, slot, &entry)) {
			if (number % 3)
				mr_table_mark(table, slot, entry.id, 1, 1);
			mr_table_set_state(table, slot, entry.id, MR_ENTRY_IN_DOUBT);
			if (number % 5)
				mr_table_remove(table, slot, entry.id);
		} else if (!mr_table_add(table, &entry, &slot, &err)) {
			entry.handle = entry.lkey = entry.rkey = number;
			mr_table_commit(table, slot, &entry);
		}
		mr_table_unlock(table);
	}
}

TEST(writers_killed_anywhere_leave_a_sound_table)
{
	for (unsigned int round = 0; round < 300; round++) {
		struct mr_table table;
		pid_t pid;
		int status;

		assert_int_equal(mr_table_create(&facts, &table, &err), 0);
		fflush(NULL);
		pid = fork();
		assert_true(pid >= 0);
		if (!pid)
			churn(&table, round);
		usleep(round * 7 % 2000);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));
		assert_sound(&table);
		mr_table_close(&table);
	}
}
