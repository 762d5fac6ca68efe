/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ending a detached session. */
#ifndef LIB_SESSION_END_H
#define LIB_SESSION_END_H

#include "lib/session/find.h"

/**
 * mr_session_end() - end a session that only its detached holder holds
 * @ns: how long to wait for its end
 *
 * The holder is signalled by a pidfd, so that no other process is hit that gets its number meanwhile.
 *
 * Return: 0 when it has ended, -EBUSY where others hold it, or another -errno.
 */
int mr_session_end(const struct mr_found_session *session, uint64_t ns, struct mr_error *err);

#endif
