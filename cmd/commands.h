/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* All commands. */
#ifndef CMD_COMMANDS_H
#define CMD_COMMANDS_H

#include "cmd/cli/cli.h"

/** In the order of the help; ends with NULL. */
extern const struct command *const all_commands[];

#endif
