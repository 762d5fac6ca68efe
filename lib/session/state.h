/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What has become of a region: what the table says of it, compared with what the kernel says. */
#ifndef LIB_SESSION_STATE_H
#define LIB_SESSION_STATE_H

#include "lib/session/types.h"

/** What became of a region, by the table and the kernel. */
enum mr_session_state {
	MR_STATE_LIVE,
	MR_STATE_PENDING,  /**< another process is registering, changing or deregistering it */
	MR_STATE_IN_DOUBT, /**< a process was killed while it did so */
	MR_STATE_DEFERRED, /**< relaxed, deregistered, and there until it is invalidated */
	MR_STATE_SUSPECT,  /**< the kernel has it, and has refused to change it */
	MR_STATE_BROKEN,   /**< of a private session: ibv_rereg_mr(3) has left it unusable */
	MR_STATE_GONE,     /**< the kernel has no such region (any more) */
	MR_STATE_UNKNOWN,  /**< the kernel cannot be asked; by EIO: the device has gone */
};

/**
 * mr_session_agrees() - whether a region of the kernel is the entry's
 *
 * Where a change was not noted the new keys are not known, but the length and IOVA that it was to have.
 */
bool mr_session_agrees(const struct mr_entry *entry, const struct mr_uverbs_mr *kernel);

/**
 * mr_session_decide_state() - under the lock: what the table and the kernel say of an entry together
 * @entry:  a copy of the entry in that slot
 * @sure:   ask the kernel anew, as the region is about to be destroyed or changed; else a umem that it
 *          listed before is taken to be there still
 * @kernel: set as by mr_session_query()
 * @err:    set where the state is UNKNOWN or PENDING by the kernel: why
 *
 * Only where the kernel says so a region has gone: a call that fails otherwise tells nothing of it.
 */
enum mr_session_state mr_session_decide_state(struct mr_session *session, uint32_t slot,
					      const struct mr_entry *entry, bool sure,
					      struct mr_uverbs_mr *kernel, struct mr_error *err);

/**
 * mr_session_query() - an entry, compared with the kernel (QUERY_MR; for umems INFO_HANDLES)
 * @entry:  set to a copy
 * @state:  set
 * @kernel: set to what the kernel says of an MR where the state is LIVE, DEFERRED, SUSPECT or
 *          IN_DOUBT; in doubt an entry that is PENDING has no handle to ask for
 * @err:    also filled where the state is UNKNOWN: why
 *
 * Return: 1, 0 where there is no entry in that place, or -errno.
 */
int mr_session_query(struct mr_session *session, uint32_t slot, struct mr_entry *entry,
		     enum mr_session_state *state, struct mr_uverbs_mr *kernel,
		     struct mr_error *err);

#endif
