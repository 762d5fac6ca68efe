/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Objects of a session by the kernel's own numbers: mr:HANDLE, umem:HANDLE, dm:HANDLE. */
#ifndef MR_SESSION_OBJECT_H
#define MR_SESSION_OBJECT_H

#include "session.h"

/**
 * mr_session_find_object() - ask the kernel for an object
 * @mr: set to what it says; of a umem or DM only the handle
 *
 * Return: 0, or -errno: MR_ERROR_ABSENT where there is none of that kind.
 */
int mr_session_find_object(struct mr_session *session, enum mr_region_kind kind, uint32_t handle,
			   struct mr_uverbs_mr *mr, struct mr_error *err);

/**
 * mr_session_blame_object() - why the kernel has refused to work on an object
 * @err: its refusal; made MR_ERROR_ABSENT where there is no such object
 *
 * Return: -errno of the refusal.
 */
int mr_session_blame_object(struct mr_session *session, enum mr_region_kind kind, uint32_t handle,
			    struct mr_error *err);

#endif
