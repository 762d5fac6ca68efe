/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The locks of a session table: classic record locks (fcntl(2)), which end with their process, on
 * bytes that are never written.
 */
#ifndef LIB_SESSION_TABLE_LOCK_H
#define LIB_SESSION_TABLE_LOCK_H

#include <fcntl.h>

#include "lib/session/table/table.h"

/**
 * mr_table_lock() - keep other processes out of the table
 *
 * It waits for other processes, but a command waits no more than 10 seconds in all (mr_table_wait()); the
 * message says which process has the lock.  A process that is killed loses the lock.  Where it was changing
 * the indexes they are made anew here, and where the table has grown it is mapped anew.
 *
 * Return: 0, -ETIMEDOUT, -EINTR, or another -errno.
 */
int mr_table_lock(struct mr_table *table, struct mr_error *err);

/** mr_table_unlock() - let other processes have the lock; nothing happens where it is not locked */
void mr_table_unlock(struct mr_table *table);

/** mr_table_begin_command() - another command works on the table from here on: it may wait again */
void mr_table_begin_command(struct mr_table *table);

/**
 * mr_table_gave_up() - whether the command has tried to lock it in vain
 *
 * It does not wait again, so all that it tries from then on may fail: it should come to its end.
 */
static inline bool mr_table_gave_up(const struct mr_table *table)
{
	return table->gave_up;
}

/** A wait for another process, of several pauses; all zeros before the first. */
struct mr_table_wait {
	uint32_t pause_ns; /**< the next pause */
	uint64_t waited_ns;
};

/**
 * mr_table_wait() - pause before another attempt at what another process has locked or claimed
 *
 * Return: 0; -ETIMEDOUT where the command has waited 10 seconds in all; -EINTR where a signal that it has
 * blocked is pending (mr_interrupted()), but not before a tenth of a second.
 */
int mr_table_wait(struct mr_table *table, struct mr_table_wait *wait);

/* For the files of this folder: */

/*
 * The bytes that are locked: one for the table, one that processes share while they make objects without an
 * entry, one for each entry and one for each protection domain.
 */
#define MR_LOCK_BYTE    ((off_t)1 << 40)
#define MR_UNNAMED_BYTE (MR_LOCK_BYTE + 1)
#define MR_CLAIM_BYTES  ((off_t)1 << 41)
#define MR_PD_BYTES     ((off_t)1 << 42)

/**
 * mr_lock_byte() - fcntl() with a record lock of one byte
 * @command: F_SETLK or F_GETLK
 * @type:    F_RDLCK, F_WRLCK or F_UNLCK
 * @lock:    set to the answer of F_GETLK
 */
int mr_lock_byte(int fd, int command, short type, off_t byte, struct flock *lock);

/** mr_lock_bytes() - the same of @count bytes */
int mr_lock_bytes(int fd, int command, short type, off_t byte, off_t count, struct flock *lock);

/** mr_lock_blame_holder() - add to @err a hint: which process has a lock that F_GETLK has found */
void mr_lock_blame_holder(const struct flock *lock, struct mr_error *err);

#endif
