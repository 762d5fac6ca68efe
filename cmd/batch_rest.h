/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a batch outside of a session has left registered. */
#ifndef BATCH_REST_H
#define BATCH_REST_H

#include "output.h"
#include "report.h"
#include "session.h"

struct batch_rest {
	const struct command *command;
	struct mr_session *session;
	struct output *out;
	struct failures *failures;
};

/**
 * batch_rest_deregister() - deregister it, and say so: in JSON the list "regions"
 * Return: whether some could not be; a session that others share keeps all.
 */
bool batch_rest_deregister(const struct batch_rest *rest);

#endif
