// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The session table: what it keeps, how it is found again, and what others may do to it. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "lib/session/table/claims.h"
#include "lib/session/table/entries.h"
#include "lib/session/table/file.h"
#include "lib/session/table/index.h"
#include "lib/session/table/lock.h"
#include "lib/session/table/marks.h"
#include "lib/session/table/pds.h"
#include "lib/session/table/pool.h"
#include "tests/unit/unit.h"

static const struct mr_table_device facts = { .name = "mlx5_0",
					      .provider = "mlx5",
					      .driver_id = 1 };

static struct mr_error err;

static void open_new(struct mr_table *table)
{
	assert_int_equal(mr_table_create(&facts, table, &err), 0);
	assert_int_equal(mr_table_lock(table, &err), 0);
}

/* The same table as another command has it. */
static void open_again(const struct mr_table *table, struct mr_table *other)
{
	assert_int_equal(mr_table_open(dup(table->fd), other, &err), 0);
}

static uint32_t add(struct mr_table *table, const char *name, struct mr_entry *entry)
{
	uint32_t slot;

	*entry = (struct mr_entry){ .page_shift = 12 };
	snprintf(entry->name, sizeof(entry->name), "%s", name);
	assert_int_equal(mr_table_add(table, entry, &slot, &err), 0);
	return slot;
}

static uint32_t add_live(struct mr_table *table, const char *name, uint32_t handle,
			 struct mr_entry *entry)
{
	uint32_t slot = add(table, name, entry);

	entry->handle = handle;
	entry->lkey = 0x1000 + handle;
	entry->rkey = 0x800000 + handle;
	assert_true(mr_table_commit(table, slot, entry));
	return slot;
}

/* ---- the lock in others' hands ---- */

/* Nearly all that a command may wait. */
#define NEARLY_OVER UINT64_C(9900000000)

/* A process that has the lock, until its end of the pipe is closed. */
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

TEST(all_waits_of_a_command_together_have_an_end_and_the_next_command_waits_anew)
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

TEST(a_lock_that_is_had_gives_back_some_of_what_may_be_waited)
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

/* kill(1) with -1 or 0 signals many: those numbers must never be taken for a process's. */
static void assert_names_nobody(void)
{
	assert_null(strstr(err.hint, "kill"));
	assert_null(strpbrk(err.hint, "0123456789"));
	assert_contains(err.hint, "end the session");
}

TEST(a_lock_of_an_open_file_is_said_to_be_no_process_s)
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

/* In a process that is the first of a new PID namespace: 1 if there can be none here. */
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

TEST(a_lock_of_a_process_that_has_no_number_here_is_said_to_be_elsewhere)
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
		skip(); /* namespaces are refused here */
	assert_int_equal(WEXITSTATUS(status), 0);
}

TEST(a_new_table_is_empty_sealed_and_knows_its_device)
{
	struct mr_table_device device;
	struct mr_table table;

	open_new(&table);
	assert_int_equal(mr_table_count(&table), 0);
	assert_int_equal(fcntl(table.fd, F_GET_SEALS) & (F_SEAL_SHRINK | F_SEAL_SEAL),
			 F_SEAL_SHRINK | F_SEAL_SEAL);
	assert_int_equal(ftruncate(table.fd, 0), -1);
	assert_int_equal(fcntl(table.fd, F_GETFD), FD_CLOEXEC);
	mr_table_device(&table, &device);
	assert_string_equal(device.name, "mlx5_0");
	assert_string_equal(device.provider, "mlx5");
	assert_int_equal(device.driver_id, 1);
	for (uint32_t slot = 0; slot < table.capacity; slot++)
		assert_false(mr_table_is_used(&table, slot));
	mr_table_close(&table);
}

TEST(a_pending_entry_is_found_by_id_and_name_only)
{
	struct mr_table table;
	struct mr_entry entry;
	uint32_t slot;

	open_new(&table);
	slot = add(&table, "buf0", &entry);
	assert_int_equal(mr_table_find(&table, MR_BY_ID, entry.id), slot);
	assert_int_equal(mr_table_find_name(&table, "buf0"), slot);
	assert_int_equal(mr_table_find(&table, MR_BY_HANDLE, 0), MR_NO_SLOT);
	assert_int_equal(mr_table_find(&table, MR_BY_LKEY, 0), MR_NO_SLOT);
	assert_int_equal(mr_table_find(&table, MR_BY_RKEY, 0), MR_NO_SLOT);
	assert_true(mr_table_get(&table, slot, &entry));
	assert_int_equal(entry.state, MR_ENTRY_PENDING);
	mr_table_close(&table);
}

