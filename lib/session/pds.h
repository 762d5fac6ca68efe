/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The protection domains of a session: found, made, used and deallocated. */
#ifndef LIB_SESSION_PDS_H
#define LIB_SESSION_PDS_H

#include "lib/session/types.h"

/**
 * mr_session_pd() - a protection domain by name
 * @create:  allocate one (ALLOC_PD) where there is none of that name
 * @pd_slot: set to its slot in the table
 *
 * No other process deallocates it until mr_session_leave_pd().
 */
int mr_session_pd(struct mr_session *session, const char *name, bool create, uint32_t *pd_slot,
		  struct mr_table_pd *pd, struct mr_error *err);

/** mr_session_leave_pd() - let others deallocate it; nothing happens where @pd_slot is none of a PD */
void mr_session_leave_pd(const struct mr_session *session, uint32_t pd_slot);

/**
 * mr_session_recover_pds() - ask the kernel for PDs whose deallocation was not finished
 *
 * A process was killed while it deallocated them.  Those that the kernel no longer has are removed.
 */
int mr_session_recover_pds(struct mr_session *session, struct mr_error *err);

/** mr_session_dealloc_pd() - deallocate a PD; the kernel answers EBUSY where something is in it */
int mr_session_dealloc_pd(struct mr_session *session, const char *name, struct mr_error *err);

#endif
