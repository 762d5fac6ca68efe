// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The locks of a session table: classic record locks (fcntl(2)), which end with their process, on
 * bytes that are never written.
 */
#include <errno.h>
#include <fcntl.h>
#include <time.h>

#include "lib/base/clock.h"
#include "lib/base/signals.h"
#include "lib/host/process.h"
#include "lib/session/table/format.h"

/*
 * The table's lock, one that all share who make objects without an entry, a claim for each entry, and one
 * for each protection domain.
 */
#define LOCK_BYTE    ((off_t)1 << 40)
#define UNNAMED_BYTE (LOCK_BYTE + 1)
#define CLAIM_BYTES  ((off_t)1 << 41)
#define PD_BYTES     ((off_t)1 << 42)

/* So long a command waits for other processes, all its waits together. */
#define WAIT_NS UINT64_C(10000000000)

/*
 * A lock that was had gives so much back: commands that take it often are not to fail because others do,
 * too.
 */
#define REFUND_NS UINT64_C(10000000)

/* A wait goes on so long after a signal: a lock that others take and give back is had by then. */
#define PATIENCE_NS      UINT64_C(100000000)

#define FIRST_PAUSE_NS   50000
#define LONGEST_PAUSE_NS 6400000

static int set_lock(int fd, int command, short type, off_t byte, struct flock *lock)
{
	*lock = (struct flock){ .l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1 };
	return fcntl(fd, command, lock);
}

/* ---- who has it ---- */

/* Its name, if there is such a process (any more). */
static bool read_name(pid_t pid, char name[16])
{
	struct mr_process process;

	if (!mr_process_open(pid, &process))
		return false;
	mr_process_command(&process, name);
	mr_process_close(&process);
	return name[0];
}

/*
 * F_GETLK says -1 of a lock that belongs to an open file and to no process, and 0 of a process that
 * has no number here (locks_translate_pid() in the kernel's fs/locks.c).  To kill(1) both mean many
 * processes: a number is named only where it is that of one.
 */
static void blame_holder(const struct flock *lock, struct mr_error *err)
{
	char name[16];

	if (lock->l_pid < 0)
		mr_hint(err,
			"an open file of the session holds it (F_OFD_SETLK, which mrctl never "
			"uses), so it stays when the process that took it ends: end the session");
	else if (!lock->l_pid)
		mr_hint(err, "a process in another PID namespace (a container?) holds it: look "
			     "for it from there, or end the session");
	else if (read_name(lock->l_pid, name))
		mr_hint(err, "process %d holds it (%s); is it stopped? (kill -CONT %d, or kill it)",
			(int)lock->l_pid, name, (int)lock->l_pid);
	else
		mr_hint(err, "process %d took it, and cannot be seen (any more): end the session",
			(int)lock->l_pid);
}

