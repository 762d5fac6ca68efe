/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Deferred regions that could not be invalidated: nobody waits for that answer. */
#ifndef CMD_REGION_OVERDUE_H
#define CMD_REGION_OVERDUE_H

#include "cmd/cli/command.h"
#include "lib/session/regions.h"

/**
 * overdue_tell() - say on standard error which they are, and that their keys still work
 *
 * Lines of a batch leave it to the batch.
 */
void overdue_tell(const struct invocation *invocation, struct mr_session *session);

#endif