TEST(a_live_entry_is_found_by_all_that_names_it)
{
	struct mr_table table;
	struct mr_entry entry, got;
	uint32_t slot;

	open_new(&table);
	slot = add_live(&table, "buf0", 0, &entry); /* 0 is a handle like any other */
	add_live(&table, "buf1", 1, &got);
	assert_int_equal(mr_table_find(&table, MR_BY_ID, entry.id), slot);
	assert_int_equal(mr_table_find_name(&table, "buf0"), slot);
	assert_int_equal(mr_table_find(&table, MR_BY_HANDLE, 0), slot);
	assert_int_equal(mr_table_find(&table, MR_BY_LKEY, entry.lkey), slot);
	assert_int_equal(mr_table_find(&table, MR_BY_RKEY, entry.rkey), slot);
	assert_int_equal(mr_table_find(&table, MR_BY_RKEY, entry.lkey), MR_NO_SLOT);
	assert_int_equal(mr_table_find_name(&table, "buf"), MR_NO_SLOT);
	assert_true(mr_table_get(&table, slot, &got));
	assert_int_equal(got.state, MR_ENTRY_LIVE);
	assert_int_equal(mr_entry_page_size(&got), 4096);
	assert_int_equal(mr_table_count(&table), 2);
	mr_table_close(&table);
}

TEST(a_page_size_is_kept_in_one_byte)
{
	struct mr_entry entry = { 0 };

	assert_int_equal(mr_entry_page_size(&entry), 0);
	for (unsigned int shift = 1; shift < 64; shift++) {
		entry.page_shift = mr_page_shift(UINT64_C(1) << shift);
		assert_int_equal(mr_entry_page_size(&entry), UINT64_C(1) << shift);
	}
	assert_int_equal(mr_page_shift(0), 0);
	assert_int_equal(mr_page_shift(4095), 0);
	for (unsigned int shift = 64; shift <= UINT8_MAX; shift++) {
		entry.page_shift = (uint8_t)shift; /* as another holder could write it */
		assert_int_equal(mr_entry_page_size(&entry), 0);
	}
}

TEST(an_rkey_of_zero_names_no_entry)
{
	struct mr_table table;
	struct mr_entry entry;
	uint32_t slot;

	open_new(&table);
	slot = add_live(&table, "a", 1, &entry);
	entry.rkey = 0;
	assert_true(mr_table_commit(&table, slot, &entry));
	assert_int_equal(mr_table_find(&table, MR_BY_RKEY, 0), MR_NO_SLOT);
	assert_int_equal(mr_table_find(&table, MR_BY_LKEY, entry.lkey), slot);
	mr_table_close(&table);
}

TEST(a_umem_has_no_keys_to_be_found_by)
{
	struct mr_entry entry = { .call = MR_UMEM_REG_EX, .name = "q" }, got;
	struct mr_table table;
	uint32_t slot, mr;

	open_new(&table);
	assert_int_equal(mr_table_add(&table, &entry, &slot, &err), 0);
	entry.handle = 7;
	entry.umem_id = 0x1001;
	entry.page_sizes = 4096;
	assert_true(mr_table_commit(&table, slot, &entry));
	assert_int_equal(mr_table_find(&table, MR_BY_LKEY, 0x1001), MR_NO_SLOT);
	assert_int_equal(mr_table_find(&table, MR_BY_RKEY, 0), MR_NO_SLOT);
	assert_int_equal(mr_table_find(&table, MR_BY_HANDLE, 7), slot);
	assert_int_equal(mr_table_find_name(&table, "q"), slot);
	mr = add_live(&table, "mr", 1, &got); /* its lkey is the umem's id */
	assert_int_equal(mr_table_find(&table, MR_BY_LKEY, 0x1001), mr);
	mr_table_remove(&table, slot, entry.id);
	assert_int_equal(mr_table_find(&table, MR_BY_LKEY, 0x1001), mr);
	assert_int_equal(mr_table_count(&table), 1);
	mr_table_close(&table);
}

TEST(a_handle_is_one_region_of_whatever_kind)
{
	struct mr_entry entry = { .call = MR_UMEM_REG }, mr;
	struct mr_table table;
	uint32_t slot;

	open_new(&table);
	add_live(&table, "mr", 7, &mr);
	assert_int_equal(mr_table_add(&table, &entry, &slot, &err), 0);
	entry.handle = 7;
	assert_true(mr_table_commit(&table, slot, &entry));
	assert_int_equal(mr_table_find(&table, MR_BY_HANDLE, 7), slot);
	assert_int_equal(mr_table_find(&table, MR_BY_ID, mr.id), MR_NO_SLOT);
	mr_table_close(&table);
}

