/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where a command works: in a session or outside of one, by itself or as a line of a batch, which has
 * the session open and the signals blocked already.
 */
#ifndef CMD_REGION_CONTEXT_H
#define CMD_REGION_CONTEXT_H

#include "cmd/cli/command.h"
#include "lib/session/session.h"
#include "lib/verbs/device.h"

/** Memory for what a command opens or looks up; a line of a batch uses the batch's. */
struct context_room {
	struct mr_session session;
	struct mr_environment environment;
};

/**
 * context_session() - where the session is
 * Return: what --session or MRCTL_SESSION says, "batch" for a line of a batch; NULL outside of a
 * session.
 */
const char *context_session(const struct invocation *invocation);

/** context_fail_no_session() - fail with MR_ERROR_ABSENT: the command needs a session.  Return: -ENOTCONN. */
int context_fail_no_session(struct mr_error *err);

/**
 * context_open_session() - join the session
 * @room: memory for it
 *
 * Return: @room, or for a line of a batch the batch's session; NULL with @err set: outside of a session to
 * MR_ERROR_ABSENT.
 */
struct mr_session *context_open_session(const struct invocation *invocation,
					struct mr_session *room, struct mr_error *err);

/** context_leave_session() - close what context_open_session() returned, unless it is a batch's */
void context_leave_session(const struct invocation *invocation, struct mr_session *session);

/**
 * context_environment() - the environment of an open session
 * @room: memory for it
 *
 * Return: @room, or for a line of a batch the batch's environment.
 */
const struct mr_environment *context_environment(const struct invocation *invocation,
						 const struct mr_session *session,
						 struct mr_environment *room);

/**
 * context_block_signals() - block signals, so that none comes between a call and the entry for what it made
 *
 * For a line of a batch they are blocked already.
 */
void context_block_signals(const struct invocation *invocation);

/**
 * context_is_interrupted() - whether a signal has come; to be asked before each region
 * @first: it is the first region of the command: in a batch the answer is false then, as the batch itself has
 *         asked just before
 */
bool context_is_interrupted(const struct invocation *invocation, bool first);

#endif
