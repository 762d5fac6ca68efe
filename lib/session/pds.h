/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The protection domains of a session: finding, allocating, using and deallocating them. */
#ifndef LIB_SESSION_PDS_H
#define LIB_SESSION_PDS_H

#include "lib/session/types.h"

/**
 * mr_session_pd() - find a protection domain by its name, and use it
 * @made:    NULL: there has to be one of that name; else one is allocated (ALLOC_PD) where there is none, and this set
 * @pd_slot: set to its slot in the table
 * @pd:      set to a copy
 *
 * No other process deallocates it until mr_session_leave_pd().
 *
 * Return: 0, -ENOENT with MR_ERROR_ABSENT where there is none, or another -errno.
 */
int mr_session_pd(struct mr_session *session, const char *name, bool *made, uint32_t *pd_slot,
		  struct mr_table_pd *pd, struct mr_error *err);

/** mr_session_leave_pd() - let others deallocate it; nothing happens where @pd_slot is beyond all slots */
void mr_session_leave_pd(const struct mr_session *session, uint32_t pd_slot);

/**
 * mr_session_recover_pds() - ask the kernel about PDs that a process was deallocating when it was killed
 *
 * Those that the kernel no longer has are removed from the table.
 *
 * Return: 0, or -errno where the table cannot be locked.
 */
int mr_session_recover_pds(struct mr_session *session, struct mr_error *err);

/**
 * mr_session_dealloc_pd() - deallocate a PD
 * Return: 0; -EBUSY where something is in it, or another process uses it; or another -errno.
 */
int mr_session_dealloc_pd(struct mr_session *session, const char *name, struct mr_error *err);

#endif
