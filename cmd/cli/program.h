/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Becoming another program, for the commands that prepare one. */
#ifndef CMD_CLI_PROGRAM_H
#define CMD_CLI_PROGRAM_H

#include "cmd/cli/command.h"

/**
 * program_exec() - exec the program that the operands name, or $SHELL
 *
 * Return: only if that fails, EXIT_NO_PROGRAM or EXIT_CANNOT_EXEC, as a shell would; the error has been
 * printed.
 */
int program_exec(const struct invocation *invocation, struct mr_error *err);

#endif
