/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Deferred regions that could not be invalidated.  Each later command may have tried to, so none reports the
 * refusal as a failure of its own.
 */
#ifndef CMD_REGION_OVERDUE_H
#define CMD_REGION_OVERDUE_H

#include "cmd/cli/command.h"
#include "lib/session/session.h"

/**
 * overdue_report() - report on standard error that there are such regions, and that their keys still work
 *
 * For a line of a batch nothing is reported: the batch does that once, at its end.
 */
void overdue_report(const struct invocation *invocation, struct mr_session *session);

#endif
