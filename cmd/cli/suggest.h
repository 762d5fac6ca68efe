/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Hints for unknown commands, options and programs: what the user probably meant. */
#ifndef CMD_CLI_SUGGEST_H
#define CMD_CLI_SUGGEST_H

#include "cmd/cli/command.h"

/** "help" and "version", which stand in the place of a command: main() runs them.  Ends with NULL. */
extern const char *const help_words[];

/* In each, @commands are all that there are; they end with NULL. */

/** suggest_meant() - what a word of other tools means here: "'mrctl stat --host'?"; NULL: not known */
const char *suggest_meant(const char *word);

/** suggest_command() - hint which command is nearest to the unknown @name, if one is near */
void suggest_command(const struct command *const *commands, const char *name, struct mr_error *err);

/**
 * suggest_option() - hint which commands have the option, or which option of this one is nearest to it
 * @command: the command that does not have it; NULL: the option stood before the command
 * @option:  "--iova" or "-i"
 */
void suggest_option(const struct command *const *commands, const struct command *command,
		    const char *option, struct mr_error *err);

/** suggest_operand() - hint which option of the command was meant by an operand that it does not take */
void suggest_operand(const struct command *command, const char *word, struct mr_error *err);

/** suggest_program() - hint which command or option of mrctl was meant by a program that does not exist */
void suggest_program(const struct command *const *commands, const struct command *command,
		     char *const *program, struct mr_error *err);

#endif
