// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table while other processes lock it, claim entries, use protection domains, write, and are killed. */
#include <sched.h>

#include "lib/session/table/table.h"
#include "tests/unit/lib/session/table/table.h"

/* Nearly the time after which a command gives up waiting. */
#define NEARLY_OVER UINT64_C(9900000000)

/* ---- the lock ---- */

static bool lock_it(void)
{
	return !mr_table_lock(&table, &err);
}

/* Starts a process that holds the lock until it is killed. */
static pid_t lock_elsewhere(void)
{
	mr_table_unlock(&table);
	return start_child(lock_it);
}

TEST(all_waits_of_a_command_share_one_limit_and_the_next_command_has_its_own)
{
	uint64_t waited;
	char number[32];
	pid_t pid = lock_elsewhere();

	table.waited_ns = NEARLY_OVER;
	assert_false(table.gave_up);
	assert_int_equal(mr_table_lock(&table, &err), -ETIMEDOUT);
	assert_true(table.gave_up);
	assert_string_equal(err.text, "the session is locked by another process");
	snprintf(number, sizeof(number), "process %d holds it (", (int)pid);
	assert_contains(err.hint, number);
	waited = table.waited_ns;
	for (int i = 0; i < 1000; i++)
		assert_int_equal(mr_table_lock(&table, &err), -ETIMEDOUT);
	assert_int_equal(table.waited_ns, waited);
	mr_table_begin_command(&table);
	assert_false(table.gave_up);
	end_child(pid);
	/* a lock that was taken restores some of the limit */
	table.waited_ns = NEARLY_OVER;
	assert_int_equal(mr_table_lock(&table, &err), 0);
	assert_true(table.waited_ns < NEARLY_OVER && table.waited_ns > NEARLY_OVER / 2);
	table.waited_ns = 1;
	assert_int_equal(mr_table_lock(&table, &err), 0);
	assert_int_equal(table.waited_ns, 0);
}

/* kill(1) with -1 or 0 signals many processes: a hint must not name those numbers as a process. */
static void assert_names_nobody(void)
{
	assert_null(strstr(err.hint, "kill"));
	assert_null(strpbrk(err.hint, "0123456789"));
	assert_contains(err.hint, "end the session");
}

TEST(a_lock_of_an_open_file_description_is_reported_as_that_of_no_process)
{
	struct flock lock = { .l_type = F_WRLCK, .l_start = 0, .l_len = 0 };
	struct mr_entry entry;
	uint32_t slot = add_live("a", 1, &entry);

	mr_table_unlock(&table);
	assert_int_equal(fcntl(table.fd, F_OFD_SETLK, &lock), 0);
	table.waited_ns = NEARLY_OVER;
	assert_int_equal(mr_table_lock(&table, &err), -ETIMEDOUT);
	assert_string_equal(err.text, "the session is locked");
	assert_names_nobody();
	assert_false(mr_table_claim(&table, slot));
	assert_int_equal(mr_table_fail_claimed(&table, slot, entry.id, errno, &err), -ENOLCK);
	assert_string_equal(err.text, "region 1 is in use by no process");
	assert_names_nobody();
	assert_int_equal(mr_table_lock_pd(&table, 1, true, &err), -EBUSY);
	assert_names_nobody();
}

/* Tries to lock in the first process of a new PID namespace.  Return: 1 if no namespace can be made. */
static int lock_from_another_namespace(void)
{
	pid_t pid;
	int status;

	if (unshare(CLONE_NEWPID) && unshare(CLONE_NEWUSER | CLONE_NEWPID))
		return 1;
	pid = fork();
	if (!pid) {
		table.waited_ns = NEARLY_OVER;
		if (mr_table_lock(&table, &err) != -ETIMEDOUT)
			_exit(2);
		_exit(strstr(err.hint, "another PID namespace") && !strstr(err.hint, "kill") &&
				      !strpbrk(err.hint, "0123456789")
			      ? 0
			      : 3);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status)
									       : 4;
}

TEST(a_lock_of_a_process_in_another_pid_namespace_is_reported_as_that)
{
	int status = in_child(lock_from_another_namespace);

	if (status == 1)
		skip(); /* this machine refuses namespaces */
	assert_int_equal(status, 0);
}

/* ---- claims, protection domains and objects without an entry ---- */

enum { CLAIMED_3 = 1, CLAIMED_4 = 2, CAN_CLAIM_3 = 4, CAN_CLAIM_4 = 8 };

static int look_at_claims(void)
{
	return (mr_table_is_claimed(&table, 3) ? CLAIMED_3 : 0) |
	       (mr_table_is_claimed(&table, 4) ? CLAIMED_4 : 0) |
	       (mr_table_claim(&table, 3) ? CAN_CLAIM_3 : 0) |
	       (mr_table_claim(&table, 4) ? CAN_CLAIM_4 : 0);
}

static int can_claim_both(void)
{
	return mr_table_claim(&table, 3) && mr_table_claim(&table, 4);
}

TEST(a_claim_keeps_other_processes_off_one_entry)
{
	assert_true(mr_table_claim(&table, 3));
	assert_false(mr_table_is_claimed(&table, 3)); /* not by another process */
	assert_int_equal(in_child(look_at_claims), CLAIMED_3 | CAN_CLAIM_4);
	assert_false(mr_table_is_claimed(&table, 4)); /* a claim ends with its process */
	assert_int_equal(in_child(can_claim_both), 0);
	mr_table_unclaim(&table, 3);
	assert_int_equal(in_child(look_at_claims), CAN_CLAIM_3 | CAN_CLAIM_4);
	assert_int_equal(in_child(can_claim_both), 1);
	assert_true(mr_table_claim(&table, 3));
	assert_true(mr_table_claim(&table, 4));
	assert_int_equal(in_child(look_at_claims), CLAIMED_3 | CLAIMED_4);
	mr_table_unclaim(&table, 3);
	assert_int_equal(in_child(look_at_claims), CAN_CLAIM_3 | CLAIMED_4);
}

