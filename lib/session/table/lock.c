// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "lib/base/base.h"
#include "lib/host/reading.h"
#include "lib/session/table/table.h"

/* The longest time that a command waits for other processes, all its waits together. */
#define WAIT_NS UINT64_C(10000000000)

/*
 * Each time that a command gets the lock, this much of the time that it has waited is forgotten.  Otherwise a
 * command that takes the lock often would fail only because others do so, too.
 */
#define REFUND_NS UINT64_C(10000000)

/* A signal ends a wait only after this time: a lock that others hold just for a moment is free by then. */
#define PATIENCE_NS      UINT64_C(100000000)

#define FIRST_PAUSE_NS   50000
#define LONGEST_PAUSE_NS 6400000

/* The bytes that are locked: one for the table, one for each entry and one for each protection domain. */
#define LOCK_BYTE   ((off_t)1 << 40)
#define CLAIM_BYTES ((off_t)1 << 41)
#define PD_BYTES    ((off_t)1 << 42)

int mr_lock_byte(const struct mr_table *table, short type, off_t byte)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1 };

	return fcntl(table->fd, F_SETLK, &lock);
}

/* ---- who has it ---- */

/*
 * F_GETLK reports -1 for a lock that belongs to an open file and to no process, and 0 for a process without a number
 * here (locks_translate_pid() in the kernel's fs/locks.c).  To kill(1) both mean many
 * processes: a number is named only where it is that of one.
 */
static void name_holder(const struct flock *lock, struct mr_error *err)
{
	struct mr_process process;
	char name[16] = "";

	if (lock->l_pid > 0 && mr_process_open(lock->l_pid, &process)) {
		mr_process_command(&process, name);
		mr_process_close(&process);
	}
	if (lock->l_pid < 0)
		mr_hint(err,
			"the lock belongs to an open file (F_OFD_SETLK, which mrctl never uses) "
			"and stays when its process ends: end the session");
	else if (!lock->l_pid)
		mr_hint(err, "a process in another PID namespace (a container) holds the lock: "
			     "look for it there, or end the session");
	else if (name[0])
		mr_hint(err,
			"process %d holds it (%s); if it is stopped: kill -CONT %d, or kill it",
			(int)lock->l_pid, name, (int)lock->l_pid);
	else
		mr_hint(err, "process %d holds the lock, and is not visible here: end the session",
			(int)lock->l_pid);
}

int mr_find_lock(const struct mr_table *table, short type, off_t byte, struct flock *lock)
{
	*lock = (struct flock){ .l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1 };
	return fcntl(table->fd, F_GETLK, lock) ?: lock->l_type != F_UNLCK;
}

/* ---- waiting ---- */

void mr_table_begin_command(struct mr_table *table)
{
	table->waited_ns = 0;
	table->gave_up = 0;
}

int mr_table_wait(struct mr_table *table, struct mr_table_wait *wait)
{
	uint64_t start = mr_now_ns(), took;
	struct timespec pause;

	if (table->gave_up)
		return -table->gave_up;
	if (table->waited_ns >= WAIT_NS)
		return -ETIMEDOUT;
	if (wait->waited_ns >= PATIENCE_NS && mr_interrupted())
		return -EINTR;
	if (!wait->pause_ns)
		wait->pause_ns = FIRST_PAUSE_NS;
	pause = (struct timespec){ .tv_nsec = wait->pause_ns };
	nanosleep(&pause, NULL);
	if (wait->pause_ns < LONGEST_PAUSE_NS)
		wait->pause_ns *= 2;
	took = mr_now_ns() - start;
	wait->waited_ns += took;
	table->waited_ns += took;
	return 0;
}

/* ---- the table's lock ---- */

int mr_table_take_lock(struct mr_table *table, struct mr_error *err)
{
	struct mr_table_wait wait = { 0 };
	struct flock lock;
	bool found;
	int rc = 0;

	while (!rc && mr_lock_byte(table, F_WRLCK, LOCK_BYTE)) {
		if (errno != EAGAIN && errno != EACCES) {
			table->gave_up = errno;
			return mr_fail(err, MR_ERROR_HOST, errno, "fcntl(F_SETLK)",
				       "cannot lock the session");
		}
		rc = mr_table_wait(table, &wait);
	}
	if (rc) {
		table->gave_up = -rc;
		found = mr_find_lock(table, F_WRLCK, LOCK_BYTE, &lock) > 0;
		mr_fail_text(err, MR_ERROR_HOST, -rc, "%sthe session is locked%s",
			     rc == -EINTR ? "interrupted: " : "",
			     found && lock.l_pid < 0 ? "" : " by another process");
		if (found)
			name_holder(&lock, err);
		return rc;
	}
	table->waited_ns -= table->waited_ns < REFUND_NS ? table->waited_ns : REFUND_NS;
	table->locked = true;
	return 0;
}

void mr_table_unlock(struct mr_table *table)
{
	if (table->locked)
		mr_lock_byte(table, F_UNLCK, LOCK_BYTE);
	table->locked = false;
}

