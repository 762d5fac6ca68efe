/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The frame of commands that work on what a session has: dereg, stat, rereg, umem --import. */
#ifndef CMD_REGION_IN_SESSION_H
#define CMD_REGION_IN_SESSION_H

#include "cmd/cli/option_types.h"
#include "cmd/region/answer.h"
#include "lib/session/session.h"

/** One run of such a command. */
struct session_job {
	struct mr_session *session;
	const struct mr_environment *environment;
	const void *data;     /**< what the command gave session_job_run(), for its work */
	struct answer answer; /**< its total is the number of operands */
	uint64_t done;        /**< regions that the command did its work on */
};

/**
 * session_job_run() - join the session, do the work, and leave it
 * @expect: the command's --expect, or NULL
 * @work:   does the work and prints the answer; returns an exit status, or -errno
 * @data:   for @work, in job->data; or NULL
 *
 * Return: what @work returned; outside of a session EXIT_ABSENT, after an answer that says so; -errno with @err
 * set if nothing was tried.
 */
int session_job_run(const struct invocation *invocation, const struct expect_option *expect,
		    int (*work)(struct session_job *job, struct mr_error *err), const void *data,
		    struct mr_error *err);

#endif
