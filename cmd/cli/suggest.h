/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Hints to errors about commands and options that there are not: what was probably meant. */
#ifndef CMD_CLI_SUGGEST_H
#define CMD_CLI_SUGGEST_H

#include "cmd/cli/command.h"

/* In each, @commands are all that there are; they end with NULL. */

/** suggest_command() - the command nearest to the word @name, if one is near */
void suggest_command(const struct command *const *commands, const char *name, struct mr_error *err);

/**
 * suggest_option() - the commands that have the option, or the nearest one of this command
 * @command: that does not have it, or NULL: it stood in front of the command
 * @option:  "--iova" or "-i"
 */
void suggest_option(const struct command *const *commands, const struct command *command,
		    const char *option, struct mr_error *err);

/** suggest_program() - for a program that there is not: what of mrctl was meant, if it was */
void suggest_program(const struct command *const *commands, const struct command *command,
		     char *const *program, struct mr_error *err);

#endif
