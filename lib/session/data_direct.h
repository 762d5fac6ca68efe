/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Regions of Data Direct.  When the driver of the Data Direct function is unbound, mlx5_ib revokes the keys of all
 * such regions (mlx5_ib_revoke_data_direct_mrs()).  They stay so when it is bound again, and QUERY_MR answers as
 * before.
 */
#ifndef LIB_SESSION_DATA_DIRECT_H
#define LIB_SESSION_DATA_DIRECT_H

#include "lib/base/base.h"
#include "lib/session/types.h"

/** mr_session_note_binding() - note in @entry by which binding of the function its region was registered */
void mr_session_note_binding(const struct mr_session *session, struct mr_entry *entry);

/**
 * mr_session_is_revoked() - whether the entry's region is one of Data Direct that was revoked since
 *
 * Return: MR_NO also where the binding at registration is not known, and there is a function now; MR_UNKNOWN where
 * that of today cannot be found out.
 */
enum mr_tristate mr_session_is_revoked(const struct mr_session *session,
				       const struct mr_entry *entry);

#endif
