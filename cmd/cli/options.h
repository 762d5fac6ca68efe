/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reading command lines by option tables. */
#ifndef CMD_CLI_OPTIONS_H
#define CMD_CLI_OPTIONS_H

#include <stdbool.h>

#include "cmd/cli/option_table.h"
#include "lib/base/base.h"

/**
 * option_names() - whether @word is @name
 *
 * It compares byte by byte.  strcmp() reads many bytes at once, for which the processor waits if they
 * have just been written one by one, as the words of a batch's line have.
 */
static inline bool option_names(const char *word, const char *name)
{
	while (*word == *name) {
		if (!*word)
			return true;
		word++;
		name++;
	}
	return false;
}

/** A table together with the struct that it fills. */
struct option_binding {
	const struct option_group *group;
	void *target; /**< the group's base is added */
};

struct options;

/**
 * options_new() - get ready to read command lines
 * @bindings:   ends with one that has no group; what the members point to must stay
 * @stop_early: stop at the first operand instead of looking for options behind it
 *
 * Return: NULL with MR_ERROR_HOST when memory is short.
 */
struct options *options_new(const struct option_binding *bindings, bool stop_early,
			    struct mr_error *err);
void options_free(struct options *options);

/**
 * options_read() - fill structs from a command line (getopt_long)
 * @argc, @argv: argv[0] is skipped; reordered so that the operands come last
 * @operands:    set to the first element of @argv that is no option
 *
 * Names must be written out: getopt_long would take any unambiguous beginning.  An option that is given
 * again adds to its value if its type adds up (struct option_type), and is an error if not.
 *
 * Return: 0, or -EINVAL with MR_ERROR_USAGE.
 */
int options_read(struct options *options, int argc, char **argv, char ***operands,
		 struct mr_error *err);

/**
 * options_check() - whether the options that were read last make sense together
 * @rules: end with OPTION_RULES_END, or NULL
 *
 * Return: 0, or -EINVAL with MR_ERROR_USAGE.
 */
int options_check(const struct options *options, const struct option_rule *rules,
		  struct mr_error *err);

/** An option that may have been given. */
struct given_option {
	const char *name; /**< without dashes; NULL: the end of a list */
	bool given;
};

/** options_first_given() - the name of the first option in the list that was given; NULL: none */
const char *options_first_given(const struct given_option *options);

/**
 * options_unknown() - the option that options_read() does not know, and failed for
 * Return: "--name" or "-n"; NULL: it did not fail, or for another reason.
 */
const char *options_unknown(const struct options *options);

#endif
