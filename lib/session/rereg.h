/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Changing a region of a session. */
#ifndef LIB_SESSION_REREG_H
#define LIB_SESSION_REREG_H

#include "lib/session/types.h"
#include "lib/verbs/verbs.h"

/**
 * mr_session_begin_rereg() - claim a region, so that it can be changed
 * @slot:  its slot in the table; MR_NO_SLOT for a region that no entry names
 * @id:    its id; another entry in that slot is left alone
 * @entry: set to what is known of it; keys, length and IOVA are what the kernel says.  Where no entry names
 *         the region, the caller puts its handle into @entry, and what the kernel does not tell becomes unsure.
 *
 * No other process can claim it until mr_session_rereg(), mr_session_unclaim() or the end of this process.
 *
 * Return: 0, or -errno: MR_ERROR_ABSENT where there is no such region (any more).
 */
int mr_session_begin_rereg(struct mr_session *session, uint32_t slot, uint64_t id,
			   struct mr_entry *entry, struct mr_error *err);

/** A change of a region that mr_session_begin_rereg() has claimed. */
struct mr_session_rereg {
	uint32_t slot; /**< its slot in the table; MR_NO_SLOT for one that no entry names */
	const struct mr_registrar *registrar; /**< path and PD; by MR_VIA_LIBRARY it is imported */
	/** What to change; its length and IOVA count also where they do not change. */
	const struct mr_rereg_request *request;
	const struct mr_entry *before; /**< as mr_session_begin_rereg() has set it */
	/**
	 * In: @before, with what the kernel does not know of the changed region: memory, page_shift, pd, call.
	 * Out: the region, also where the call fails.
	 */
	struct mr_entry *after;
	struct mr_rereg_failure *failure; /**< set */
};

/**
 * mr_session_rereg() - change a region, and note that in the table
 *
 * The entry is IN_DOUBT before the kernel is asked.  After a refusal that leaves open whether the region is as it
 * was, the region is suspect until a change of the same kind succeeds.
 *
 * Return: 0, or -errno: MR_ERROR_REFUSED when the stack refuses.
 */
int mr_session_rereg(struct mr_session *session, const struct mr_session_rereg *job,
		     struct mr_error *err);

#endif
