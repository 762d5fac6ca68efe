// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/batch/reader.h"
#include "cmd/cli/cli.h"
#include "cmd/region/region.h"

static void fail_unknown_command(const struct command *const *commands, const char *name,
				 struct mr_error *err)
{
	if (name[0] == '-') {
		mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
			     "a line begins with a command: '%s' belongs to mrctl batch itself",
			     name);
		return;
	}
	mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "unknown command '%s'", name);
	suggest_command(commands, name, err);
}

/*
 * The command @name, which command_find() has found as @listed, with its parser, which is made when it is
 * first needed.  Return: NULL with an error.
 */
static struct batch_command *prepare_command(struct batch_reader *reader,
					     const struct command *const *listed, const char *name,
					     struct mr_error *err)
{
	const struct command *command = *listed;
	struct batch_command *found = &reader->parsers[listed - reader->commands];

	if (found->parser.options)
		return found;
	if (!command)
		fail_unknown_command(reader->commands, name, err);
	else if (command->runs_program || command->not_in_batch)
		mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "mrctl %s makes no sense in a batch",
			     name);
	else if (parser_init(&found->parser, command, &reader->given, err))
		parser_release(&found->parser);
	else
		return found;
	return NULL;
}

/* The first global option of a line; or NULL.  One is an error: they hold for the batch as a whole. */
static const char *given_global(const struct global_args *given)
{
	static const struct global_args none = { .device = NULL };

	if (!memcmp(given, &none, sizeof(none)))
		return NULL;
	for (const struct option_spec *o = global_group.options; o->name; o++) {
		const char *member = (const char *)given + o->offset;

		if (o->type->is_text ? *(const char *const *)member != NULL : *(const bool *)member)
			return o->name;
	}
	return NULL;
}

static void set_command(struct invocation *invocation, const struct batch_command *command)
{
	invocation->command = command->parser.command;
	invocation->args = command->parser.args;
	invocation->operands = command->operands;
}

/* Gives the words of a line to its command, whose args point to them, and takes its former ones. */
static void swap_words(struct batch_command *command, struct mr_shell_words *words)
{
	const struct mr_shell_words former = command->words;

	command->words = *words;
	*words = former;
}

/*
 * Finds the command of a line and reads its options.  The word mrctl may stand before the command, so
 * that lines can be pasted from a shell.  Return: NULL with an error.
 */
static struct batch_command *parse_line(struct batch_reader *reader, struct invocation *invocation,
					struct mr_error *err)
{
	const struct command *const *listed = command_find(reader->commands, reader->words.list[0]);
	size_t skip = !*listed && !strcmp(reader->words.list[0], "mrctl");
	char **words = reader->words.list + skip;
	int count = (int)(reader->words.count - skip);
	struct batch_command *command;
	const char *name;
	int rc;

	if (!words[0]) {
		mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "no command given");
		return NULL;
	}
	if (skip)
		listed = command_find(reader->commands, words[0]);
	command = prepare_command(reader, listed, words[0], err);
	if (!command)
		return NULL;
	swap_words(command, &reader->words);
	memset(&reader->given, 0, sizeof(reader->given));
	rc = parser_read(&command->parser, reader->commands, count, words, &command->operands, err);
	set_command(invocation, command);
	if (rc)
		return NULL;
	name = given_global(&reader->given);
	if (!name)
		return reader->checked ||
				       (!parser_check(&command->parser, command->operands, err) &&
					!command_check(invocation, err))
			       ? command
			       : NULL;
	mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
		     "--%s is not for a line: give it to mrctl batch itself", name);
	return NULL;
}

/*
 * The command whose last line was the same as this one, or NULL.  Long files repeat lines, which are then
 * not parsed again.  That line was right: a file with a wrong one is not run.
 */
static const struct batch_command *find_repeated(const struct batch_reader *reader)
{
	const struct mr_line_reader *lines = &reader->lines;

	for (size_t i = 0; reader->commands[i]; i++) {
		const struct batch_command *command = &reader->parsers[i];

		if (command->line && command->length == lines->length &&
		    !memcmp(command->line, lines->line, lines->length))
			return command;
	}
	return NULL;
}

/* Only the lines of a regular file stay in memory, to be compared with later ones. */
static void remember_line(const struct mr_line_reader *lines, struct batch_command *command)
{
	if (!command || !lines->is_file)
		return;
	command->line = lines->line;
	command->length = lines->length;
}

int batch_read(struct batch_reader *reader, struct invocation *invocation, struct mr_error *err)
{
	struct mr_line_reader *lines = &reader->lines;
	const struct batch_command *repeated;
	int rc;

	invocation->command = NULL;
	do {
		rc = mr_line_reader_next(lines, err);
		if (rc < 0 && err->kind == MR_ERROR_USAGE)
			mr_wrap(err, "line %" PRIu64, lines->number);
		if (rc <= 0)
			return rc;
		mr_error_clear(err);
		repeated = find_repeated(reader);
		rc = repeated ? 0
			      : mr_shell_words_split(&reader->words, lines->line, lines->length,
						     err);
	} while (!rc && !repeated && !reader->words.count);
	if (repeated)
		set_command(invocation, repeated);
	else if (!rc)
		remember_line(lines, parse_line(reader, invocation, err));
	mr_line_reader_trim(lines);
	return 1;
}

/* Checks all lines of a file, so that a wrong one is reported before any is run. */
static int check_all(struct batch_reader *reader, const struct invocation *line,
		     struct mr_error *err)
{
	struct invocation invocation = *line;
	int rc;

	while ((rc = batch_read(reader, &invocation, err)) > 0) {
		const struct enclosing enclosing = { .number = reader->lines.number,
						     .text = reader->lines.line };

		if (mr_error_is_set(err)) {
			enclosing_wrap(&enclosing, err);
			return -err->errnum;
		}
		reader->total++;
	}
	if (!rc)
		mr_line_reader_rewind(&reader->lines);
	reader->checked = !rc;
	return rc;
}

int batch_reader_open(struct batch_reader *reader, const char *path, const struct invocation *line,
		      struct mr_error *err)
{
	size_t commands = 0;
	int rc = mr_line_reader_open(&reader->lines, path, err);

	if (rc)
		return rc;
	while (line->commands[commands])
		commands++;
	reader->commands = line->commands;
	reader->parsers = calloc(commands + 1, sizeof(*reader->parsers));
	if (!reader->parsers)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	return reader->lines.is_file ? check_all(reader, line, err) : 0;
}

void batch_reader_close(struct batch_reader *reader)
{
	for (size_t i = 0; reader->parsers && reader->commands[i]; i++) {
		parser_release(&reader->parsers[i].parser);
		mr_shell_words_release(&reader->parsers[i].words);
	}
	free(reader->parsers);
	mr_shell_words_release(&reader->words);
	mr_line_reader_close(&reader->lines);
}