bool mr_table_claim(const struct mr_table *table, uint32_t slot)
{
	return table->is_private || !mr_lock_byte(table, F_WRLCK, CLAIM_BYTES + slot);
}

void mr_table_unclaim(const struct mr_table *table, uint32_t slot)
{
	if (!table->is_private)
		mr_lock_byte(table, F_UNLCK, CLAIM_BYTES + slot);
}

bool mr_table_is_claimed(const struct mr_table *table, uint32_t slot)
{
	struct flock lock;

	return !table->is_private && mr_find_lock(table, F_WRLCK, CLAIM_BYTES + slot, &lock) > 0;
}

int mr_table_fail_claimed(const struct mr_table *table, uint32_t slot, uint64_t id, int errnum,
			  struct mr_error *err)
{
	struct flock lock;

	if (errnum != EAGAIN && errnum != EACCES)
		return mr_fail(err, MR_ERROR_HOST, errnum, "fcntl(F_SETLK)",
			       "cannot lock region %llu", (unsigned long long)id);
	if (mr_find_lock(table, F_WRLCK, CLAIM_BYTES + slot, &lock) <= 0)
		return mr_fail_text(err, MR_ERROR_HOST, EBUSY,
				    "region %llu is in use by another process",
				    (unsigned long long)id);
	/* A lock of an open file does not end with any process: ENOLCK shows that waiting is useless. */
	errnum = lock.l_pid < 0 ? ENOLCK : EBUSY;
	mr_fail_text(err, MR_ERROR_HOST, errnum, "region %llu is in use by %s",
		     (unsigned long long)id, lock.l_pid < 0 ? "no process" : "another process");
	name_holder(&lock, err);
	return -errnum;
}

int mr_table_lock_pd(const struct mr_table *table, uint32_t pd_slot, bool alone,
		     struct mr_error *err)
{
	const short type = alone ? F_WRLCK : F_RDLCK;
	struct flock lock;
	int rc;

	if (table->is_private || !mr_lock_byte(table, type, PD_BYTES + pd_slot))
		return 0;
	if (errno != EAGAIN && errno != EACCES)
		return mr_fail(err, MR_ERROR_HOST, errno, "fcntl(F_SETLK)",
			       "cannot lock the protection domain");
	rc = mr_fail_text(err, MR_ERROR_HOST, EBUSY,
			  "another process is using the protection domain");
	if (mr_find_lock(table, type, PD_BYTES + pd_slot, &lock) > 0)
		name_holder(&lock, err);
	return rc;
}

void mr_table_unlock_pd(const struct mr_table *table, uint32_t pd_slot)
{
	if (!table->is_private && pd_slot < MR_TABLE_PDS)
		mr_lock_byte(table, F_UNLCK, PD_BYTES + pd_slot);
}

/* ---- protection domains ---- */

bool mr_table_pd(const struct mr_table *table, uint32_t pd_slot, struct mr_table_pd *pd)
{
	if (pd_slot >= MR_TABLE_PDS)
		return false;
	mr_copy_out(pd, &table->header->pds[pd_slot], sizeof(*pd));
	mr_clean_text(pd->name, sizeof(pd->name));
	return pd->name[0];
}

uint32_t mr_table_find_pd(const struct mr_table *table, const char *name)
{
	for (uint32_t pd_slot = 0; pd_slot < MR_TABLE_PDS; pd_slot++)
		if (!strncmp(table->header->pds[pd_slot].name, name, MR_NAME_SIZE))
			return pd_slot;
	return MR_NO_SLOT;
}

uint32_t mr_table_add_pd(struct mr_table *table, const char *name, uint32_t handle)
{
	struct mr_table_pd pd;

	for (uint32_t pd_slot = 0; pd_slot < MR_TABLE_PDS; pd_slot++)
		if (mr_table_pd(table, pd_slot, &pd) && pd.handle == handle)
			mr_table_remove_pd(table, pd_slot);
	for (uint32_t pd_slot = 0; pd_slot < MR_TABLE_PDS; pd_slot++) {
		if (mr_table_pd(table, pd_slot, &pd))
			continue;
		table->header->pds[pd_slot].handle = handle;
		table->header->pds[pd_slot].in_doubt = 0;
		snprintf(table->header->pds[pd_slot].name, MR_NAME_SIZE, "%s", name);
		return pd_slot;
	}
	return MR_NO_SLOT;
}

void mr_table_doubt_pd(struct mr_table *table, uint32_t pd_slot, bool in_doubt)
{
	if (pd_slot < MR_TABLE_PDS)
		*(volatile uint32_t *)&table->header->pds[pd_slot].in_doubt = in_doubt;
}

void mr_table_remove_pd(struct mr_table *table, uint32_t pd_slot)
{
	if (pd_slot < MR_TABLE_PDS)
		table->header->pds[pd_slot].name[0] = '\0';
}
