/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The processes that hold a session. */
#ifndef LIB_SESSION_HOLDER_H
#define LIB_SESSION_HOLDER_H

#include "lib/host/reading.h"

/** How a process holds a session, in the order in which holders are asked for the descriptor. */
enum mr_holder_role {
	MR_HOLDER_DETACHED, /**< the process that `mrctl session --detach` started: it only sleeps */
	MR_HOLDER_PROGRAM,  /**< it has inherited the descriptor */
	MR_HOLDER_COMMAND,  /**< a command of mrctl that has the table of the session open */
};

/** mr_holder_role_name() - "detached", "program", "command" */
const char *mr_holder_role_name(enum mr_holder_role role);

/**
 * mr_holder_is_detached() - whether a process is one that `mrctl session --detach` started
 *
 * Such a process runs `mrctl session --hold`, and is the leader of a session in the sense of setsid(2), which
 * no job of a shell is.
 */
bool mr_holder_is_detached(const struct mr_process *process);

#endif
