/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The processes that hold a session. */
#ifndef LIB_SESSION_HOLDER_H
#define LIB_SESSION_HOLDER_H

#include "lib/host/process.h"

/** How a process holds a session; the first is asked first for its descriptor. */
enum mr_holder_role {
	MR_HOLDER_DETACHED, /**< the process that `mrctl session --detach` started: it only sleeps */
	MR_HOLDER_PROGRAM,  /**< it has inherited the descriptor */
	MR_HOLDER_COMMAND,  /**< it works in the session and has its table open */
};

/** mr_holder_role_name() - "detached", "program", "command" */
const char *mr_holder_role_name(enum mr_holder_role role);

/**
 * mr_holder_is_detached() - whether it is one that `mrctl session --detach` started
 *
 * It was started with the words for holding, and leads a session of processes of its own, as no
 * shell's job does.
 */
bool mr_holder_is_detached(const struct mr_process *process);

#endif
