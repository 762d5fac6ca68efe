/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Deregistering what the kernel has in a session without an entry that names it. */
#ifndef LIB_SESSION_SWEEP_H
#define LIB_SESSION_SWEEP_H

#include "lib/session/types.h"

/**
 * Called for an object that was deregistered, or was to be.
 * @err: NULL, or why it is still there
 */
typedef void mr_unlisted_gone(void *data, enum mr_region_kind kind,
			      const struct mr_uverbs_mr *object, struct mr_error *err);

/** How many of them are left, and why. */
struct mr_unlisted_left {
	uint64_t busy;        /**< another process is registering, and they may be its own */
	uint64_t interrupted; /**< a signal has come (mr_interrupted()) */
};

/**
 * mr_session_deregister_unlisted() - deregister regions, umems and memory on the device that no entry names
 * @call: called for each that has gone, or could not be deregistered
 * @left: set
 *
 * Commands that were killed have left them, or other programs in the session have made them.  An object of a
 * command that is running and has yet to note it is left alone.
 *
 * Return: 0, or -errno where the kernel or the table cannot be asked: some may be left.
 */
int mr_session_deregister_unlisted(struct mr_session *session, mr_unlisted_gone *call, void *data,
				   struct mr_unlisted_left *left, struct mr_error *err);

#endif
