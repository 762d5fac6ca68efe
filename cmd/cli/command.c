// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "cmd/cli/command.h"
#include "cmd/cli/options.h"
#include "lib/base/choice.h"

const struct command *const *command_find(const struct command *const *commands, const char *name)
{
	while (*commands && !option_names(name, (*commands)->name))
		commands++;
	return commands;
}

bool command_fills(const struct command *command, const char *column)
{
	const char *rest = command->fills, *item;
	size_t length;

	if (!rest)
		return true;
	while ((item = mr_list_item(&rest, ",", &length)))
		if (mr_word_is(item, length, column))
			return true;
	return false;
}

static int check_output_options(const struct command *command, const struct global_args *global,
				struct mr_error *err)
{
	const char *printed = global->style.json      ? "json"
			      : global->style.columns ? "output"
			      : global->style.verbose ? "verbose"
						      : NULL;

	if (global->style.quiet && printed)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "--quiet excludes --%s", printed);
	if (!command->record && (global->style.json || global->style.columns))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--%s: this command prints no regions or sessions",
				    global->style.json ? "json" : "output");
	return 0;
}

int command_check(const struct invocation *invocation, struct mr_error *err)
{
	const struct command *command = invocation->command;
	int rc;

	if (!command->operands && invocation->operands[0])
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "unexpected argument '%s'",
				    invocation->operands[0]);
	rc = check_output_options(command, invocation->global, err);
	return rc || !command->check ? rc : command->check(invocation, err);
}