static int fail_locked(const struct mr_table *table, int errnum, struct mr_error *err)
{
	struct flock lock;
	bool found =
		!set_lock(table->fd, F_GETLK, F_WRLCK, LOCK_BYTE, &lock) && lock.l_type != F_UNLCK;

	mr_fail_text(err, MR_ERROR_HOST, errnum, "%sthe session is locked%s",
		     errnum == EINTR ? "interrupted: " : "",
		     found && lock.l_pid < 0 ? "" : " by another process");
	if (found)
		blame_holder(&lock, err);
	return -errnum;
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

/* Return: 0, -errno of fcntl(), or that of mr_table_wait() with @waited */
static int try_lock(struct mr_table *table, bool *waited)
{
	struct mr_table_wait wait = { 0 };
	struct flock lock;
	int rc = 0;

	*waited = false;
	while (!rc && set_lock(table->fd, F_SETLK, F_WRLCK, LOCK_BYTE, &lock)) {
		if (errno != EAGAIN && errno != EACCES)
			return -errno;
		*waited = true;
		rc = mr_table_wait(table, &wait);
	}
	return rc;
}

int mr_table_take_lock(struct mr_table *table, struct mr_error *err)
{
	bool waited;
	int rc = try_lock(table, &waited);

	if (rc) {
		table->gave_up = -rc;
		return waited ? fail_locked(table, -rc, err)
			      : mr_fail(err, MR_ERROR_HOST, -rc, "fcntl(F_SETLK)",
					"cannot lock the session");
	}
	table->waited_ns -= table->waited_ns < REFUND_NS ? table->waited_ns : REFUND_NS;
	table->locked = true;
	return 0;
}

void mr_table_unlock(struct mr_table *table)
{
	struct flock lock;

	if (table->locked)
		set_lock(table->fd, F_SETLK, F_UNLCK, LOCK_BYTE, &lock);
	table->locked = false;
}

/* ---- claims ---- */

bool mr_table_claim(const struct mr_table *table, uint32_t slot)
{
	struct flock lock;

	return table->is_private ||
	       !set_lock(table->fd, F_SETLK, F_WRLCK, CLAIM_BYTES + slot, &lock);
}

void mr_table_unclaim(const struct mr_table *table, uint32_t slot)
{
	struct flock lock;

	if (!table->is_private)
		set_lock(table->fd, F_SETLK, F_UNLCK, CLAIM_BYTES + slot, &lock);
}

static bool find_claim(const struct mr_table *table, uint32_t slot, struct flock *lock)
{
	return !table->is_private &&
	       !set_lock(table->fd, F_GETLK, F_WRLCK, CLAIM_BYTES + slot, lock) &&
	       lock->l_type != F_UNLCK;
}

bool mr_table_is_claimed(const struct mr_table *table, uint32_t slot)
{
	struct flock lock;

	return find_claim(table, slot, &lock);
}

int mr_table_begin_unnamed(struct mr_table *table, struct mr_error *err)
{
	struct flock lock;
	int rc;

	if (table->is_private)
		return 0;
	rc = mr_table_lock(table, err);
	if (rc)
		return rc;
	if (set_lock(table->fd, F_SETLK, F_RDLCK, UNNAMED_BYTE, &lock))
		rc = mr_fail(err, MR_ERROR_HOST, errno, "fcntl(F_SETLK)", NULL);
	mr_table_unlock(table);
	return rc;
}

void mr_table_end_unnamed(const struct mr_table *table)
{
	struct flock lock;

	if (!table->is_private)
		set_lock(table->fd, F_SETLK, F_UNLCK, UNNAMED_BYTE, &lock);
}

bool mr_table_others_make(const struct mr_table *table)
{
	struct mr_entry entry;
	struct flock lock;

	if (table->is_private)
		return false;
	if (set_lock(table->fd, F_GETLK, F_WRLCK, UNNAMED_BYTE, &lock) || lock.l_type != F_UNLCK)
		return true;
	for (uint32_t slot = 0; slot < table->capacity; slot++)
		if (mr_table_is_used(table, slot) && mr_table_get(table, slot, &entry) &&
		    entry.state == MR_ENTRY_PENDING && mr_table_is_claimed(table, slot))
			return true;
	return false;
}

int mr_table_fail_claimed(const struct mr_table *table, uint32_t slot, uint64_t id, int errnum,
			  struct mr_error *err)
{
	struct flock lock;

	if (errnum != EAGAIN && errnum != EACCES)
		return mr_fail(err, MR_ERROR_HOST, errnum, "fcntl(F_SETLK)",
			       "cannot lock region %llu", (unsigned long long)id);
	if (!find_claim(table, slot, &lock))
		return mr_fail_text(err, MR_ERROR_HOST, EBUSY,
				    "region %llu is in the hands of another process",
				    (unsigned long long)id);
	/* Nobody will ever be done with what no process holds. */
	errnum = lock.l_pid < 0 ? ENOLCK : EBUSY;
	mr_fail_text(err, MR_ERROR_HOST, errnum, "region %llu is in the hands of %s",
		     (unsigned long long)id, lock.l_pid < 0 ? "no process" : "another process");
	blame_holder(&lock, err);
	return -errnum;
}

/* ---- protection domains ---- */

static int lock_pd(const struct mr_table *table, uint32_t place, short type, struct mr_error *err)
{
	struct flock lock;

	if (table->is_private || !set_lock(table->fd, F_SETLK, type, PD_BYTES + place, &lock))
		return 0;
	if (errno != EAGAIN && errno != EACCES)
		return mr_fail(err, MR_ERROR_HOST, errno, "fcntl(F_SETLK)",
			       "cannot lock the protection domain");
	mr_fail_text(err, MR_ERROR_HOST, EBUSY,
		     "another process is at work on the protection domain");
	if (!set_lock(table->fd, F_GETLK, type, PD_BYTES + place, &lock) && lock.l_type != F_UNLCK)
		blame_holder(&lock, err);
	return -EBUSY;
}

int mr_table_use_pd(const struct mr_table *table, uint32_t place, struct mr_error *err)
{
	return lock_pd(table, place, F_RDLCK, err);
}

int mr_table_claim_pd(const struct mr_table *table, uint32_t place, struct mr_error *err)
{
	return lock_pd(table, place, F_WRLCK, err);
}

void mr_table_leave_pd(const struct mr_table *table, uint32_t place)
{
	struct flock lock;

	if (!table->is_private && place < MR_TABLE_PDS)
		set_lock(table->fd, F_SETLK, F_UNLCK, PD_BYTES + place, &lock);
}
