// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Claims, by which a process keeps an entry for itself. */
#include <sys/wait.h>

#include "lib/session/table/claims.h"
#include "lib/session/table/entries.h"
#include "lib/session/table/file.h"
#include "lib/session/table/index.h"
#include "tests/unit/lib/session/table/table.h"
#include "tests/unit/unit.h"

/* Run @body in a process of its own.  Return: its exit status. */
static int in_child(int (*body)(struct mr_table *table), struct mr_table *table)
{
	pid_t pid;
	int status;

	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		alarm(60);
		_exit(body(table));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int is_claimed(struct mr_table *table)
{
	return mr_table_is_claimed(table, 3) + 2 * mr_table_is_claimed(table, 4);
}

static int can_claim(struct mr_table *table)
{
	return mr_table_claim(table, 3) + 2 * mr_table_claim(table, 4);
}

TEST(a_claim_keeps_other_processes_off_one_entry)
{
	struct mr_table table;

	open_new(&table);
	assert_true(mr_table_claim(&table, 3));
	assert_false(mr_table_is_claimed(&table, 3)); /* not by another process */
	assert_int_equal(in_child(is_claimed, &table), 1);
	assert_int_equal(in_child(can_claim, &table), 2);
	assert_false(
		mr_table_is_claimed(&table, 4)); /* the child has ended, and so has its claim */
	mr_table_unclaim(&table, 3);
	assert_int_equal(in_child(can_claim, &table), 3);
	mr_table_close(&table);
}

/* Runs in a child: a new region gets the handle of one that the parent is deregistering. */
static int commit_again(struct mr_table *table)
{
	struct mr_entry entry;

	return add_live(table, "new", 7, &entry) == MR_NO_SLOT;
}

TEST(a_claimed_entry_keeps_its_slot_when_its_handle_is_given_out_again)
{
	struct mr_table table;
	struct mr_entry entry, got;
	uint32_t slot;

	open_new(&table);
	slot = add_live(&table, "old", 7, &entry);
	assert_true(mr_table_claim(&table, slot));
	assert_int_equal(in_child(commit_again, &table), 0);
	assert_true(mr_table_get(&table, slot, &got));
	assert_int_equal(got.id, entry.id);
	assert_int_equal(got.handle, MR_NO_HANDLE);
	assert_int_equal(mr_table_find_name(&table, "old"), slot);
	assert_int_equal(mr_table_find(&table, MR_BY_HANDLE, 7), mr_table_find_name(&table, "new"));
	mr_table_remove(&table, slot, entry.id);
	assert_int_equal(mr_table_count(&table), 1);
	mr_table_close(&table);
}
