/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where a command works: in a session or outside of one, by itself or as a line of a batch, which has
 * the session open and the signals blocked already.
 */
#ifndef CMD_REGION_CONTEXT_H
#define CMD_REGION_CONTEXT_H

#include "cmd/cli/command.h"
#include "lib/session/regions.h"
#include "lib/verbs/device.h"

/** Room for what a command opens and finds out by itself; a line of a batch uses the batch's. */
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
 * @room: where it is kept
 *
 * Return: @room, or for a line of a batch the batch's; NULL with an error, outside of a session with
 * MR_ERROR_ABSENT.
 */
struct mr_session *context_open_session(const struct invocation *invocation,
					struct mr_session *room, struct mr_error *err);

/** context_leave_session() - leave what context_open_session() has joined; a batch's stays open */
void context_leave_session(const struct invocation *invocation, struct mr_session *session);

/**
 * context_environment() - the environment of an open session
 * @room: where it is kept
 *
 * Return: @room, or for a line of a batch the batch's.
 */
const struct mr_environment *context_environment(const struct invocation *invocation,
						 const struct mr_session *session,
						 struct mr_environment *room);

/**
 * context_block_signals() - mr_signals_block(), so that a signal cannot come between a call and the note of
 * what it made; for a line of a batch signals are blocked already
 */
void context_block_signals(const struct invocation *invocation);

/**
 * context_is_interrupted() - mr_interrupted()
 * @first: before the first region; for a line of a batch the batch has just asked
 */
bool context_is_interrupted(const struct invocation *invocation, bool first);

#endif
