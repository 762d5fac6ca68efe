/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The state of a region: what the table says of it, compared with what the kernel says. */
#ifndef LIB_SESSION_STATE_H
#define LIB_SESSION_STATE_H

#include "lib/session/types.h"

/** The state of a region, by the table and the kernel. */
enum mr_session_state {
	MR_STATE_LIVE,
	MR_STATE_PENDING,  /**< another process is registering, changing or deregistering it */
	MR_STATE_IN_DOUBT, /**< a process was killed while it did so */
	MR_STATE_DEFERRED, /**< relaxed and deregistered; it exists until it is invalidated */
	MR_STATE_SUSPECT,  /**< the kernel has it, and has refused to change it */
	MR_STATE_BROKEN,   /**< of a private session: ibv_rereg_mr(3) has left it unusable */
	MR_STATE_GONE,     /**< the kernel has no such region (any more) */
	MR_STATE_UNKNOWN,  /**< the kernel cannot be asked; EIO: the device has gone */
};

/**
 * mr_session_agrees() - whether what the kernel has under the entry's handle is the entry's region
 *
 * Its lkey and length tell.  Where a process was killed while it changed the region, the table lacks the new
 * keys, but has the length and IOVA that were asked for: a region that has these is taken to be the changed one.
 */
bool mr_session_agrees(const struct mr_entry *entry, const struct mr_uverbs_mr *kernel);

/** A region by the table and the kernel. */
struct mr_session_region {
	struct mr_entry entry; /**< a copy of what the table says */
	enum mr_session_state state;
	/**
	 * What the kernel says of an MR that is LIVE, DEFERRED, SUSPECT or IN_DOUBT; its handle is MR_NO_HANDLE
	 * where the kernel was not asked.  An entry in doubt that was never registered has no handle to ask for.
	 */
	struct mr_uverbs_mr kernel;
};

/**
 * mr_session_decide_state() - under the lock: compare an entry with the kernel
 * @sure:   ask the kernel anew, as the region is about to be destroyed or changed; else a umem that it
 *          listed before is taken to exist still
 * @region: its entry is that of the slot; its state and what the kernel says are set
 * @err:    set where the kernel cannot be asked: why
 *
 * A region is GONE only where the kernel says so.  A call that fails for another reason says nothing of it.
 */
void mr_session_decide_state(struct mr_session *session, uint32_t slot, bool sure,
			     struct mr_session_region *region, struct mr_error *err);

/**
 * mr_session_query() - get an entry, and compare it with the kernel (QUERY_MR; for umems INFO_HANDLES)
 * @region: set where there is an entry
 * @err:    also set where the state is UNKNOWN: why
 *
 * Return: 1; 0 where there is no entry in that slot; or -errno.
 */
int mr_session_query(struct mr_session *session, uint32_t slot, struct mr_session_region *region,
		     struct mr_error *err);

/**
 * mr_session_query_next() - mr_session_query() of the next entries, under one lock for all of them
 * @slot:    the first slot to look at; set to the one behind the last that was looked at
 * @regions: set for the entries that are found
 * @room:    how many regions there may be
 * @err:     also set where the state of the last one is UNKNOWN: why.  Only the last one can be.
 *
 * Return: how many were found; 0 where there are no more entries; or -errno.
 */
int mr_session_query_next(struct mr_session *session, uint32_t *slot,
			  struct mr_session_region *regions, int room, struct mr_error *err);

#endif
