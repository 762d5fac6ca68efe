/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Objects of a session that no entry of its table names. */
#ifndef LIB_SESSION_UNLISTED_H
#define LIB_SESSION_UNLISTED_H

#include "lib/session/types.h"

/** Called with a region that no entry names; of a umem or DM only the handle is known. */
typedef void mr_unlisted(void *data, enum mr_region_kind kind, const struct mr_uverbs_mr *region);

/**
 * mr_session_each_unlisted() - regions of the session that no entry names
 * @call: called for each
 *
 * One INFO_HANDLES where that can answer completely, else a walk over handle numbers; for umems,
 * which cannot be asked for one by one, there is none, and the error says so.
 */
int mr_session_each_unlisted(struct mr_session *session, mr_unlisted *call, void *data,
			     struct mr_error *err);

/** mr_session_dm_is_listed() - under the lock: whether an entry names it */
bool mr_session_dm_is_listed(const struct mr_table *table, uint32_t handle);

#endif
