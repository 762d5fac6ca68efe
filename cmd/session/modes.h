/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What mrctl session does by its options: open, list, end or detach a session. */
#ifndef CMD_SESSION_MODES_H
#define CMD_SESSION_MODES_H

#include "cmd/cli/cli.h"
#include "lib/base/base.h"
#include "lib/verbs/device.h"

/** The options of mrctl session. */
struct session_args {
	bool detach;
	bool joinable;
	bool hold;
	bool list;
	bool end;
	struct mr_opt_u64 relaxed_limit;
	struct mr_opt_u64 relaxed_watermark;
};

/** How long to look for sessions, and how long to wait for the end of one. */
#define SESSION_TIMEOUT_SECONDS 5
#define SESSION_TIMEOUT_NS      ((uint64_t)SESSION_TIMEOUT_SECONDS * 1000000000)

/** session_check() - the check of struct command */
int session_check(const struct invocation *invocation, struct mr_error *err);

/** session_list() - mrctl session --list.  Return: an exit status, or -errno. */
int session_list(const struct invocation *invocation, struct mr_error *err);

/** session_end() - mrctl session --end.  Return: an exit status, or -errno. */
int session_end(const struct invocation *invocation, struct mr_error *err);

/**
 * session_detach() - leave a session to a process in the background, and print how to join it
 * @fd: the session's descriptor
 *
 * Return: an exit status, or -errno.
 */
int session_detach(const struct invocation *invocation, const struct mr_environment *environment,
		   int fd, struct mr_error *err);

/**
 * session_fail_detached() - print the answer of --detach that fails: a document, or "false" for a shell that evaluates it
 * @err: why; cleared where the answer tells it
 *
 * Return: an exit status, or -errno.
 */
int session_fail_detached(const struct invocation *invocation, struct mr_error *err);

/** session_tell_ready() - in a process that session_detach() has started: tell it that the session is held now */
void session_tell_ready(void);

#endif