TEST(an_entry_that_was_removed_is_not_found_any_more)
{
	struct mr_table table;
	struct mr_entry entry;
	uint32_t slot;

	open_new(&table);
	slot = add_live(&table, "buf0", 7, &entry);
	mr_table_remove(&table, slot, entry.id);
	assert_int_equal(mr_table_find(&table, MR_BY_ID, entry.id), MR_NO_SLOT);
	assert_int_equal(mr_table_find_name(&table, "buf0"), MR_NO_SLOT);
	assert_int_equal(mr_table_find(&table, MR_BY_HANDLE, 7), MR_NO_SLOT);
	assert_int_equal(mr_table_find(&table, MR_BY_LKEY, entry.lkey), MR_NO_SLOT);
	assert_int_equal(mr_table_find(&table, MR_BY_RKEY, entry.rkey), MR_NO_SLOT);
	assert_false(mr_table_get(&table, slot, &entry));
	assert_int_equal(mr_table_count(&table), 0);
	mr_table_close(&table);
}

TEST(a_name_in_use_is_refused_until_it_is_free)
{
	struct mr_table table;
	struct mr_entry entry, same = { .name = "buf0" };
	uint32_t slot, other;

	open_new(&table);
	slot = add(&table, "buf0", &entry);
	assert_int_equal(mr_table_add(&table, &same, &other, &err), -EEXIST);
	assert_int_equal(err.kind, MR_ERROR_USAGE);
	assert_contains(err.text, "'buf0'");
	assert_int_equal(mr_table_count(&table), 1);
	mr_table_remove(&table, slot, entry.id);
	assert_int_equal(mr_table_add(&table, &same, &other, &err), 0);
	mr_table_close(&table);
}

TEST(places_are_used_again_and_ids_never)
{
	struct mr_table table;
	struct mr_entry entry;
	uint64_t size, last = 0;

	open_new(&table);
	size = mr_table_size(&table);
	for (uint32_t i = 0; i < 1000; i++) {
		uint32_t slot = add_live(&table, "", i, &entry);

		assert_true(entry.id > last);
		last = entry.id;
		mr_table_remove(&table, slot, entry.id);
	}
	assert_int_equal(mr_table_size(&table), size);
	mr_table_close(&table);
}

TEST(an_entry_of_another_id_is_left_alone)
{
	struct mr_table table;
	struct mr_entry entry;
	uint32_t slot;

	open_new(&table);
	slot = add_live(&table, "", 3, &entry);
	mr_table_set_state(&table, slot, entry.id + 1, MR_ENTRY_IN_DOUBT);
	mr_table_remove(&table, slot, entry.id + 1);
	assert_true(mr_table_get(&table, slot, &entry));
	assert_int_equal(entry.state, MR_ENTRY_LIVE);
	mr_table_set_state(&table, slot, entry.id, MR_ENTRY_IN_DOUBT);
	assert_true(mr_table_get(&table, slot, &entry));
	assert_int_equal(entry.state, MR_ENTRY_IN_DOUBT);
	assert_int_equal(mr_table_find(&table, MR_BY_HANDLE, 3), slot);
	mr_table_close(&table);
}

TEST(an_entry_that_was_changed_is_found_by_its_new_keys_only)
{
	struct mr_entry entry, changed, got;
	struct mr_table table;
	uint32_t slot;

	open_new(&table);
	slot = add_live(&table, "buf0", 3, &entry);
	assert_true(mr_table_get(&table, slot, &changed));
	changed.lkey = 0xaaaa;
	changed.rkey = 0xbbbb;
	changed.length = 1 << 20;
	changed.unsure = 1;
	changed.state = MR_ENTRY_IN_DOUBT;
	assert_true(mr_table_change(&table, slot, &changed));
	assert_int_equal(mr_table_find(&table, MR_BY_LKEY, 0xaaaa), slot);
	assert_int_equal(mr_table_find(&table, MR_BY_RKEY, 0xbbbb), slot);
	assert_int_equal(mr_table_find(&table, MR_BY_LKEY, entry.lkey), MR_NO_SLOT);
	assert_int_equal(mr_table_find(&table, MR_BY_RKEY, entry.rkey), MR_NO_SLOT);
	assert_int_equal(mr_table_find(&table, MR_BY_HANDLE, 3), slot);
	assert_int_equal(mr_table_find(&table, MR_BY_ID, entry.id), slot);
	assert_int_equal(mr_table_find_name(&table, "buf0"), slot);
	assert_true(mr_table_get(&table, slot, &got));
	assert_int_equal(got.state, MR_ENTRY_IN_DOUBT);
	assert_int_equal(got.unsure, 1);
	assert_int_equal(got.length, 1 << 20);
	changed.state = MR_ENTRY_LIVE;
	changed.unsure = 0;
	assert_true(mr_table_change(&table, slot, &changed));
	assert_true(mr_table_get(&table, slot, &got));
	assert_int_equal(got.state, MR_ENTRY_LIVE);
	assert_int_equal(got.unsure, 0);
	assert_int_equal(mr_table_count(&table), 1);
	mr_table_close(&table);
}

