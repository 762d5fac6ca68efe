// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "cmd/cli/cli.h"
#include "cmd/output/output.h"
#include "cmd/region/region.h"
#include "cmd/session/modes.h"
#include "cmd/session/row.h"
#include "lib/base/base.h"
#include "lib/session/changes.h"
#include "lib/session/session.h"
#include "lib/session/table/table.h"
#include "lib/verbs/device.h"

static const struct option_spec options[] = {
	OPTION(0, "detach", flag, struct session_args, detach, NULL,
	       "leave it to a background process; say how to join"),
	OPTION(0, "joinable", flag, struct session_args, joinable, NULL,
	       "let other processes of this user join by pid:N"),
	OPTION(0, "hold", flag, struct session_args, hold, NULL,
	       "keep this session until Ctrl-C, SIGTERM or SIGHUP"),
	OPTION(0, "list", flag, struct session_args, list, NULL,
	       "show the sessions of this user, and who holds them"),
	OPTION(0, "end", flag, struct session_args, end, NULL,
	       "end a detached session: pid:N, or this one"),
	OPTION(0, "relaxed-limit", number, struct session_args, relaxed_limit, "N",
	       "relaxed regions at most (default: 65536)"),
	OPTION(0, "relaxed-watermark", number, struct session_args, relaxed_watermark, "N",
	       "invalidate when N are deferred (default: 256)"),
	OPTION_END,
};

#define EXCLUDES(option, other)                                                                    \
	{                                                                                          \
		option, OPTION_EXCLUDES, other                                                     \
	}
/* The option opens no session that the others could configure. */
#define OPENS_NONE(option)                                                                         \
	EXCLUDES(option, "joinable"), EXCLUDES(option, "relaxed-limit"),                           \
		EXCLUDES(option, "relaxed-watermark")

static const struct option_rule rules[] = {
	EXCLUDES("detach", "hold"), EXCLUDES("detach", "list"), EXCLUDES("detach", "end"),
	EXCLUDES("hold", "list"),   EXCLUDES("hold", "end"),    EXCLUDES("list", "end"),
	OPENS_NONE("hold"),         OPENS_NONE("list"),         OPENS_NONE("end"),
	OPTION_RULES_END,
};

/* Names the session in the environment of the programs to come. */
static int name_session(int fd, struct mr_error *err)
{
	char where[32];

	snprintf(where, sizeof(where), "fd:%d", fd);
	if (setenv(MR_SESSION_VARIABLE, where, 1))
		return mr_fail(err, MR_ERROR_HOST, errno, "setenv", NULL);
	return 0;
}

static int configure_pool(const struct session_args *args, struct mr_error *err)
{
	struct mr_session session;
	struct mr_table_pool pool;
	int rc;

	if (!args->relaxed_limit.known && !args->relaxed_watermark.known)
		return 0;
	rc = mr_session_open(getenv(MR_SESSION_VARIABLE), &session, err);
	if (rc)
		return rc;
	mr_table_pool(&session.table, &pool);
	if (args->relaxed_limit.known)
		pool.limit = (uint32_t)args->relaxed_limit.value;
	if (args->relaxed_watermark.known)
		pool.watermark = (uint32_t)args->relaxed_watermark.value;
	rc = mr_relaxed_configure(&session, &pool, err);
	mr_session_close(&session);
	return rc;
}

/* Opens the device, makes a session on it, and names it in the environment. */
static int create_session(const struct global_args *global, const struct session_args *args,
			  struct mr_environment *environment, int *fd, struct mr_error *err)
{
	struct mr_device device;
	int rc;

	mr_environment_init(environment);
	rc = mr_device_open(global->device, &device, environment, err);
	if (rc)
		return rc;
	rc = mr_session_create(&device, environment, fd, err);
	if (rc)
		mr_device_close(&device);
	else
		mr_device_leave(&device);
	if (!rc)
		rc = name_session(*fd, err);
	return rc ? rc : configure_pool(args, err);
}

/*
 * Keeps the session by holding its descriptor, and sleeps until a signal comes.  The regions are the kernel's;
 * processes that join need nothing from this one but its descriptor.
 */
static int hold_session(const struct invocation *invocation, struct mr_error *err)
{
	struct mr_session session;

	mr_signals_block();
	if (!context_open_session(invocation, &session, err))
		return -err->errnum;
	mr_session_close(&session);
	prctl(PR_SET_NAME, "mrctl-session"); /* execv() of /proc/self/exe has named it "exe" */
	session_tell_ready();
	mr_signals_wait((struct mr_opt_u64){ 0, false });
	mr_signals_ignore();
	return EXIT_DONE;
}

/* Notes that mrctl is in a session already, whose regions the new one does not show. */
static void note_outer_session(const struct invocation *invocation, const char *outer)
{
	const struct session_args *args = invocation->args;
	struct mr_session session;
	struct mr_error ignored;

	if (!*outer || invocation->global->style.quiet ||
	    mr_session_open(outer, &session, &ignored))
		return;
	mr_session_close(&session);
	if (args->detach)
		report_note(invocation->command->name,
			    "a new session; the current one (%s) stays open", outer);
	else
		report_note(
			invocation->command->name,
			"a new session inside another (%s), whose regions are out of sight until this one ends",
			outer);
}

static int run_in_new(const struct invocation *invocation, struct mr_error *err)
{
	const struct session_args *args = invocation->args;
	const char *outer = getenv(MR_SESSION_VARIABLE);
	struct mr_environment environment;
	char before[32];
	int fd, rc;

	/* A copy, as create_session() sets the variable anew. */
	snprintf(before, sizeof(before), "%s", outer ? outer : "");
	rc = create_session(invocation->global, args, &environment, &fd, err);
	if (rc && args->detach)
		return session_fail_detached(invocation, err);
	if (!rc && args->joinable)
		rc = mr_session_allow_joining(err);
	if (rc)
		return rc;
	note_outer_session(invocation, before);
	if (args->detach)
		return session_detach(invocation, &environment, fd, err);
	if (!invocation->operands[0] && !invocation->global->style.quiet && isatty(STDERR_FILENO))
		report_note(invocation->command->name,
			    "a session, which ends with this shell and all that it starts");
	return program_exec(invocation, err);
}

static int run_session(const struct invocation *invocation, struct mr_error *err)
{
	const struct session_args *args = invocation->args;

	if (args->hold)
		return hold_session(invocation, err);
	if (args->list)
		return session_list(invocation, err);
	if (args->end)
		return session_end(invocation, err);
	return run_in_new(invocation, err);
}

static const struct option_group group = { "Session", options, 0 };
static const struct option_group *const groups[] = { &group, NULL };

const struct command command_session = {
	.name = "session",
	.operands = "[-- CMD [ARG...]]",
	.summary = "run a program in which regions outlive the commands",
	.description = "Opens a device and a protection domain and runs CMD (default: $SHELL). "
		       "Regions that mrctl registers below it stay until they are deregistered or "
		       "the last process of the session ends.",
	.groups = groups,
	.rules = rules,
	.args_size = sizeof(struct session_args),
	.record = &session_record,
	.columns = SESSION_COLUMNS(session, device, simulated, regions, bytes, user, joinable,
				   held_by),
	.examples = (const char *const[]){ "mrctl session",
					   "mrctl session -- sh -c 'mrctl reg; mrctl stat'",
					   "eval \"$(mrctl session --detach)\"", NULL },
	.runs_program = true,
	.check = session_check,
	.run = run_session,
};
