/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A session: regions that outlive the command that registered them, without a daemon.
 *
 * It is one descriptor: the receiving end of a socket pair whose other end is closed, with one
 * message in its queue that carries the uverbs command descriptor of an open device and the
 * session table.  Commands look at the message without taking it (MSG_PEEK) and get duplicates
 * of both.  As long as one process holds the descriptor the kernel keeps everything alive.
 */
#ifndef LIB_SESSION_TYPES_H
#define LIB_SESSION_TYPES_H

#include "lib/session/table/table.h"
#include "lib/verbs/uverbs.h"

struct mr_session_library;

/** Name of the environment variable that says where the session is. */
#define MR_SESSION_VARIABLE "MRCTL_SESSION"

/** Name of the protection domain that every session begins with. */
#define MR_DEFAULT_PD "default"

/** Handles that the kernel has listed; all zeros before the first mr_handles_list(). */
struct mr_handles {
	uint32_t *list; /**< room for MR_UVERBS_INFO_MAX */
	uint32_t count;
};

/** An open session. */
struct mr_session {
	struct mr_uverbs uverbs;
	struct mr_table table;
	struct mr_table_device device;
	struct mr_handles umems;            /**< umems, as the kernel listed them last */
	struct mr_registrant self;          /**< this process; all zeros before it is needed */
	struct mr_session_library *library; /**< kept from call to call; or NULL */
};

/** mr_session_is_private() - whether it is the session of a batch, which no other process has */
static inline bool mr_session_is_private(const struct mr_session *session)
{
	return session->table.is_private;
}

#endif