TEST(an_entry_that_has_lost_its_handle_is_not_changed)
{
	struct mr_entry entry, changed;
	struct mr_table table;
	uint32_t slot;

	open_new(&table);
	slot = add_live(&table, "", 3, &entry);
	assert_true(mr_table_get(&table, slot, &changed));
	changed.handle = 4;
	changed.length = 1 << 20;
	assert_false(mr_table_change(&table, slot, &changed));
	changed.handle = 3;
	changed.id++;
	assert_false(mr_table_change(&table, slot, &changed));
	assert_true(mr_table_get(&table, slot, &changed));
	assert_int_equal(changed.length, entry.length);
	assert_int_equal(changed.state, MR_ENTRY_LIVE);
	mr_table_remove(&table, slot, entry.id);
	assert_false(mr_table_change(&table, slot, &entry));
	mr_table_close(&table);
}

TEST(a_handle_that_was_given_out_again_retires_the_entry_that_had_it)
{
	struct mr_table table;
	struct mr_entry first, second;
	uint32_t slot;

	open_new(&table);
	add_live(&table, "old", 3, &first);
	slot = add_live(&table, "new", 3, &second);
	assert_int_equal(mr_table_find(&table, MR_BY_HANDLE, 3), slot);
	assert_int_equal(mr_table_find_name(&table, "old"), MR_NO_SLOT);
	assert_int_equal(mr_table_find(&table, MR_BY_ID, first.id), MR_NO_SLOT);
	assert_int_equal(mr_table_count(&table), 1);
	mr_table_close(&table);
}

TEST(an_entry_that_was_removed_meanwhile_is_not_committed_over_the_next)
{
	struct mr_table table;
	struct mr_entry first, second;
	uint32_t slot;

	open_new(&table);
	slot = add(&table, "first", &first);
	mr_table_remove(&table, slot, first.id);
	assert_int_equal(add(&table, "second", &second), slot);
	assert_false(mr_table_commit(&table, slot, &first));
	assert_int_equal(mr_table_find_name(&table, "second"), slot);
	assert_int_equal(mr_table_count(&table), 1);
	mr_table_close(&table);
}

TEST(the_table_grows_for_all_who_have_it_open)
{
	enum { MANY = 5000 };
	struct mr_table table, other;
	struct mr_entry entry;

	open_new(&table);
	open_again(&table, &other);
	for (uint32_t i = 0; i < MANY; i++) {
		char name[16];

		snprintf(name, sizeof(name), "buf.%u", i);
		add_live(&table, name, i, &entry);
	}
	assert_int_equal(mr_table_lock(&other, &err), 0); /* the lock is the process's */
	assert_int_equal(mr_table_count(&other), MANY);
	assert_true(mr_table_size(&other) < MANY * 256);
	for (uint32_t i = 0; i < MANY; i++) {
		char name[16];

		snprintf(name, sizeof(name), "buf.%u", i);
		assert_true(mr_table_get(&other, mr_table_find_name(&other, name), &entry));
		assert_int_equal(entry.handle, i);
		assert_true(mr_table_get(&other, mr_table_find(&other, MR_BY_LKEY, 0x1000 + i),
					 &entry));
		assert_int_equal(entry.handle, i);
	}
	mr_table_close(&other);
	mr_table_close(&table);
}

/* In a process of its own; the result is its exit status. */
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
	assert_false(mr_table_is_claimed(&table, 3)); /* not by another */
	assert_int_equal(in_child(is_claimed, &table), 1);
	assert_int_equal(in_child(can_claim, &table), 2);
	assert_false(
		mr_table_is_claimed(&table, 4)); /* the child has ended, and so has its claim */
	mr_table_unclaim(&table, 3);
	assert_int_equal(in_child(can_claim, &table), 3);
	mr_table_close(&table);
}

/* In a child: another region gets the handle of one that the parent is deregistering. */
static int commit_again(struct mr_table *table)
{
	struct mr_entry entry;

	return add_live(table, "new", 7, &entry) == MR_NO_SLOT;
}

TEST(an_entry_that_another_process_claims_keeps_its_place_without_its_handle)
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

enum { WRITERS = 4, TIMES = 500, STAY = 100 };

/* Registers, deregisters, and leaves some: under the lock, as commands do. */
static int work(struct mr_table *table)
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

