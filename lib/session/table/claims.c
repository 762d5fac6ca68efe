// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>

#include "lib/session/table/claims.h"
#include "lib/session/table/lock.h"

bool mr_table_claim_run(const struct mr_table *table, uint32_t slot, uint32_t count)
{
	struct flock lock;

	return table->is_private ||
	       !mr_lock_bytes(table->fd, F_SETLK, F_WRLCK, MR_CLAIM_BYTES + slot, count, &lock);
}

void mr_table_unclaim_run(const struct mr_table *table, uint32_t slot, uint32_t count)
{
	struct flock lock;

	if (!table->is_private)
		mr_lock_bytes(table->fd, F_SETLK, F_UNLCK, MR_CLAIM_BYTES + slot, count, &lock);
}

bool mr_table_claim(const struct mr_table *table, uint32_t slot)
{
	return mr_table_claim_run(table, slot, 1);
}

void mr_table_unclaim(const struct mr_table *table, uint32_t slot)
{
	mr_table_unclaim_run(table, slot, 1);
}

static bool find_claim(const struct mr_table *table, uint32_t slot, struct flock *lock)
{
	return !table->is_private &&
	       !mr_lock_byte(table->fd, F_GETLK, F_WRLCK, MR_CLAIM_BYTES + slot, lock) &&
	       lock->l_type != F_UNLCK;
}

bool mr_table_is_claimed(const struct mr_table *table, uint32_t slot)
{
	struct flock lock;

	return find_claim(table, slot, &lock);
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
	/* A lock of an open file does not end with any process: ENOLCK says that to wait for it is in vain. */
	errnum = lock.l_pid < 0 ? ENOLCK : EBUSY;
	mr_fail_text(err, MR_ERROR_HOST, errnum, "region %llu is in the hands of %s",
		     (unsigned long long)id, lock.l_pid < 0 ? "no process" : "another process");
	mr_lock_blame_holder(&lock, err);
	return -errnum;
}
