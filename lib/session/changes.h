/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares the relaxed mode, and changes of a region. */
#ifndef LIB_SESSION_CHANGES_H
#define LIB_SESSION_CHANGES_H

#include "lib/session/session.h"
#include "lib/verbs/verbs.h"

/*
 * Relaxed regions, by the contract of Solaris' ibv_reg_mr_relaxed(3).  Such a region reaches to the
 * boundaries of its pages.  Deregistering it only marks it; marked regions are invalidated later, many at
 * once.
 *
 * All processes of a session share one pool of relaxed regions, which is in the session's table.  A marked
 * region is never given to a later registration.  It stays reachable by its keys, and its pages pinned,
 * until one of these comes:
 *  - its time is over, and a command that writes to the session calls mr_relaxed_expire();
 *  - as many are marked as the watermark of the pool says;
 *  - the pool is full, and another one is to be registered;
 *  - mr_flush_relaxed_mr();
 *  - the end of the session.
 */

/** How long a marked region is left alone by default, in nanoseconds. */
#define MR_RELAXED_DEFER_NS UINT64_C(1000000000)

/** mr_relaxed_configure() - set the session's limit and watermark to those of @pool.  Return: 0 or -errno. */
int mr_relaxed_configure(struct mr_session *session, const struct mr_table_pool *pool,
			 struct mr_error *err);

/**
 * mr_reg_mr_relaxed() - register a relaxed region that stays: mr_session_register() of whole pages
 * @request: of call MR_REG_MR_RELAXED, with the page_size of the memory
 *
 * Return: as mr_session_register(); -EAGAIN with MR_ERROR_RELAXED where the pool is full, and no
 * marked region could be invalidated.
 */
int mr_reg_mr_relaxed(struct mr_session *session, const struct mr_registrar *registrar,
		      const struct mr_region_request *request, struct mr_entry *entry,
		      struct mr_error *err);

/**
 * mr_dereg_mr_relaxed() - mark a relaxed region
 * @slot:     its slot in the table
 * @id:       its id; another entry in that slot is left alone
 * @defer_ns: nanoseconds from now until its age alone invalidates it
 * @deferred: set on success: false where it is invalid already, as it was the one that reached the watermark
 *
 * Return: 0, or -errno: -EALREADY with MR_ERROR_RELAXED for one that is marked, MR_ERROR_ABSENT for one
 * that had gone.
 */
int mr_dereg_mr_relaxed(struct mr_session *session, uint32_t slot, uint64_t id, uint64_t defer_ns,
			bool *deferred, struct mr_error *err);

/**
 * Called for each region that was invalidated, or could not be.
 * @entry: the region; NULL where @err is not about one
 * @ns:    nanoseconds that the kernel took
 * @err:   NULL, or why the region still exists
 */
typedef void mr_flushed(void *data, const struct mr_entry *entry, uint64_t ns,
			struct mr_error *err);

/** Instead of the slot of a PD: all PDs. */
#define MR_ALL_PDS UINT32_MAX

/**
 * mr_flush_relaxed_mr() - invalidate the regions of a PD that are marked
 * @pd:   slot of the PD in the table, or MR_ALL_PDS
 * @call: called for each; or NULL
 * @left: set to how many stay marked because a signal has come (mr_interrupted())
 *
 * It waits for regions that other processes are invalidating.  A region that cannot be invalidated stays
 * marked.
 *
 * Return: 0, or -errno of the first failure: -EINTR where a signal has come and regions are left.  @call is
 * called once for all that are left.
 */
int mr_flush_relaxed_mr(struct mr_session *session, uint32_t pd, mr_flushed *call, void *data,
			uint64_t *left, struct mr_error *err);

/**
 * mr_relaxed_expire() - invalidate the marked regions whose time is over
 *
 * A region that cannot be invalidated stays marked, and mr_relaxed_overdue() counts it.
 */
void mr_relaxed_expire(struct mr_session *session);

/**
 * mr_relaxed_overdue() - count marked regions that could not be invalidated, by this process or others
 * @first: set to one of them where there are any
 *
 * Return: how many there are.
 */
uint32_t mr_relaxed_overdue(struct mr_session *session, struct mr_entry *first);

/** A change of a region. */
struct mr_session_rereg {
	uint32_t slot; /**< its slot in the table; MR_NO_SLOT for one that no entry names */
	struct mr_registrar registrar; /**< path and PD; by MR_VIA_LIBRARY it is imported */
	/** What to change; its length and IOVA count also where they do not change. */
	struct mr_rereg_request request;
	/** The known properties of the region; keys, length and IOVA are the kernel's. */
	struct mr_entry before;
	/**
	 * In: @before, with what the kernel does not know of the changed region: memory, page_shift, pd, call.
	 * Out: the region, also where the call fails.
	 */
	struct mr_entry after;
	struct mr_rereg_failure failure; /**< set */
};

/**
 * mr_session_begin_rereg() - claim a region, so that it can be changed
 * @job: its slot is known; @before is set.  Where no entry names the region, the caller puts its handle into that,
 *       and what the kernel does not tell becomes unsure
 * @id:  another entry in that slot is left alone
 *
 * No other process can claim it until mr_session_rereg(), mr_session_unclaim() or the end of this process.
 *
 * Return: 0, or -errno: MR_ERROR_ABSENT where there is no such region (any more).
 */
int mr_session_begin_rereg(struct mr_session *session, struct mr_session_rereg *job, uint64_t id,
			   struct mr_error *err);

/**
 * mr_session_rereg() - change a region that is claimed, and note that in the table
 *
 * The entry is IN_DOUBT before the kernel is asked.  After a refusal that leaves open whether the region is as it
 * was, the region is suspect until a change of the same kind succeeds.
 *
 * Return: 0, or -errno: MR_ERROR_REFUSED when the stack refuses.
 */
int mr_session_rereg(struct mr_session *session, struct mr_session_rereg *job,
		     struct mr_error *err);

#endif
