/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Option tables.  An option says what it is called, what it takes and which member of the
 * command's struct it fills; parsing, help and --dump-cli are made of that.
 */
#ifndef CMD_CLI_OPTIONS_H
#define CMD_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/checked_offset.h"
#include "lib/base/error.h"

/** What an option takes.  The types that there are: cmd/cli/option_types.h. */
struct option_type {
	const char *name; /**< for --dump-cli */
	/** Fill the member from a word.  Return: 0, or -errno with MR_ERROR_USAGE. */
	int (*read)(const char *text, void *member, struct mr_error *err);
	bool adds_up; /**< given again, it adds to what was given before; else that is an error */
	bool is_text; /**< the member is a const char * */
};

struct option_spec {
	const char *name;     /**< long name, without dashes */
	const char *argument; /**< "SIZE", or NULL */
	const char *help;     /**< lower case, no full stop */
	const struct option_type *type;
	size_t offset;
	char letter; /**< or 0 */
};

/**
 * option_names() - whether @word is @name
 *
 * strcmp() reads many bytes at once, and waits where they have been written one by one just before,
 * as those of a batch's line.
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

struct option_group {
	const char *title;                 /**< heading in help */
	const struct option_spec *options; /**< ends with an unnamed one */
	size_t base; /**< offset of what the options fill in the command's struct */
};

/** What options say about one another; neither is a global one. */
struct option_rule {
	const char *option;
	enum option_relation { OPTION_EXCLUDES, OPTION_NEEDS } relation;
	const char *other;
};

#define OPTION_RULES_END                                                                           \
	{                                                                                          \
		.option = NULL                                                                     \
	}

/**
 * OPTION() - an entry of an option table that fills @member of @structure
 * @type_: one of cmd/cli/option_types.h, "flag" say; the compiler refuses a member of another type
 */
#define OPTION(letter_, name_, type_, structure, member, argument_, help_)                         \
	{                                                                                          \
		.name = (name_), .argument = (argument_), .help = (help_),                         \
		.type = &option_type_##type_,                                                      \
		.offset = CHECKED_OFFSET(structure, member, OPTION_CTYPE_##type_),                 \
		.letter = (letter_),                                                               \
	}
#define OPTION_END                                                                                 \
	{                                                                                          \
		.name = NULL                                                                       \
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
 * Names must be written out: getopt_long would take any unambiguous beginning.  What was given before
 * adds up where its type does (struct option_type), and is an error where it is not.
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

/** options_first_given() - the first one of a list that was given, for a message; NULL: none */
const char *options_first_given(const struct given_option *options);

/**
 * options_unknown() - the option that there is not, for which options_read() has failed
 * Return: "--name" or "-n", or NULL: it has not failed for that.
 */
const char *options_unknown(const struct options *options);

#endif
