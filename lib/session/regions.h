/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Registering and deregistering regions of a session. */
#ifndef LIB_SESSION_REGIONS_H
#define LIB_SESSION_REGIONS_H

#include "lib/session/types.h"
#include "lib/verbs/verbs.h"

/**
 * mr_session_register() - register a region that stays
 * @registrar: path and PD
 * @request:   what to register
 * @entry:     what the table is to note: name, memory, memory_of (a GPU or not), page_shift, pd; the rest is
 *             set
 *
 * The entry is PENDING in the table before the kernel is asked, and LIVE afterwards.
 *
 * Return: 0; -errno with MR_ERROR_REFUSED where the stack refuses; or another -errno, as of mr_table_add().
 */
int mr_session_register(struct mr_session *session, const struct mr_registrar *registrar,
			const struct mr_region_request *request, struct mr_entry *entry,
			struct mr_error *err);

/**
 * mr_session_deregister() - ask the kernel to destroy an entry's region (mr_region_destroy())
 * @slot:  its slot in the table
 * @id:    its id; another entry in that slot is left alone
 * @entry: set to a copy of the entry, once it is claimed
 * @ns:    set to the nanoseconds that the kernel took; or NULL
 *
 * The kernel gives handles out again: before an MR is destroyed by its handle, the kernel is asked whether
 * it is still the entry's region.  Of a umem it tells no more than that the handle is a umem's.
 *
 * Return: 0; 1 with @err where the region is destroyed, but its entry stays, or the memory on the device
 * below it; or -errno: MR_ERROR_REFUSED where the kernel refuses, and the region is still there;
 * MR_ERROR_ABSENT where it had gone before, and the entry is removed.
 */
int mr_session_deregister(struct mr_session *session, uint32_t slot, uint64_t id,
			  struct mr_entry *entry, uint64_t *ns, struct mr_error *err);

/** What mr_session_deregister_run() is asked for one region, and what it answers. */
struct mr_removal {
	uint32_t slot;
	uint64_t id;
	struct mr_entry *entry; /**< room for a copy of the entry */
	uint64_t *ns;           /**< room for the nanoseconds that the kernel took; or NULL */
	struct mr_error *err;   /**< room for an error */
	int rc;                 /**< set, as mr_session_deregister() returns */
	bool only_deferred; /**< leave it alone where it is no relaxed region that is deferred */
};

/**
 * mr_session_deregister_run() - mr_session_deregister() of entries whose slots follow one another
 * @removals: at least one; of umems one alone: a killed process must not leave several of them in doubt
 *
 * The table is locked twice for all of them.  It stops behind a region that the kernel refuses to destroy, so that
 * what is to be found out about that is not changed by the others, and after a millisecond.
 *
 * Return: how many of them are dealt with; the others are as they were.
 */
uint32_t mr_session_deregister_run(struct mr_session *session, struct mr_removal *removals,
				   uint32_t count);

/** mr_session_invalidate() - mr_session_deregister() of a relaxed region that is deferred, and of no other */
int mr_session_invalidate(struct mr_session *session, uint32_t slot, uint64_t id,
			  struct mr_entry *entry, uint64_t *ns, struct mr_error *err);

#endif
