/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options that every command takes, before or after its name. */
#ifndef CMD_CLI_GLOBAL_OPTIONS_H
#define CMD_CLI_GLOBAL_OPTIONS_H

#include <stdbool.h>

#include "cmd/cli/option_types.h"
#include "cmd/output/output.h"

struct global_args {
	struct output_style style;
	const char *device;
	const char *session;
	enum why_depth why;
	bool help;
	bool version;
	bool dump_cli;
};

/** They fill a struct global_args. */
extern const struct option_group global_group;

#endif