/* Runs in a child: a new region gets the handle of one that the parent is deregistering. */
static int commit_again(void)
{
	struct mr_entry entry;

	return add_live("new", 7, &entry) == MR_NO_SLOT;
}

TEST(a_claimed_entry_keeps_its_slot_when_its_handle_is_given_out_again)
{
	struct mr_entry entry, got;
	uint32_t slot = add_live("old", 7, &entry);

	assert_true(mr_table_claim(&table, slot));
	mr_table_unlock(&table);
	assert_int_equal(in_child(commit_again), 0);
	assert_true(mr_table_get(&table, slot, &got));
	assert_int_equal(got.id, entry.id);
	assert_int_equal(got.handle, MR_NO_HANDLE);
	assert_int_equal(mr_table_find(&table, MR_BY_NAME, 0, "old"), slot);
	assert_int_equal(mr_table_find(&table, MR_BY_HANDLE, 7, NULL), mr_table_find(&table, MR_BY_NAME, 0, "new"));
	mr_table_remove(&table, slot, entry.id);
	assert_int_equal(mr_table_count(&table), 1);
}

enum { CAN_USE = 1, CAN_CLAIM = 2, OTHERS_MAKE = 4 };

static int look_at_pd(void)
{
	int can = mr_table_lock_pd(&table, 5, false, &err) ? 0 : CAN_USE;

	can |= mr_table_lock_pd(&table, 5, true, &err) ? 0 : CAN_CLAIM;
	return can | (mr_table_others_make_objects(&table) ? OTHERS_MAKE : 0);
}

TEST(a_protection_domain_has_many_users_or_one_claimant)
{
	assert_int_equal(mr_table_lock_pd(&table, 5, false, &err), 0);
	assert_int_equal(in_child(look_at_pd), CAN_USE);
	assert_int_equal(mr_table_lock_pd(&table, 5, true, &err), 0);
	assert_int_equal(in_child(look_at_pd), 0);
	mr_table_unlock_pd(&table, 5);
	assert_int_equal(in_child(look_at_pd), CAN_USE | CAN_CLAIM);
	table.is_private = true; /* locks nothing */
	assert_int_equal(mr_table_lock_pd(&table, 5, true, &err), 0);
	table.is_private = false;
	assert_int_equal(in_child(look_at_pd), CAN_USE | CAN_CLAIM);
}

TEST(others_know_of_objects_without_an_entry_and_of_entries_that_are_pending)
{
	struct mr_entry entry;
	uint32_t slot;

	mr_table_unlock(&table);
	assert_int_equal(mr_table_begin_unnamed(&table, &err), 0);
	assert_false(table.locked);
	assert_int_equal(in_child(look_at_pd), CAN_USE | CAN_CLAIM | OTHERS_MAKE);
	mr_table_end_unnamed(&table);
	assert_int_equal(in_child(look_at_pd), CAN_USE | CAN_CLAIM);
	assert_int_equal(mr_table_lock(&table, &err), 0);
	slot = add("pending", &entry);
	assert_int_equal(in_child(look_at_pd), CAN_USE | CAN_CLAIM); /* its process was killed */
	assert_true(mr_table_claim(&table, slot));
	assert_int_equal(in_child(look_at_pd), CAN_USE | CAN_CLAIM | OTHERS_MAKE);
	assert_false(mr_table_others_make_objects(&table));
	assert_true(mr_table_commit(&table, slot, &entry));
	assert_int_equal(in_child(look_at_pd), CAN_USE | CAN_CLAIM);
}

/* ---- writers ---- */

/* Adds, commits, marks and removes entries until this process is killed. */
static void churn(unsigned int seed)
{
	for (;;) {
		struct mr_entry entry = { .page_shift = 12, .call = MR_REG_MR_RELAXED };
		uint32_t slot, number = (uint32_t)rand_r(&seed) % 400;

		snprintf(entry.name, sizeof(entry.name), "n%u", number);
		if (mr_table_lock(&table, &err))
			_exit(1);
		slot = mr_table_find(&table, MR_BY_NAME, 0, entry.name);
		if (mr_table_get(&table, slot, &entry)) {
			if (number % 3)
				mr_table_mark(&table, slot, entry.id, 1, 1);
			mr_table_set_state(&table, slot, entry.id, MR_ENTRY_IN_DOUBT);
			if (number % 5)
				mr_table_remove(&table, slot, entry.id);
		} else if (!mr_table_add(&table, &entry, &slot, &err)) {
			entry.handle = entry.lkey = entry.rkey = number;
			mr_table_commit(&table, slot, &entry);
		}
		mr_table_unlock(&table);
	}
}

TEST(writers_killed_anywhere_leave_a_sound_table)
{
	for (unsigned int round = 0; round < 300; round++) {
		pid_t pid;
		int status;

		mr_table_close(&table);
		assert_int_equal(open_table(NULL), 0);
		mr_table_unlock(&table);
		fflush(NULL);
		pid = fork();
		assert_true(pid >= 0);
		if (!pid)
			churn(round);
		usleep(round * 7 % 2000); /* kills at another moment each time */
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));
		assert_sound();
	}
}

EACH_TEST(open_table, close_table)
