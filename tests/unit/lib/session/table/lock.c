// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The lock of the table, while another process has it. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "lib/session/table/claims.h"
#include "lib/session/table/file.h"
#include "lib/session/table/lock.h"
#include "tests/unit/lib/session/table/table.h"
#include "tests/unit/unit.h"

/* Nearly the time after which a command gives up waiting. */
#define NEARLY_OVER UINT64_C(9900000000)

/* Start a process that holds the lock until @pipe_fd is closed. */
static pid_t lock_elsewhere(const struct mr_table *table, int *pipe_fd)
{
	struct mr_table other = *table;
	int ready[2], end[2];
	pid_t pid;
	char byte;

	assert_int_equal(pipe(ready) | pipe(end), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(end[1]);
		if (mr_table_lock(&other, &err) || write(ready[1], "", 1) != 1)
			_exit(1);
		_exit((int)read(end[0], &byte, 1));
	}
	close(ready[1]);
	close(end[0]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	*pipe_fd = end[1];
	return pid;
}

static void end_elsewhere(pid_t pid, int pipe_fd)
{
	close(pipe_fd);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

TEST(all_waits_of_a_command_share_one_limit_and_the_next_command_has_its_own)
{
	struct mr_table table;
	uint64_t waited;
	char number[32];
	pid_t pid;
	int fd;

	open_new(&table);
	mr_table_unlock(&table);
	pid = lock_elsewhere(&table, &fd);
	table.waited_ns = NEARLY_OVER;
	assert_false(mr_table_gave_up(&table));
	assert_int_equal(mr_table_lock(&table, &err), -ETIMEDOUT);
	assert_true(mr_table_gave_up(&table));
	assert_string_equal(err.text, "the session is locked by another process");
	snprintf(number, sizeof(number), "process %d holds it (", (int)pid);
	assert_contains(err.hint, number);
	waited = table.waited_ns;
	for (int i = 0; i < 1000; i++)
		assert_int_equal(mr_table_lock(&table, &err), -ETIMEDOUT);
	assert_int_equal(table.waited_ns, waited);
	mr_table_begin_command(&table);
	assert_false(mr_table_gave_up(&table));
	end_elsewhere(pid, fd);
	assert_int_equal(mr_table_lock(&table, &err), 0);
	mr_table_close(&table);
}

TEST(a_lock_that_was_taken_restores_some_of_the_limit)
{
	struct mr_table table;

	open_new(&table);
	mr_table_unlock(&table);
	table.waited_ns = NEARLY_OVER;
	assert_int_equal(mr_table_lock(&table, &err), 0);
	assert_true(table.waited_ns < NEARLY_OVER && table.waited_ns > NEARLY_OVER / 2);
	table.waited_ns = 1;
	assert_int_equal(mr_table_lock(&table, &err), 0);
	assert_int_equal(table.waited_ns, 0);
	mr_table_close(&table);
}

TEST(a_signal_that_is_blocked_ends_the_wait_for_the_lock)
{
	const struct timespec none = { 0 };
	struct mr_table table;
	sigset_t before, term;
	pid_t pid;
	int fd;

	open_new(&table);
	mr_table_unlock(&table);
	pid = lock_elsewhere(&table, &fd);
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, &before);
	kill(getpid(), SIGTERM);
	assert_int_equal(mr_table_lock(&table, &err), -EINTR);
	assert_string_equal(err.text, "interrupted: the session is locked by another process");
	assert_int_equal(sigtimedwait(&term, NULL, &none), SIGTERM);
	sigprocmask(SIG_SETMASK, &before, NULL);
	end_elsewhere(pid, fd);
	mr_table_close(&table);
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
	struct mr_table table;
	struct mr_entry entry;
	uint32_t slot;

	open_new(&table);
	slot = add_live(&table, "a", 1, &entry);
	mr_table_unlock(&table);
	assert_int_equal(fcntl(table.fd, F_OFD_SETLK, &lock), 0);
	table.waited_ns = NEARLY_OVER;
	assert_int_equal(mr_table_lock(&table, &err), -ETIMEDOUT);
	assert_string_equal(err.text, "the session is locked");
	assert_names_nobody();
	assert_false(mr_table_claim(&table, slot));
	assert_int_equal(mr_table_fail_claimed(&table, slot, entry.id, errno, &err), -ENOLCK);
	assert_string_equal(err.text, "region 1 is in the hands of no process");
	assert_names_nobody();
	mr_table_close(&table);
}

/* Try to lock in the first process of a new PID namespace.  Return: 1 if no namespace can be made. */
static int lock_from_another_namespace(struct mr_table *table)
{
	pid_t pid;
	int status;

	if (unshare(CLONE_NEWPID) && unshare(CLONE_NEWUSER | CLONE_NEWPID))
		return 1;
	pid = fork();
	if (!pid) {
		table->waited_ns = NEARLY_OVER;
		if (mr_table_lock(table, &err) != -ETIMEDOUT)
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
	struct mr_table table;
	int status;
	pid_t pid;

	open_new(&table);
	pid = fork();
	if (!pid)
		_exit(lock_from_another_namespace(&table));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	mr_table_close(&table);
	if (WEXITSTATUS(status) == 1)
		skip(); /* this machine refuses namespaces */
	assert_int_equal(WEXITSTATUS(status), 0);
}
