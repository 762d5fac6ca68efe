/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Claims: a process keeps others off one entry, while they may work on the rest of the table. */
#ifndef LIB_SESSION_TABLE_CLAIMS_H
#define LIB_SESSION_TABLE_CLAIMS_H

#include "lib/session/table/table.h"

/**
 * mr_table_claim() - keep others off an entry while the lock is not held
 *
 * A claim is a record lock: it ends with its process.
 *
 * Return: false with errno, which is EAGAIN or EACCES where another process has claimed the entry.
 */
bool mr_table_claim(const struct mr_table *table, uint32_t slot);

/** mr_table_unclaim() - give the claim up */
void mr_table_unclaim(const struct mr_table *table, uint32_t slot);

/**
 * mr_table_claim_run() - claim @count entries in slots that follow one another, or none
 *
 * Return: as mr_table_claim().
 */
bool mr_table_claim_run(const struct mr_table *table, uint32_t slot, uint32_t count);

/** mr_table_unclaim_run() - give up what this process has claimed of them */
void mr_table_unclaim_run(const struct mr_table *table, uint32_t slot, uint32_t count);

/** mr_table_is_claimed() - whether another process has claimed the entry in that slot */
bool mr_table_is_claimed(const struct mr_table *table, uint32_t slot);

/**
 * mr_table_fail_claimed() - the error for an entry that cannot be claimed
 * @errnum: of mr_table_claim()
 *
 * Return: -EBUSY where a process has it; -ENOLCK where an open file has it, which no process will ever
 * give back; or another -errno.
 */
int mr_table_fail_claimed(const struct mr_table *table, uint32_t slot, uint64_t id, int errnum,
			  struct mr_error *err);

#endif
