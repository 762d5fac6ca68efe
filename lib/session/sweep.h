/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Deregistering what a session holds, and no entry names. */
#ifndef LIB_SESSION_SWEEP_H
#define LIB_SESSION_SWEEP_H

#include "lib/session/types.h"

/**
 * Called for an object that was deregistered, or was to be.
 * @err: NULL, or why it is still there
 */
typedef void mr_unlisted_gone(void *data, enum mr_region_kind kind,
			      const struct mr_uverbs_mr *object, struct mr_error *err);

/** What is left of them. */
struct mr_unlisted_left {
	uint64_t busy;        /**< as another process is registering, and they may be its own */
	uint64_t interrupted; /**< as a signal has come (mr_interrupted()) */
};

/**
 * mr_session_deregister_unlisted() - regions, umems and memory on the device that no entry names
 * @call: called for each that has gone, or could not be deregistered
 * @left: set
 *
 * They are those of commands that were killed, and of other programs in the session.  An object that a
 * living command has made and has yet to note is none of them.
 *
 * Return: 0, or -errno: where it is not known which they are, some of them may be left.
 */
int mr_session_deregister_unlisted(struct mr_session *session, mr_unlisted_gone *call, void *data,
				   struct mr_unlisted_left *left, struct mr_error *err);

#endif
