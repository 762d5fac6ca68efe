/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Objects of a session by the kernel's own numbers: mr:HANDLE, umem:HANDLE, dm:HANDLE. */
#ifndef LIB_SESSION_OBJECTS_H
#define LIB_SESSION_OBJECTS_H

#include "lib/session/types.h"

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

/**
 * mr_session_count_uars() - UARs that others' imports of the session have, or have left behind
 *
 * A command that works through the library has one while it runs.  The UAR stays where the command is
 * killed, or where the kernel refuses to free it, which libmlx5 reports to nobody.
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED.
 */
int mr_session_count_uars(const struct mr_session *session, uint32_t *count, struct mr_error *err);

#endif
