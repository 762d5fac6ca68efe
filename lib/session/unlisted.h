/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Objects of a session that no entry of its table names. */
#ifndef LIB_SESSION_UNLISTED_H
#define LIB_SESSION_UNLISTED_H

#include "lib/session/handles.h"
#include "lib/session/state.h"

/** Called with a region that no entry names; of a umem or DM only the handle is known. */
typedef void mr_unlisted(void *data, enum mr_region_kind kind, const struct mr_uverbs_mr *region);

/**
 * mr_session_each_unlisted() - call @call for each region, umem and DM that no entry names
 * @listed: MRs that the kernel has and entries name, as was found out just before; the kernel is not asked for them
 *          again
 *
 * INFO_HANDLES lists at most MR_UVERBS_INFO_MAX handles.  Where there may be more MRs, all numbers are tried
 * one by one.  That is not possible for umems: where there may be more of these, the call ends with -EOVERFLOW.
 *
 * Return: 0 or -errno.
 */
int mr_session_each_unlisted(struct mr_session *session, const struct mr_handle_set *listed,
			     mr_unlisted *call, void *data, struct mr_error *err);

/**
 * mr_session_note_listed() - add a region to @listed, where it is an MR that the kernel has
 * Return: 0 or -ENOMEM.
 */
int mr_session_note_listed(struct mr_handle_set *listed, const struct mr_session_region *region,
			   struct mr_error *err);

/** mr_session_dm_is_listed() - under the lock: whether an entry is on that memory of the device */
bool mr_session_dm_is_listed(const struct mr_table *table, uint32_t handle);

#endif
