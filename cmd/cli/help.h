/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* mrctl help, --help and --dump-cli, which print the tables of commands, options and columns. */
#ifndef CMD_CLI_HELP_H
#define CMD_CLI_HELP_H

#include "cmd/cli/command.h"

/** Room for option_help_text(). */
#define OPTION_HELP_MAX 128

/**
 * option_help_text() - what an option is for, with the words that it takes if a table has them
 * @buffer: OPTION_HELP_MAX bytes that may be used
 *
 * Return: the text, in @buffer or in the option's row.
 */
const char *option_help_text(const struct option_spec *option, char *buffer);

/** help_print() - help of @command; NULL: of mrctl itself, with a list of all @commands */
void help_print(const struct command *const *commands, const struct command *command);

/**
 * help_answer() - mrctl help
 * @commands: all that there are; ends with NULL
 * @words:    of a command, of a topic, or none; ends with NULL
 *
 * Return: 0, or -EINVAL with MR_ERROR_USAGE.
 */
int help_answer(const struct command *const *commands, char **words, struct mr_error *err);

/**
 * help_dump() - all commands, options and fields as a JSON document
 * Return: 0 or -errno.
 */
int help_dump(const struct command *const *commands, const struct option_group *global,
	      struct mr_error *err);

#endif
