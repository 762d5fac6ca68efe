/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What options take: a row for each type. */
#ifndef CMD_CLI_OPTION_TYPES_H
#define CMD_CLI_OPTION_TYPES_H

#include "cmd/cli/options.h"

struct option_type_row {
	const char *name; /**< for --dump-cli */
	/** Fill the member from a word.  Return: 0, or -errno with MR_ERROR_USAGE. */
	int (*read)(const char *text, void *member, struct mr_error *err);
	bool adds_up; /**< given again, it adds to what was given before; else that is an error */
	bool is_text; /**< the member is a const char * */
};

/** By enum option_type. */
extern const struct option_type_row option_types[];

#endif
