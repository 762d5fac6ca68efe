// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Whether the options and operands of mrctl session make sense together. */
#include <errno.h>
#include <string.h>

#include "cmd/cli/cli.h"
#include "cmd/region/region.h"
#include "cmd/session/modes.h"

/* The option that makes session do something else than run a program in a new session; or NULL. */
static const char *mode_of(const struct session_args *args)
{
	const struct given_option modes[] = { { "detach", args->detach },
					      { "hold", args->hold },
					      { "list", args->list },
					      { "end", args->end },
					      { NULL, false } };

	return options_first_given(modes);
}

static int check_operands(const struct invocation *invocation, const char *mode,
			  struct mr_error *err)
{
	const struct session_args *args = invocation->args;
	char **operands = invocation->operands;

	if (!mode || !operands[0])
		return 0;
	if (!args->end)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "--%s runs no program: '%s'", mode,
				    operands[0]);
	if (operands[1])
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--end takes one session, and options before it: '%s'",
				    operands[1]);
	if (strspn(operands[0], "0123456789") == strlen(operands[0]))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--end: to end the session of process %s, say pid:%s",
				    operands[0], operands[0]);
	return 0;
}

/* Checks global options that only some modes use. */
static int check_global_options(const struct invocation *invocation, const char *mode,
				struct mr_error *err)
{
	const struct session_args *args = invocation->args;
	const struct global_args *global = invocation->global;
	const char *where = context_session(invocation);

	if ((global->style.json || global->style.columns) && (!mode || args->hold))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--%s: only --list, --end and --detach print sessions",
				    global->style.json ? "json" : "output");
	if (global->device && (args->list || args->end))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--%s opens no session, so it takes no --device", mode);
	if (args->hold && where && !strncmp(where, "pid:", 4))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--hold keeps an inherited session (fd:N), not '%s'", where);
	if (args->detach && global->style.quiet && global->style.no_headings)
		return mr_fail_text(
			err, MR_ERROR_USAGE, EINVAL,
			"--quiet excludes --no-headings: neither would print where the session "
			"is");
	if (args->list && global->session)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--list shows all sessions, so it takes no --session");
	if (!args->hold && !args->end && global->session)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--session: this opens a new session, and joins none");
	return 0;
}

int session_check(const struct invocation *invocation, struct mr_error *err)
{
	const struct session_args *args = invocation->args;
	int rc = check_operands(invocation, mode_of(args), err);

	if (!rc)
		rc = check_global_options(invocation, mode_of(args), err);
	if (rc)
		return rc;
	if (args->relaxed_limit.value > UINT32_MAX || args->relaxed_watermark.value > UINT32_MAX)
		return mr_fail_text(err, MR_ERROR_USAGE, ERANGE, "--relaxed-%s: at most %u",
				    args->relaxed_limit.value > UINT32_MAX ? "limit" : "watermark",
				    UINT32_MAX);
	return 0;
}
