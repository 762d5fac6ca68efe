/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sessions as they are printed: by session --list, --end and --detach. */
#ifndef CMD_SESSION_ROW_H
#define CMD_SESSION_ROW_H

#include "cmd/region/answer.h"
#include "lib/session/find.h"

extern const struct record session_record;

/** session_print() - a session as the next row of an answer */
void session_print(struct answer *answer, const struct mr_found_session *session);

/** session_list() - mrctl session --list.  Return: an exit status, or -errno. */
int session_list(const struct invocation *invocation, struct mr_error *err);

/** session_end() - mrctl session --end.  Return: an exit status, or -errno. */
int session_end(const struct invocation *invocation, struct mr_error *err);

/**
 * session_detach() - leave a session to a process in the background, and print how to join
 * @fd: its descriptor
 *
 * Return: an exit status, or -errno.
 */
int session_detach(const struct invocation *invocation, const struct mr_environment *environment,
		   int fd, struct mr_error *err);

#endif
