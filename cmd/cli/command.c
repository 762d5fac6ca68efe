// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cli/cli.h"
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

static int check_output_options(const struct command *command, const struct global_args *global,
				struct mr_error *err)
{
	const char *printed = global->style.columns   ? "output"
			      : global->style.verbose ? "verbose"
						      : NULL;

	if (global->style.quiet && !global->style.json && printed)
		return mr_fail_usage(err, "--quiet excludes --%s", printed);
	if (command->record || (command->prints_document && !global->style.columns) ||
	    (!global->style.json && !global->style.columns))
		return 0;
	mr_fail_usage(err, "--%s: this command prints no rows and no document",
		      global->style.json ? "json" : "output");
	if (command->prints_document && strpbrk(global->style.columns, "./"))
		mr_hint(err, "did you mean 'mrctl %s --to %s'?", command->name,
			global->style.columns);
	return -EINVAL;
}

int command_check(const struct invocation *invocation, struct mr_error *err)
{
	const struct command *command = invocation->command;
	const struct command *view = command_chosen(invocation);
	int rc;

	if (command->opens_no_device && invocation->global->device && !invocation->enclosing) {
		mr_fail_usage(err, "--device: %s opens no device", command->name);
		if (command->runs_program)
			mr_hint(err, "give it to the program: mrctl %s -- mrctl -d %s ...",
				command->name, invocation->global->device);
		return -EINVAL;
	}
	rc = check_output_options(command, invocation->global, err);
	if (!rc && command->check)
		rc = command->check(invocation, err);
	if (rc || view == command)
		return rc;
	for (const struct command *const *v = command->views; *v; v++)
		if (*v != view && is_chosen(*v, invocation))
			return mr_fail_usage(err, "--%s excludes --%s", view->name, (*v)->name);
	if (invocation->enclosing)
		return mr_fail_usage(err, "a line of a batch cannot be %s --%s", command->name,
				     view->name);
	return view->check ? view->check(invocation, err) : 0;
}

int command_run(const struct invocation *invocation, struct mr_error *err)
{
	const struct command *command = invocation->command;
	command_run_function *run = command_chosen(invocation)->run;

	return command->run_by ? command->run_by(invocation, run, err) : run(invocation, err);
}

const char *const help_words[] = { "help", "version", NULL };

