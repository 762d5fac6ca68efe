// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of commands: a new one has its file, which defines command_NAME, and its line here. */
#include "cmd/cli/cli.h"

#define COMMANDS(COMMAND)                                                                          \
	COMMAND(session)                                                                           \
	COMMAND(reg)                                                                               \
	COMMAND(reg_iova)                                                                          \
	COMMAND(reg_dmabuf)                                                                        \
	COMMAND(umem)                                                                              \
	COMMAND(rereg)                                                                             \
	COMMAND(dereg)                                                                             \
	COMMAND(verify)                                                                            \
	COMMAND(stat)                                                                              \
	COMMAND(explain)                                                                           \
	COMMAND(report)                                                                            \
	COMMAND(bench)                                                                             \
	COMMAND(batch)                                                                             \
	COMMAND(trace)                                                                             \
	COMMAND(sim)

#define DECLARE(name) extern const struct command command_##name;
#define ADDRESS(name) &command_##name,

COMMANDS(DECLARE)

const struct command *const all_commands[] = { COMMANDS(ADDRESS) NULL };
