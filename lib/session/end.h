/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ending a detached session. */
#ifndef LIB_SESSION_END_H
#define LIB_SESSION_END_H

#include "lib/session/find.h"

/**
 * mr_session_end() - end a session that only its detached holder holds
 * @ns: how long to wait for its end, in nanoseconds
 *
 * The signal is sent by a pidfd, so that it does not hit another process that gets the holder's number meanwhile.
 *
 * Return: 0 where it has ended; -EBUSY where others hold it, -ETIMEDOUT, or another -errno.
 */
int mr_session_end(const struct mr_found_session *session, uint64_t ns, struct mr_error *err);

#endif
