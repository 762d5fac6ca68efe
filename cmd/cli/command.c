// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>

#include "cmd/cli/command.h"
#include "cmd/cli/options.h"
#include "lib/base/base.h"

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

static bool is_chosen(const struct command_view *view, const struct invocation *invocation)
{
	return *(const bool *)((const char *)invocation->args + view->given);
}

const struct command_view *command_view(const struct invocation *invocation)
{
	const struct command_view *const *view = invocation->command->views;

	while (view && *view && !is_chosen(*view, invocation))
		view++;
	return view ? *view : NULL;
}

const struct record *command_record(const struct invocation *invocation)
{
	const struct command_view *view = command_view(invocation);

	if (view && view->choose)
		return view->choose(invocation)->record;
	return view ? view->record : invocation->command->record;
}

const char *command_columns(const struct invocation *invocation)
{
	const struct command_view *view = command_view(invocation);

	if (view && view->choose)
		return view->choose(invocation)->columns;
	return view ? view->columns : invocation->command->columns;
}

const struct metric *command_metrics(const struct invocation *invocation)
{
	const struct command_view *view = command_view(invocation);

	return view ? view->metrics : NULL;
}

static int check_view(const struct invocation *invocation, const struct command_view *view,
		      struct mr_error *err)
{
	for (const struct command_view *const *v = invocation->command->views; *v; v++)
		if (*v != view && is_chosen(*v, invocation))
			return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "--%s excludes --%s",
					    view->option, (*v)->option);
	if (invocation->enclosing)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "no line of a batch can be %s --%s", invocation->command->name,
				    view->option);
	return view->check ? view->check(invocation, err) : 0;
}

static int fail_unprinted(const struct command *command, const struct global_args *global,
			  struct mr_error *err)
{
	mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
		     "--%s: this command prints no regions or sessions",
		     global->style.json ? "json" : "output");
	if (command->prints_document && strpbrk(global->style.columns, "./"))
		mr_hint(err, "did you mean 'mrctl %s --to %s'?", command->name,
			global->style.columns);
	return -EINVAL;
}

static int check_output_options(const struct command *command, const struct global_args *global,
				struct mr_error *err)
{
	const char *printed = global->style.columns   ? "output"
			      : global->style.verbose ? "verbose"
						      : NULL;

	if (global->style.quiet && !global->style.json && printed)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "--quiet excludes --%s", printed);
	if (!command->record && !(command->prints_document && !global->style.columns) &&
	    (global->style.json || global->style.columns))
		return fail_unprinted(command, global, err);
	return 0;
}

int command_check(const struct invocation *invocation, struct mr_error *err)
{
	const struct command *command = invocation->command;
	const struct command_view *view = command_view(invocation);
	int rc;

	if (command->opens_no_device && invocation->global->device && !invocation->enclosing) {
		mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "--device: %s opens no device",
			     command->name);
		if (command->runs_program)
			mr_hint(err, "give it to the program: mrctl %s -- mrctl -d %s ...",
				command->name, invocation->global->device);
		return -EINVAL;
	}
	rc = check_output_options(command, invocation->global, err);
	if (!rc && command->check)
		rc = command->check(invocation, err);
	return rc || !view ? rc : check_view(invocation, view, err);
}

int command_run(const struct invocation *invocation, struct mr_error *err)
{
	const struct command *command = invocation->command;
	const struct command_view *view = command_view(invocation);
	command_run_function *run = view ? view->run : command->run;

	return command->run_by ? command->run_by(invocation, run, err) : run(invocation, err);
}
