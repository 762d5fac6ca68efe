/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From words to a command: which one, its options, and whether they make sense. */
#ifndef CMD_CLI_PARSER_H
#define CMD_CLI_PARSER_H

#include "cmd/cli/command.h"

/** All commands; ends with NULL. */
extern const struct command *const dispatch_commands[];

/** Words in the place of a command, which main() answers itself; ends with NULL. */
extern const char *const dispatch_words[];

/** Options that every command takes; they fill a struct global_args. */
extern const struct option_group global_group;

/** dispatch_find() - the place in dispatch_commands of the command of that name, or of the NULL */
const struct command *const *dispatch_find(const char *name);

/** A command's struct, and what fills it from words. */
struct parser {
	const struct command *command;
	void *args;
	struct options *options;
};

/**
 * parser_init() - get ready to read command lines of @command
 * @global: filled as well; must stay
 *
 * Return: 0 or -ENOMEM; parser_release() it in either case.
 */
int parser_init(struct parser *parser, const struct command *command, struct global_args *global,
		struct mr_error *err);

/** parser_read() - fill its args anew; as options_read() */
int parser_read(struct parser *parser, int argc, char **argv, char ***operands,
		struct mr_error *err);

/** parser_check() - whether the options that were read last make sense together; as options_check() */
int parser_check(const struct parser *parser, struct mr_error *err);
void parser_release(struct parser *parser);

/**
 * dispatch_check() - what can be said of a command line before anything is done
 * Return: 0, or -errno with MR_ERROR_USAGE.
 */
int dispatch_check(const struct invocation *invocation, struct mr_error *err);

#endif
