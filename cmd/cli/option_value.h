/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The value that a command line gives to an option, once or several times. */
#ifndef CMD_CLI_OPTION_VALUE_H
#define CMD_CLI_OPTION_VALUE_H

#include "cmd/cli/option_table.h"

/** An option together with the member that it fills. */
struct option_value {
	const struct option_spec *option;
	void *member;
	const char *given; /**< the last value on this command line; or NULL */
	char *joined;      /**< lists put together, to which the member points; or NULL */
	struct option_value *earlier; /**< the option given before this one on the command line */
};

/**
 * option_value_set() - fill the member from @text
 * @last: the option that was given last on this command line; set to this one
 *
 * @text adds to former values where the option's type adds up, and is an error where it does not.
 *
 * Return: 0, or -EINVAL with MR_ERROR_USAGE.
 */
int option_value_set(struct option_value *value, struct option_value **last, const char *text,
		     struct mr_error *err);

#endif
