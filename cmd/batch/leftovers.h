/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a batch outside of a session has left registered. */
#ifndef BATCH_REST_H
#define BATCH_REST_H

#include "cmd/batch/answer.h"

/**
 * batch_rest_deregister() - deregister it, and say so: in JSON the list "regions"
 *
 * A session that others share keeps all.
 */
void batch_rest_deregister(struct batch_answer *batch, struct mr_session *session);

#endif
