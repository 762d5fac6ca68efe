/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Deregistering the objects of a session that no entry of its table names. */
#ifndef LIB_SESSION_SWEEP_H
#define LIB_SESSION_SWEEP_H

#include "lib/session/types.h"

/**
 * Called for an object that was deregistered, or could not be.
 * @err: NULL, or why the object still exists
 */
typedef void mr_unlisted_gone(void *data, enum mr_region_kind kind,
			      const struct mr_uverbs_mr *object, struct mr_error *err);

/** How many of the objects are left alone, and why. */
struct mr_unlisted_left {
	uint64_t busy;        /**< another process is registering: they may be its own */
	uint64_t interrupted; /**< a signal has come (mr_interrupted()) */
};

/**
 * mr_session_deregister_unlisted() - deregister regions, umems and memory on the device that no entry names
 * @call: called for each that was deregistered, or could not be
 * @left: set
 *
 * Commands that were killed have left these objects, or other programs in the session have made them.  The object
 * of a command that is running, and has yet to note it, is left alone.
 *
 * Return: 0, or -errno where the kernel or the table cannot be asked: some objects may be left then.
 */
int mr_session_deregister_unlisted(struct mr_session *session, mr_unlisted_gone *call, void *data,
				   struct mr_unlisted_left *left, struct mr_error *err);

#endif
