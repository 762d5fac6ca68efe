/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Objects of a session by the kernel's own numbers: mr:HANDLE, umem:HANDLE, dm:HANDLE. */
#ifndef LIB_SESSION_OBJECTS_H
#define LIB_SESSION_OBJECTS_H

#include "lib/session/types.h"

/**
 * mr_session_find_object() - ask the kernel for an object
 * @mr: set to what the kernel says; of a umem or DM only to the handle
 *
 * Return: 0, or -errno: MR_ERROR_ABSENT where there is none of that kind.
 */
int mr_session_find_object(struct mr_session *session, enum mr_region_kind kind, uint32_t handle,
			   struct mr_uverbs_mr *mr, struct mr_error *err);

/**
 * mr_session_blame_object() - find out whether the kernel has refused a call because there is no such object
 * @err: the refusal; where there is no such object it becomes MR_ERROR_ABSENT, and its message says so
 *
 * Return: -errno of the refusal.
 */
int mr_session_blame_object(struct mr_session *session, enum mr_region_kind kind, uint32_t handle,
			    struct mr_error *err);

/**
 * mr_session_count_uars() - count the UARs that other processes have in the session, or have left behind
 *
 * A command that works through the library has one while it runs.  The UAR stays where the command is
 * killed, or where the kernel refuses to free it, which libmlx5 does not report.
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED.
 */
int mr_session_count_uars(const struct mr_session *session, uint32_t *count, struct mr_error *err);

#endif