/* What has to hold of a table that nobody writes: entries, indexes and counters agree. */
static void assert_sound(struct mr_table *table)
{
	uint32_t count = 0, relaxed = 0, marked = 0, slot = MR_NO_SLOT;
	struct mr_table_pool pool;
	struct mr_entry entry;
	uint64_t size;

	assert_int_equal(mr_table_lock(table, &err), 0);
	mr_table_pool(table, &pool);
	while ((slot = mr_table_next_marked(table, slot)) != MR_NO_SLOT)
		assert_true(++marked <= pool.marked);
	assert_int_equal(pool.marked, marked);
	for (slot = 0; slot < table->capacity; slot++) {
		if (!mr_table_get(table, slot, &entry))
			continue;
		count++;
		relaxed += entry.call == MR_REG_MR_RELAXED;
		marked -= mr_entry_is_marked(&entry);
		assert_int_equal(mr_table_find(table, MR_BY_ID, entry.id), slot);
		if (entry.name[0])
			assert_int_equal(mr_table_find_name(table, entry.name), slot);
		if (entry.state == MR_ENTRY_LIVE)
			assert_int_equal(mr_table_find(table, MR_BY_LKEY, entry.lkey), slot);
	}
	assert_int_equal(mr_table_count(table), count);
	assert_int_equal(pool.relaxed, relaxed);
	assert_int_equal(marked, 0);
	/* Every free place can be had without growing. */
	size = mr_table_size(table);
	for (; count < table->capacity; count++)
		add(table, "", &entry);
	assert_int_equal(mr_table_size(table), size);
}

TEST(the_name_of_a_marked_entry_is_free_for_another)
{
	struct mr_entry entry = { .name = "buf0", .call = MR_REG_MR_RELAXED }, other = entry, got;
	struct mr_table table;
	uint32_t slot, place;

	open_new(&table);
	assert_int_equal(mr_table_add(&table, &entry, &slot, &err), 0);
	entry.handle = 3;
	assert_true(mr_table_commit(&table, slot, &entry));
	mr_table_mark(&table, slot, entry.id + 1, 5, 6);
	assert_int_equal(mr_table_add(&table, &other, &place, &err), -EEXIST);
	mr_table_mark(&table, slot, entry.id, 5, 6);
	assert_int_equal(mr_table_find_name(&table, "buf0"), slot);
	assert_int_equal(mr_table_next_marked(&table, MR_NO_SLOT), slot);
	assert_int_equal(mr_table_next_marked(&table, slot), MR_NO_SLOT);
	assert_int_equal(mr_table_add(&table, &other, &place, &err), 0);
	assert_int_equal(mr_table_find_name(&table, "buf0"), place);
	assert_true(mr_table_get(&table, slot, &got));
	assert_string_equal(got.name, "");
	assert_int_equal(got.marked_ns, 5);
	assert_int_equal(got.defer_ns, 6);
	mr_table_unlock(&table);
	assert_sound(&table);
	mr_table_close(&table);
}

