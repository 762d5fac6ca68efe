/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Option tables.  A row says what the option is called, what it takes and which member of the
 * command's struct it fills; parsing, help and --dump-cli follow from the rows.
 */
#ifndef CMD_CLI_OPTION_TABLE_H
#define CMD_CLI_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/base.h"

/** What an option takes.  cmd/cli/option_types.h has all types. */
struct option_type {
	const char *name; /**< for --dump-cli */
	/** Fill the member from a word.  Return: 0, or -errno with MR_ERROR_USAGE. */
	int (*read)(const char *text, void *member, struct mr_error *err);
	bool adds_up; /**< a further value adds to the former ones; of other types it is an error */
	bool is_text; /**< the member is a const char * */
	/** Whether a word is its value, which may be missing; or NULL: it has one. */
	bool (*is_value)(const char *word);
	/** All that it takes, for the help; begins with the default; or NULL. */
	const struct mr_word *words;
};

struct option_spec {
	const char *name;     /**< long name, without dashes */
	const char *argument; /**< "SIZE", or NULL */
	const char *help;     /**< lower case, no full stop */
	const struct option_type *type;
	size_t offset;
	char letter; /**< or 0 */
};

struct option_group {
	const char *title;                 /**< heading in help */
	const struct option_spec *options; /**< ends with an unnamed one */
	size_t base; /**< offset of what the options fill in the command's struct */
};

/** A rule about two options of a command, neither of them global: @option excludes or needs @other. */
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

#endif