/* Words that other tools have for commands, and what is meant. */
static const struct {
	const char *words, *meant;
} other_commands[] = {
	{ " list ls show regions status ",
	  "'mrctl stat' (regions), or 'mrctl stat --device' (devices)?" },
	{ " devices device dev info devinfo ", "'mrctl stat --device'?" },
	{ " check host ready doctor diagnose test ", "'mrctl stat --host'?" },
	{ " probe capabilities caps limits ", "'mrctl stat --probe'?" },
	{ " resource resources system ", "'mrctl stat --system'?" },
	{ " register add create new mr ", "'mrctl reg'?" },
	{ " deregister unregister unreg delete del rm remove free ", "'mrctl dereg'?" },
	{ " change modify update ", "'mrctl rereg'?" },
	{ " dmabuf ", "'mrctl reg-dmabuf'?" },
	{ " why errno error log ", "'mrctl explain'?" },
	{ " simulate simulator ", "'mrctl sim'?" },
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

void suggest_command(const struct command *const *commands, const char *name, struct mr_error *err)
{
	struct mr_guess guess = mr_guess_init(name, strlen(name));
	const char *meant = suggest_meant(name);

	if (meant) {
		mr_hint(err, "did you mean %s", meant);
		return;
	}
	for (const struct command *const *c = commands; *c; c++)
		mr_guess_try(&guess, (*c)->name);
	for (const char *const *word = help_words; *word; word++)
		mr_guess_try(&guess, *word);
	if (guess.best)
		mr_hint(err, "did you mean '%s'?", guess.best);
}

/* The option that is written as "--iova", in any case, or "-i"; NULL: none */
static const struct option_spec *find_option(const struct option_group *const *groups,
					     const char *option)
{
	const bool is_name = option[1] == '-';

	for (; *groups; groups++)
		for (const struct option_spec *o = (*groups)->options; o->name; o++)
			if (is_name ? mr_word_is(option + 2, strlen(option + 2), o->name)
				    : o->letter && o->letter == option[1])
				return o;
	return NULL;
}

static void guess_option(struct mr_guess *guess, const struct option_group *const *groups)
{
	for (; *groups; groups++)
		for (const struct option_spec *o = (*groups)->options; o->name; o++)
			mr_guess_try(guess, o->name);
}

/* The option that the command has for a word that other tools have; NULL: none. */
static const struct option_spec *find_other_word(const struct option_group *const *groups,
						 const char *option)
{
	static const char *const words[][2] = {
		{ "--length", "--size" },  { "--len", "--size" },     { "--bytes", "--size" },
		{ "--flags", "--access" }, { "--number", "--count" }, { "--file", "--memory" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(option, words[i][0]))
			return find_option(groups, words[i][1]);
	return NULL;
}

void suggest_option(const struct command *const *commands, const struct command *command,
		    const char *option, struct mr_error *err)
{
	static const struct option_group *const global[] = { &global_group, NULL };
	static const struct option_group *const none[] = { NULL };
	const struct option_group *const *own = command ? command->groups : none;
	struct mr_guess guess =
		mr_guess_init(option + 2, strlen(option) > 2 ? strlen(option) - 2 : 0);
	const struct option_spec *same_word =
		find_option(own, option) ?: find_other_word(own, option);
	char owners[128] = "";
	unsigned int count = 0;

	for (const struct command *const *c = commands; *c; c++)
		if (find_option((*c)->groups, option) && ++count)
			mr_text_add(owners, sizeof(owners), ", ", "%s", (*c)->name);
	guess_option(&guess, own);
	guess_option(&guess, global);
	if (same_word) /* in another spelling, such as --IOVA */
		mr_hint(err, "did you mean '--%s'?", same_word->name);
	else if (command && !strcmp(option, "--format"))
		mr_hint(err, "for JSON: --json (-j); %s have --format", owners);
	else if (count && command)
		mr_hint(err, "%s %s it", owners, count == 1 ? "has" : "have");
	else if (count)
		mr_hint(err, "put an option of %s after that command", owners);
	else if (guess.best)
		mr_hint(err, "did you mean '--%s'?", guess.best);
}

void suggest_operand(const struct command *command, const char *word, struct mr_error *err)
{
	struct mr_error ignored;
	uint64_t size;

	if (find_option(command->groups, "--size") && !mr_parse_size(word, &size, &ignored))
		mr_hint(err, "did you mean '--size %s'?", word);
}

void suggest_program(const struct command *const *commands, const struct command *command,
		     char *const *program, struct mr_error *err)
{
	/* Words that people use for options of session. */
	static const char *const others[][2] = {
		{ "ls", "--list" },  { "show", "--list" }, { "status", "--list" },
		{ "stop", "--end" }, { "end", "--end" },   { "close", "--end" },
		{ "kill", "--end" }, { "exit", "--end" },  { "start", "--detach" },
	};
	const struct option_spec *found;
	char option[32];

	snprintf(option, sizeof(option), "--%s", *program);
	found = find_option(command->groups, option);
	for (size_t i = 0; !found && i < sizeof(others) / sizeof(*others); i++)
		if (!strcmp(*program, others[i][0]))
			found = find_option(command->groups, others[i][1]);
	if (*command_find(commands, *program))
		mr_hint(err, "did you mean 'mrctl %s -- mrctl %s'?", command->name, *program);
	else if (found)
		mr_hint(err, "did you mean 'mrctl %s --%s'?", command->name, found->name);
}