TEST(many_writers_at_once_lose_nothing)
{
	struct mr_table table;
	pid_t pids[WRITERS];

	assert_int_equal(mr_table_create(&facts, &table, &err), 0);
	fflush(NULL);
	for (int i = 0; i < WRITERS; i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (!pids[i])
			_exit(work(&table));
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

/* Goes on until it is killed: adds, finds a name taken, commits, marks, removes. */
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

TEST(protection_domains_are_known_by_name_and_place)
{
	struct mr_table table;
	struct mr_table_pd pd;
	char name[MR_NAME_SIZE];
	uint32_t place;

	open_new(&table);
	place = mr_table_add_pd(&table, "default", 0);
	assert_int_equal(mr_table_add_pd(&table, "other", 9), place + 1);
	assert_int_equal(mr_table_find_pd(&table, "other"), place + 1);
	assert_int_equal(mr_table_find_pd(&table, "othe"), MR_NO_SLOT);
	assert_true(mr_table_pd(&table, place + 1, &pd));
	assert_string_equal(pd.name, "other");
	assert_int_equal(pd.handle, 9);
	mr_table_remove_pd(&table, place);
	assert_int_equal(mr_table_find_pd(&table, "default"), MR_NO_SLOT);
	assert_false(mr_table_pd(&table, place, &pd));
	assert_false(mr_table_pd(&table, MR_NO_SLOT, &pd));
	for (uint32_t i = 1; i < MR_TABLE_PDS; i++) {
		snprintf(name, sizeof(name), "pd%u", i);
		assert_int_not_equal(mr_table_add_pd(&table, name, 100 + i), MR_NO_SLOT);
	}
	assert_int_equal(mr_table_add_pd(&table, "toomany", 200), MR_NO_SLOT);
	mr_table_close(&table);
}

TEST(a_protection_domain_that_the_kernel_gave_out_again_retires_the_one_before)
{
	struct mr_table table;
	struct mr_table_pd pd;

	open_new(&table);
	mr_table_doubt_pd(&table, mr_table_add_pd(&table, "old", 9), true);
	assert_true(mr_table_pd(&table, mr_table_find_pd(&table, "old"), &pd));
	assert_int_equal(pd.in_doubt, 1);
	assert_true(mr_table_pd(&table, mr_table_add_pd(&table, "new", 9), &pd));
	assert_int_equal(pd.in_doubt, 0);
	assert_int_equal(mr_table_find_pd(&table, "old"), MR_NO_SLOT);
	mr_table_close(&table);
}

/* ---- what others write ---- */

static char *map_all(const struct mr_table *table, size_t *size)
{
	struct stat st;
	char *map;

	assert_int_equal(fstat(table->fd, &st), 0);
	*size = (size_t)st.st_size;
	map = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED, table->fd, 0);
	assert_true(map != MAP_FAILED);
	return map;
}

static void replace_all(const struct mr_table *table, const char *from, const char *to)
{
	size_t size, length = strlen(from);
	char *map = map_all(table, &size), *found = map;

	assert_int_equal(strlen(to), length);
	while ((found = memmem(found, size - (size_t)(found - map), from, length)))
		memcpy(found, to, length);
	munmap(map, size);
}

TEST(texts_from_the_table_bring_no_control_characters)
{
	struct mr_table_device device;
	struct mr_table table;
	struct mr_table_pd pd;
	struct mr_entry entry;
	uint32_t slot;

	open_new(&table);
	mr_table_add_pd(&table, "mlx5_0", 1);
	slot = add(&table, "mlx5_0", &entry);
	replace_all(&table, "mlx5_0", "\033[2J\r\377");
	assert_true(mr_table_get(&table, slot, &entry));
	assert_string_equal(entry.name, "?[2J??");
	assert_true(mr_table_pd(&table, 0, &pd));
	assert_string_equal(pd.name, "?[2J??");
	mr_table_device(&table, &device);
	assert_string_equal(device.name, "?[2J??");
	mr_table_close(&table);
}

TEST(texts_from_the_table_end)
{
	struct mr_table_device device;
	struct mr_table table;
	struct mr_table_pd pd;
	struct mr_entry entry;
	size_t size;
	char *map;

	open_new(&table);
	map = map_all(&table, &size);
	/* All but the first fields of the header, which say what file it is. */
	memset(map + 48, 'x', size - 48);
	munmap(map, size);
	mr_table_device(&table, &device);
	assert_int_equal(strnlen(device.provider, sizeof(device.provider)),
			 sizeof(device.provider) - 1);
	assert_true(mr_table_pd(&table, 3, &pd));
	assert_int_equal(strnlen(pd.name, sizeof(pd.name)), sizeof(pd.name) - 1);
	assert_true(mr_table_get(&table, 3, &entry));
	assert_int_equal(strnlen(entry.name, sizeof(entry.name)), sizeof(entry.name) - 1);
	assert_int_equal(strnlen(entry.memory, sizeof(entry.memory)), sizeof(entry.memory) - 1);
	mr_table_close(&table);
}

/* Every function on a table that says anything. */
static void use_all(struct mr_table *table, unsigned int *seed)
{
	struct mr_entry entry = { .name = "mine" }, got;
	uint32_t slot = 0, place;
	struct mr_table_pd pd;

	for (int i = 0; i < 20; i++) {
		uint32_t number = (uint32_t)rand_r(seed) % 100;

		snprintf(entry.name, sizeof(entry.name), "n%u", number);
		if (mr_table_lock(table, &err))
			return;
		mr_table_find_name(table, entry.name);
		mr_table_next_marked(table, MR_NO_SLOT);
		entry.call = number % 2 ? MR_REG_MR_RELAXED : MR_REG_MR;
		if (!mr_table_add(table, &entry, &slot, &err)) {
			entry.handle = entry.lkey = entry.rkey = number;
			mr_table_unlock(table);
			if (mr_table_lock(table, &err))
				return;
			mr_table_commit(table, slot, &entry);
		}
		place = mr_table_add_pd(table, entry.name, number);
		mr_table_pd(table, place, &pd);
		for (uint32_t at = 0; at < table->capacity; at += 3)
			if (mr_table_get(table, at, &got)) {
				mr_table_set_state(table, at, got.id, MR_ENTRY_IN_DOUBT);
				mr_table_find(table, MR_BY_RKEY, got.rkey);
				mr_table_mark(table, at, got.id, 1, 1);
				mr_table_next_marked(table, at);
				mr_table_remove(table, at, got.id);
			}
		mr_table_count(table);
		mr_table_unlock(table);
	}
}

/* Bytes at random; the first field of the header stays, or nothing would get past it. */
static void scribble(char *map, size_t size, unsigned int *seed, uint32_t capacity)
{
	size_t many = 1 + (size_t)rand_r(seed) % 200;

	while (many--) {
		size_t at = 24 + (size_t)rand_r(seed) % (size - 28);
		/* small numbers are slots, and worth more than noise */
		uint32_t value = (uint32_t)rand_r(seed) % (rand_r(seed) % 2 ? capacity * 2 : ~0u);

		if (rand_r(seed) % 4 == 0)
			at = 24 + (size_t)rand_r(seed) % 44; /* the header's counters */
		memcpy(map + (at & ~(size_t)3), &value, sizeof(value));
	}
}

TEST(garbage_in_the_table_does_no_harm)
{
	for (unsigned int round = 0; round < 400; round++) {
		unsigned int seed = round;
		struct mr_table table;
		struct mr_entry entry;
		size_t size;
		char *map;

		open_new(&table);
		for (uint32_t i = 0; i < round % 100; i++)
			add_live(&table, "", i, &entry);
		map = map_all(&table, &size);
		mr_table_unlock(&table);
		scribble(map, size, &seed, table.capacity);
		use_all(&table, &seed);
		mr_table_close(&table);
		munmap(map, size);
	}
}

TEST(garbage_that_comes_while_the_table_is_used_does_no_harm)
{
	for (unsigned int round = 0; round < 40; round++) {
		unsigned int seed = round;
		struct mr_table table;
		struct mr_entry entry;
		size_t size;
		char *map;
		pid_t pid;

		open_new(&table);
		for (uint32_t i = 0; i < 100; i++)
			add_live(&table, "", i, &entry);
		map = map_all(&table, &size);
		mr_table_unlock(&table);
		fflush(NULL);
		pid = fork();
		assert_true(pid >= 0);
		if (!pid)
			for (;;)
				scribble(map, size, &seed, table.capacity);
		for (int i = 0; i < 5; i++)
			use_all(&table, &seed);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		mr_table_close(&table);
		munmap(map, size);
	}
}

/* An entry's place may be beyond the table's end by the time that it is to be committed. */
TEST(a_table_that_shrinks_by_its_own_words_does_no_harm)
{
	struct mr_table table, other;
	struct mr_entry entry;
	uint32_t slot = 0;
	size_t size;
	char *map;

	open_new(&table);
	open_again(&table, &other);
	for (int i = 0; i < 3000; i++)
		slot = add(&table, "", &entry);
	mr_table_unlock(&table);
	map = map_all(&table, &size);
	for (size_t at = 0; at < 64; at += 4) /* wherever it stands */
		if (!memcmp(map + at, &table.capacity, 4))
			memset(map + at, 0, 4), map[at] = 1;
	munmap(map, size);
	assert_int_equal(mr_table_lock(&table, &err), 0);
	assert_int_equal(table.capacity, 1);
	assert_false(mr_table_commit(&table, slot, &entry));
	mr_table_set_state(&table, slot, entry.id, MR_ENTRY_IN_DOUBT);
	mr_table_remove(&table, slot, entry.id);
	assert_false(mr_table_get(&table, slot, &entry));
	assert_false(mr_table_is_used(&table, slot));
	mr_table_close(&other);
	mr_table_close(&table);
}

/* ---- what is no table ---- */

static void assert_unsound(int fd, const char *why)
{
	struct mr_table table;

	assert_true(fd >= 0);
	assert_int_equal(mr_table_open(fd, &table, &err), -EPROTO);
	assert_int_equal(err.kind, MR_ERROR_ABSENT);
	assert_contains(err.text, why);
	assert_int_equal(fcntl(fd, F_GETFD), -1); /* taken over */
}

/* A memfd with the beginning of a sound table, so many bytes of it, and these seals. */
static int copy_of(size_t length, int seals)
{
	static char image[1 << 16];
	struct mr_table table;
	int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	ssize_t got;

	open_new(&table);
	got = pread(table.fd, image, sizeof(image), 0);
	assert_true(got > 0);
	if (length > (size_t)got)
		length = (size_t)got;
	mr_table_close(&table);
	assert_int_equal(write(fd, image, length), length);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

/* The first number of that value in the header becomes another. */
static int changed(uint32_t from, uint32_t to)
{
	int fd = copy_of(SIZE_MAX, F_SEAL_SHRINK | F_SEAL_SEAL);

	for (off_t at = 0; at < 64; at += 4) {
		uint32_t value;

		assert_int_equal(pread(fd, &value, sizeof(value), at), sizeof(value));
		if (value != from)
			continue;
		assert_int_equal(pwrite(fd, &to, sizeof(to), at), sizeof(to));
		return fd;
	}
	fail_msg("no %u in the header", from);
	return -1;
}

TEST(a_copy_of_a_table_is_a_table)
{
	struct mr_table table;

	assert_int_equal(
		mr_table_open(copy_of(SIZE_MAX, F_SEAL_SHRINK | F_SEAL_SEAL), &table, &err), 0);
	mr_table_close(&table);
}

TEST(what_could_be_made_shorter_is_not_mapped)
{
	assert_unsound(copy_of(SIZE_MAX, 0), "seals");
	assert_unsound(copy_of(SIZE_MAX, F_SEAL_SHRINK), "seals");
	assert_unsound(copy_of(SIZE_MAX, F_SEAL_SEAL), "seals");
	assert_unsound(open("/dev/null", O_RDWR), "seals");
	assert_unsound(open("/proc/self/exe", O_RDONLY), "seals");
	assert_unsound(fileno(tmpfile()), "seals");
}

TEST(what_cannot_be_written_or_grown_is_not_mapped)
{
	const int good = F_SEAL_SHRINK | F_SEAL_SEAL;

	assert_unsound(copy_of(SIZE_MAX, good | F_SEAL_WRITE), "seals");
	assert_unsound(copy_of(SIZE_MAX, good | F_SEAL_GROW), "seals");
}

TEST(what_is_shorter_than_it_says_is_not_mapped)
{
	const int good = F_SEAL_SHRINK | F_SEAL_SEAL;

	assert_unsound(copy_of(0, good), "header");
	assert_unsound(copy_of(100, good), "header");
	assert_unsound(copy_of(8192, good), "shorter");
	assert_unsound(changed(64, 1000), "shorter");
	assert_unsound(changed(64, UINT32_MAX), "shorter");
	assert_unsound(changed(64, 0), "shorter");
}

TEST(a_table_of_another_version_is_named_so)
{
	assert_unsound(changed(3, 2), "another version");
	assert_unsound(changed(sizeof(struct mr_entry), 128), "another version");
}

TEST(a_table_that_may_only_be_read_is_an_error)
{
	struct mr_table table;
	char path[64];
	int fd = copy_of(SIZE_MAX, F_SEAL_SHRINK | F_SEAL_SEAL);

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(mr_table_open(open(path, O_RDONLY | O_CLOEXEC), &table, &err), -EACCES);
	assert_contains(err.text, "session table");
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_table_is_empty_sealed_and_knows_its_device),
		cmocka_unit_test(
			all_waits_of_a_command_together_have_an_end_and_the_next_command_waits_anew),
		cmocka_unit_test(a_lock_that_is_had_gives_back_some_of_what_may_be_waited),
		cmocka_unit_test(a_signal_that_is_blocked_ends_the_wait_for_the_lock),
		cmocka_unit_test(a_lock_of_an_open_file_is_said_to_be_no_process_s),
		cmocka_unit_test(
			a_lock_of_a_process_that_has_no_number_here_is_said_to_be_elsewhere),
		cmocka_unit_test(a_pending_entry_is_found_by_id_and_name_only),
		cmocka_unit_test(a_live_entry_is_found_by_all_that_names_it),
		cmocka_unit_test(a_page_size_is_kept_in_one_byte),
		cmocka_unit_test(an_rkey_of_zero_names_no_entry),
		cmocka_unit_test(a_umem_has_no_keys_to_be_found_by),
		cmocka_unit_test(a_handle_is_one_region_of_whatever_kind),
		cmocka_unit_test(an_entry_that_was_removed_is_not_found_any_more),
		cmocka_unit_test(a_name_in_use_is_refused_until_it_is_free),
		cmocka_unit_test(places_are_used_again_and_ids_never),
		cmocka_unit_test(an_entry_of_another_id_is_left_alone),
		cmocka_unit_test(an_entry_that_was_changed_is_found_by_its_new_keys_only),
		cmocka_unit_test(an_entry_that_has_lost_its_handle_is_not_changed),
		cmocka_unit_test(a_handle_that_was_given_out_again_retires_the_entry_that_had_it),
		cmocka_unit_test(
			an_entry_that_was_removed_meanwhile_is_not_committed_over_the_next),
		cmocka_unit_test(the_table_grows_for_all_who_have_it_open),
		cmocka_unit_test(a_claim_keeps_other_processes_off_one_entry),
		cmocka_unit_test(
			an_entry_that_another_process_claims_keeps_its_place_without_its_handle),
		cmocka_unit_test(the_name_of_a_marked_entry_is_free_for_another),
		cmocka_unit_test(many_writers_at_once_lose_nothing),
		cmocka_unit_test(writers_killed_anywhere_leave_a_sound_table),
		cmocka_unit_test(protection_domains_are_known_by_name_and_place),
		cmocka_unit_test(
			a_protection_domain_that_the_kernel_gave_out_again_retires_the_one_before),
		cmocka_unit_test(texts_from_the_table_bring_no_control_characters),
		cmocka_unit_test(texts_from_the_table_end),
		cmocka_unit_test(garbage_in_the_table_does_no_harm),
		cmocka_unit_test(garbage_that_comes_while_the_table_is_used_does_no_harm),
		cmocka_unit_test(a_table_that_shrinks_by_its_own_words_does_no_harm),
		cmocka_unit_test(a_copy_of_a_table_is_a_table),
		cmocka_unit_test(what_could_be_made_shorter_is_not_mapped),
		cmocka_unit_test(what_cannot_be_written_or_grown_is_not_mapped),
		cmocka_unit_test(what_is_shorter_than_it_says_is_not_mapped),
		cmocka_unit_test(a_table_of_another_version_is_named_so),
		cmocka_unit_test(a_table_that_may_only_be_read_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
