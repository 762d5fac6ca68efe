// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/region/context.h"
#include "cmd/region/enclosing.h"
#include "lib/base/base.h"
#include "lib/host/reading.h"
#include "lib/session/session.h"

const char *context_session(const struct invocation *invocation)
{
	const struct global_args *global = invocation->global;
	const char *where;

	if (invocation->enclosing)
		return "batch";
	where = global->session ? global->session : getenv(MR_SESSION_VARIABLE);
	return where && *where ? where : NULL;
}

int context_fail_no_session(struct mr_error *err)
{
	mr_fail_text(err, MR_ERROR_ABSENT, ENOTCONN, "not in a session");
	mr_hint(err, "open one with mrctl session, or name one with --session");
	return -ENOTCONN;
}

/* "stat mlx5_0" */
static bool is_device(const char *word)
{
	char type[32];

	return word && !strchr(word, '/') && *word != '.' &&
	       mr_host_line(mr_this_host(), type, sizeof(type),
			    "/sys/class/infiniband/%s/node_type", word);
}

/* Who sees no session may have meant a view, which needs none. */
static void hint_at_views(const struct invocation *invocation, struct mr_error *err)
{
	const struct command *command = invocation->command;
	char options[128] = "";
	size_t used = 0;

	for (const struct command_view *const *view = command->views; view && *view; view++)
		if (used < sizeof(options))
			used += (size_t)snprintf(options + used, sizeof(options) - used, " --%s",
						 (*view)->option);
	if (used && is_device(invocation->operands[0]))
		mr_hint(err, "did you mean 'mrctl %s --device %s'?", command->name,
			invocation->operands[0]);
	else if (used)
		mr_hint(err,
			"open one with mrctl session, or name one with --session; "
			"without one there are%s",
			options);
}

struct mr_session *context_open_session(const struct invocation *invocation,
					struct mr_session *room, struct mr_error *err)
{
	const struct global_args *global = invocation->global;
	const char *where = context_session(invocation);

	if (invocation->enclosing)
		return invocation->enclosing->session;
	if (!where) {
		context_fail_no_session(err);
		hint_at_views(invocation, err);
		return NULL;
	}
	if (global->device) {
		mr_fail_text(
			err, MR_ERROR_USAGE, EINVAL,
			"a command in a session works on the session's device: give no --device");
		return NULL;
	}
	return mr_session_open(where, room, err) ? NULL : room;
}

void context_leave_session(const struct invocation *invocation, struct mr_session *session)
{
	if (!invocation->enclosing)
		mr_session_close(session);
}

const struct mr_environment *context_environment(const struct invocation *invocation,
						 const struct mr_session *session,
						 struct mr_environment *room)
{
	if (invocation->enclosing)
		return invocation->enclosing->environment;
	mr_session_environment(session, room);
	return room;
}

void context_block_signals(const struct invocation *invocation)
{
	if (!invocation->enclosing)
		mr_signals_block();
}

bool context_is_interrupted(const struct invocation *invocation, bool first)
{
	return !(first && invocation->enclosing) && mr_interrupted();
}
