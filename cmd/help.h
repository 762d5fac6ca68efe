/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --help and --dump-cli, made of the tables. */
#ifndef HELP_H
#define HELP_H

#include "command.h"

/** help_print() - help of @command, or of mrctl itself where that is NULL */
void help_print(const struct command *const *commands, const struct command *command,
		const struct option_group *global);

/**
 * help_dump() - all commands, options and fields as a JSON document
 * Return: 0 or -errno.
 */
int help_dump(const struct command *const *commands, const struct option_group *global,
	      struct mr_error *err);

#endif
