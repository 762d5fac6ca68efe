// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cli/cli.h"
#include "lib/base/base.h"

const struct command *const *command_find(const struct command *const *commands, const char *name)
{
	while (*commands && strcmp(name, (*commands)->name) != 0)
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

static bool is_chosen(const struct command *view, const struct invocation *invocation)
{
	return *(const bool *)((const char *)invocation->args + view->given);
}

const struct command *command_chosen(const struct invocation *invocation)
{
	const struct command *const *view = invocation->command->views;

	while (view && *view && !is_chosen(*view, invocation))
		view++;
	return view && *view ? *view : invocation->command;
}

struct command_records command_records(const struct invocation *invocation)
{
	const struct command *chosen = command_chosen(invocation);

	return chosen->choose ? chosen->choose(invocation)
			      : (struct command_records){ chosen->record, chosen->columns };
}

int command_check(const struct invocation *invocation, struct mr_error *err)
{
	const struct output_style *style = &invocation->global->style;
	const struct command *command = invocation->command;
	const struct command *view = command_chosen(invocation);
	int rc;

	if (command->opens_no_device && invocation->global->device && !invocation->enclosing) {
		mr_fail_usage(err, "%s does not support --device: it opens no device",
			      command->name);
		if (command->runs_program)
			mr_hint(err, "give it to the program: mrctl %s -- mrctl -d %s ...",
				command->name, invocation->global->device);
		return -EINVAL;
	}
	if (style->quiet && !style->json && (style->columns || style->verbose))
		return mr_fail_usage(err, "--quiet excludes --%s",
				     style->columns ? "output" : "verbose");
	if (!command->record && (style->columns || (style->json && !command->prints_document))) {
		mr_fail_usage(err, "this command does not support --%s",
			      style->columns ? "output" : "json");
		if (command->prints_document && strpbrk(style->columns, "./"))
			mr_hint(err, "did you mean 'mrctl %s --to %s'?", command->name,
				style->columns);
		return -EINVAL;
	}
	rc = command->check ? command->check(invocation, err) : 0;
	if (rc || view == command)
		return rc;
	for (const struct command *const *v = command->views; *v; v++)
		if (*v != view && is_chosen(*v, invocation))
			return mr_fail_usage(err, "--%s excludes --%s", view->name, (*v)->name);
	if (invocation->enclosing)
		return mr_fail_usage(err, "%s --%s is not available in a batch", command->name,
				     view->name);
	return view->check ? view->check(invocation, err) : 0;
}

const char *const help_words[] = { "help", "version", NULL };

/* Commands of other tools, and the corresponding command of mrctl. */
static const struct {
	const char *words, *meant;
} other_commands[] = {
	{ " list ls show get describe inspect query regions status ",
	  "'mrctl stat' (regions), or 'mrctl stat --device' (devices)?" },
	{ " devices device dev info devinfo ibv_devices ibv_devinfo ibstat ibstatus ",
	  "'mrctl stat --device'?" },
	{ " check host ready doctor diagnose test ", "'mrctl stat --host'?" },
	{ " probe capabilities caps limits ", "'mrctl stat --probe'?" },
	{ " resource resources rdma system ps top ", "'mrctl stat --system'?" },
	{ " register add create new mr ", "'mrctl reg'?" },
	{ " deregister unregister unreg delete del rm remove free ", "'mrctl dereg'?" },
	{ " change modify update ", "'mrctl rereg'?" },
	{ " dmabuf ", "'mrctl reg-dmabuf'?" },
	{ " why errno error log ", "'mrctl explain'?" },
	{ " simulate simulator ", "'mrctl sim'?" },
	{ " open shell ", "'mrctl session'?" },
	{ " close exit quit stop kill end ", "'mrctl session --end'?" },
	{ " prefetch advise advice ibv_advise_mr ", "'mrctl reg --advise'?" },
	{ " flush ", "'mrctl dereg --flush'?" },
	{ " perf benchmark measure ", "'mrctl bench'?" },
	{ " strace follow ", "'mrctl trace'?" },
	{ " run exec script ", "'mrctl batch', 'mrctl session' or 'mrctl trace'?" },
};

const char *suggest_meant(const char *word)
{
	char padded[32];

	snprintf(padded, sizeof(padded), " %s ", word);
	for (size_t i = 0; i < sizeof(other_commands) / sizeof(*other_commands); i++)
		if (strstr(other_commands[i].words, padded))
			return other_commands[i].meant;
	return NULL;
}

/* The command that makes the call of that name, which its summary has in brackets; NULL: none. */
static const struct command *find_call(const struct command *const *commands, const char *name)
{
	char call[48];

	snprintf(call, sizeof(call), "(%s)", name);
	while (*commands && !strstr((*commands)->summary, call))
		commands++;
	return *commands;
}

void suggest_command(const struct command *const *commands, const char *name, struct mr_error *err)
{
	struct mr_guess guess = { .word = name, .length = strlen(name) };
	const struct command *caller = find_call(commands, name);
	const char *meant = suggest_meant(name);

	if (meant) {
		mr_hint(err, "did you mean %s", meant);
		return;
	}
	if (caller) {
		mr_hint(err, "did you mean 'mrctl %s'?", caller->name);
		return;
	}
	for (const struct command *const *c = commands; *c; c++)
		mr_guess_try(&guess, (*c)->name);
	for (const char *const *word = help_words; *word; word++)
		mr_guess_try(&guess, *word);
	if (guess.best)
		mr_hint(err, "did you mean '%s'?", guess.best);
}
