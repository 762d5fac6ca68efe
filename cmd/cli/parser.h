/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reading the words of a command line into the struct of its command. */
#ifndef CMD_CLI_PARSER_H
#define CMD_CLI_PARSER_H

#include "cmd/cli/command.h"

/** What fills a command's struct from words. */
struct parser {
	const struct command *command;
	void *args;
	struct options *options;
};

/**
 * parser_init() - get ready to read command lines of @command
 * @global: filled by the global options among them; must outlive @parser
 *
 * Where an option of the command has the name of a global one, the command's is meant; the letter is that of
 * the global one: "stat --device" and "stat -d NAME".
 *
 * Return: 0 or -ENOMEM; parser_release() it in either case.
 */
int parser_init(struct parser *parser, const struct command *command, struct global_args *global,
		struct mr_error *err);

/**
 * parser_read() - fill @parser->args from a command line, as options_read() does
 * @commands: all that there are, for a hint which of them has an option that this one lacks
 */
int parser_read(struct parser *parser, const struct command *const *commands, int argc, char **argv,
		char ***operands, struct mr_error *err);

/** parser_check() - options_check() of the command line that was read last, and whether it may have @operands */
int parser_check(const struct parser *parser, char *const *operands, struct mr_error *err);
void parser_release(struct parser *parser);

#endif
