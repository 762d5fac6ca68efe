/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Regions that a batch outside of a session has left registered. */
#ifndef CMD_BATCH_LEFTOVERS_H
#define CMD_BATCH_LEFTOVERS_H

#include "cmd/batch/answer.h"

/**
 * batch_deregister_leftovers() - deregister them, and name them on standard error and in JSON ("regions")
 *
 * In a session they stay: others share it.
 */
void batch_deregister_leftovers(struct batch_answer *batch, struct mr_session *session);

#endif
