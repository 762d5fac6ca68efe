/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Keeping other processes off a region while this one changes or deregisters it. */
#ifndef LIB_SESSION_CLAIM_H
#define LIB_SESSION_CLAIM_H

#include "lib/session/state.h"

/**
 * mr_session_claim() - under the table's lock: keep other processes off an entry
 * @slot:   its slot in the table
 * @id:     its id; another entry in that slot is left alone
 * @region: set; where the entry is claimed its state is LIVE, DEFERRED, BROKEN, IN_DOUBT, SUSPECT, GONE, or
 *          UNKNOWN where the device has gone
 * @err:    also set where the state is UNKNOWN: why
 *
 * mr_session_unclaim() gives the claim up.
 *
 * Return: 0, or -errno where there is no such entry, another process has claimed it, or the kernel cannot be
 * asked.
 */
int mr_session_claim(struct mr_session *session, uint32_t slot, uint64_t id,
		     struct mr_session_region *region, struct mr_error *err);

/** mr_session_make_sure() - the same of an entry that is claimed, and stays so */
int mr_session_make_sure(struct mr_session *session, uint32_t slot, uint64_t id,
			 struct mr_session_region *region, struct mr_error *err);

/** mr_session_unclaim() - give up the claim, and the table's lock where it is held */
void mr_session_unclaim(struct mr_session *session, uint32_t slot);

/** mr_session_unclaim_run() - the same of @count entries in slots that follow one another */
void mr_session_unclaim_run(struct mr_session *session, uint32_t slot, uint32_t count);

/** mr_session_fail_gone() - the error for an entry whose region the kernel does not have.  Return: -ENOENT. */
int mr_session_fail_gone(const struct mr_entry *entry, struct mr_error *err);

#endif
