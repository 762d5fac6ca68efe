/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory on the device that a session holds: each piece goes with the last region on it. */
#ifndef LIB_SESSION_DM_H
#define LIB_SESSION_DM_H

#include "lib/session/regions.h"

/**
 * mr_session_free_dm() - free what a region was on that has just been deregistered
 * @entry: of the region; nothing is done where it was not on memory on the device, or where another
 *         region still is
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED.
 */
int mr_session_free_dm(const struct mr_session *session, const struct mr_entry *entry,
		       struct mr_error *err);

/**
 * mr_session_has_dm() - whether the kernel has memory on the device with that handle
 * Return: 1, 0, or -errno.
 */
int mr_session_has_dm(const struct mr_session *session, uint32_t handle, struct mr_error *err);

/** mr_session_dm_is_listed() - under the lock: whether an entry names it */
bool mr_session_dm_is_listed(const struct mr_table *table, uint32_t handle);

/**
 * mr_session_unlisted_dms() - call @call for each piece that no entry names
 *
 * A command that was killed has left it, or is about to register regions on it.  Takes the lock.
 */
int mr_session_unlisted_dms(struct mr_session *session, mr_unlisted *call, void *data,
			    struct mr_error *err);

#endif
