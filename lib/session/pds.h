/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The protection domains of a session: found, made, used and deallocated. */
#ifndef LIB_SESSION_PDS_H
#define LIB_SESSION_PDS_H

#include "lib/session/types.h"

/**
 * mr_session_pd() - a protection domain by name
 * @create: allocate it (ioctl ALLOC_PD) where there is none of that name
 * @place:  set to its place in the table
 *
 * No other process deallocates it until mr_session_leave_pd().
 */
int mr_session_pd(struct mr_session *session, const char *name, bool create, uint32_t *place,
		  struct mr_table_pd *pd, struct mr_error *err);

/** mr_session_leave_pd() - it may be deallocated; nothing happens where @place is none */
void mr_session_leave_pd(const struct mr_session *session, uint32_t place);

/** mr_session_recover_pds() - forget PDs that went with a process that was killed meanwhile */
int mr_session_recover_pds(struct mr_session *session, struct mr_error *err);

/** mr_session_dealloc_pd() - deallocate an empty PD; the kernel answers EBUSY for another */
int mr_session_dealloc_pd(struct mr_session *session, const char *name, struct mr_error *err);

#endif
