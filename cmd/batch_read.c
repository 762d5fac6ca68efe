// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "batch_line.h"
#include "batch_read.h"

static int fail_unknown(const char *name, struct mr_error *err)
{
	return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
			    name[0] == '-' ? "a line begins with a command: '%s' belongs to "
					     "mrctl batch itself"
					   : "unknown command '%s'",
			    name);
}

/* The parser of a command, which is made when it is first needed; NULL with an error. */
static struct parser *find_parser(struct batch_reader *reader, const struct command *const *place,
				  const char *name, struct mr_error *err)
{
	const struct command *command = *place;
	struct parser *parser = &reader->parsers[place - dispatch_commands];

	if (parser->options)
		return parser;
	if (!command)
		fail_unknown(name, err);
	else if (!command->record || command == &command_batch)
		mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "mrctl %s makes no sense in a batch",
			     name);
	else if (parser_init(parser, command, &reader->given, err))
		parser_release(parser);
	else
		return parser;
	return NULL;
}

/* They hold for the batch as a whole: the first of those that a line gives. */
static const char *given_global(const struct global_args *given)
{
	static const struct global_args none = { .device = NULL };

	if (!memcmp(given, &none, sizeof(none)))
		return NULL;
	for (const struct option_spec *o = global_group.options; o->name; o++) {
		const char *member = (const char *)given + o->offset;
		bool is_flag = o->type == OPTION_FLAG;

		if (is_flag ? *(const bool *)member : *(const char *const *)member != NULL)
			return o->name;
	}
	return NULL;
}

/* Words to a command; so that lines can be pasted from a shell, mrctl may stand before it. */
static int parse(struct batch_reader *reader, struct invocation *invocation, struct mr_error *err)
{
	const struct command *const *place = dispatch_find(reader->words.list[0]);
	size_t skip = !*place && !strcmp(reader->words.list[0], "mrctl");
	char **words = reader->words.list + skip;
	struct parser *parser;
	const char *name;
	int rc;

	if (!words[0])
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "no command given");
	parser = find_parser(reader, skip ? dispatch_find(words[0]) : place, words[0], err);
	if (!parser)
		return -err->errnum;
	invocation->command = parser->command;
	invocation->args = parser->args;
	memset(&reader->given, 0, sizeof(reader->given));
	rc = parser_read(parser, (int)(reader->words.count - skip), words, &invocation->operands,
			 err);
	if (rc)
		return rc;
	name = given_global(&reader->given);
	if (name)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--%s is not for a line: give it to mrctl batch itself", name);
	return reader->checked ? 0 : dispatch_check(invocation, err);
}

int batch_read(struct batch_reader *reader, struct invocation *invocation, struct mr_error *err)
{
	struct mr_lines *lines = &reader->lines;
	int rc;

	do {
		rc = mr_lines_next(lines, err);
		if (rc < 0 && err->kind == MR_ERROR_USAGE)
			mr_wrap(err, "line %" PRIu64, lines->number);
		if (rc <= 0)
			return rc;
		err->text[0] = '\0';
		err->hint[0] = '\0';
		rc = mr_words_split(&reader->words, lines->line, lines->length, err);
	} while (!rc && !reader->words.count);
	mr_lines_trim(lines);
	invocation->command = NULL;
	if (!rc)
		parse(reader, invocation, err);
	return 1;
}

/* What is wrong in a file is said before anything is done. */
static int check_all(struct batch_reader *reader, const struct global_args *global,
		     struct mr_error *err)
{
	struct invocation invocation = { .global = global };
	int rc;

	while ((rc = batch_read(reader, &invocation, err)) > 0) {
		const struct batch_line line = { .number = reader->lines.number,
						 .text = reader->lines.line };

		if (err->text[0]) {
			batch_line_wrap(&line, err);
			return -err->errnum;
		}
		reader->total++;
	}
	if (!rc)
		mr_lines_again(&reader->lines);
	reader->checked = !rc;
	return rc;
}

int batch_reader_open(struct batch_reader *reader, const char *path,
		      const struct global_args *global, struct mr_error *err)
{
	size_t commands = 0;
	int rc = mr_lines_open(&reader->lines, path, err);

	if (rc)
		return rc;
	while (dispatch_commands[commands])
		commands++;
	reader->parsers = calloc(commands + 1, sizeof(*reader->parsers));
	if (!reader->parsers)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	return reader->lines.is_file ? check_all(reader, global, err) : 0;
}

void batch_reader_close(struct batch_reader *reader)
{
	for (size_t i = 0; reader->parsers && dispatch_commands[i]; i++)
		parser_release(&reader->parsers[i]);
	free(reader->parsers);
	mr_words_release(&reader->words);
	mr_lines_close(&reader->lines);
}
