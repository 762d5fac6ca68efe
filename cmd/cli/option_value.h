/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a command line gives to an option, once or several times. */
#ifndef CMD_CLI_OPTION_VALUE_H
#define CMD_CLI_OPTION_VALUE_H

#include "cmd/cli/option_table.h"

/** An option together with the member that it fills. */
struct option_value {
	const struct option_spec *option;
	void *member;
	const char *given; /**< on this command line, the last time; or NULL */
	char *joined;      /**< lists given one by one, as one; the member points to it; or NULL */
	struct option_value *earlier; /**< the one that was given before it on this command line */
};

/**
 * option_value_set() - fill the member from @text
 * @last: the option that was given last on this command line; set to this one
 *
 * What was given before adds up where the option's type does, and is an error where it does not.
 *
 * Return: 0, or -EINVAL with MR_ERROR_USAGE.
 */
int option_value_set(struct option_value *value, struct option_value **last, const char *text,
		     struct mr_error *err);

#endif
