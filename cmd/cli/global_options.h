/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options that every command takes, before or after its name. */
#ifndef CMD_CLI_GLOBAL_OPTIONS_H
#define CMD_CLI_GLOBAL_OPTIONS_H

#include <stdbool.h>

#include "cmd/cli/options.h"

struct global_args {
	const char *device;
	const char *columns;
	const char *session;
	bool json;
	bool no_headings;
	bool quiet;
	bool verbose;
	bool help;
	bool version;
	bool dump_cli;
};

/** They fill a struct global_args. */
extern const struct option_group global_group;

#endif
