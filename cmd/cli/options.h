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
#include "lib/base/number.h"
#include "lib/memory/dmabuf.h"
#include "lib/memory/mapping.h"
#include "lib/simulator/spec.h"
#include "lib/verbs/advice.h"

/** What an option takes, with the type of the member that it fills; option_types has the rest. */
enum option_type {
	OPTION_FLAG,    /**< nothing; bool */
	OPTION_STRING,  /**< any text; const char * */
	OPTION_COLUMNS, /**< columns, looked for where they are printed; const char * */
	OPTION_VIA,     /**< mr_via_name() of a path; const char * */
	OPTION_NAME,    /**< a region's name; const char * */
	OPTION_SIZE,    /**< bytes with IEC suffix; struct mr_opt_u64 */
	OPTION_NUMBER,  /**< 64 bits, decimal or hexadecimal; struct mr_opt_u64 */
	OPTION_SECONDS, /**< nanoseconds; struct mr_opt_u64 */
	OPTION_ACCESS,  /**< access flags; struct access_option */
	OPTION_CHANGES, /**< what rereg is to change; struct access_option */
	OPTION_PAGES,   /**< page sizes, a bit for each; struct mr_opt_u64 */
	OPTION_MEMORY,  /**< kind of memory; struct mr_memory_kind */
	OPTION_DMABUF,  /**< source of a dma-buf; struct mr_dmabuf_source */
	OPTION_ADVICE,  /**< advice about a region; struct mr_advice */
	OPTION_EXPECT,  /**< "ok" and errno names; struct expect_option */
	OPTION_PROFILE, /**< kind of simulated device; enum mr_sim_profile */
	OPTION_KERNEL,  /**< simulated kernel; enum mr_sim_kernel */
	OPTION_FAULTS,  /**< faults of the simulated device, collected; struct mr_sim_faults */
};

struct access_option {
	uint32_t bits;
	bool given;
};

/** Answers of the stack that a script expects. */
struct expect_option {
	bool given;
	bool ok;
	uint64_t errnums[9]; /**< one bit for each errno */
};

struct option_spec {
	const char *name;     /**< long name, without dashes */
	const char *argument; /**< "SIZE", or NULL */
	const char *help;     /**< lower case, no full stop */
	enum option_type type;
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

/** Words with their meaning. */
struct help_section {
	const char *title;
	/** Return: the @index-th word and its @help, NULL after the last. */
	const char *(*word)(unsigned int index, const char **help);
};

/** What mrctl help has beside the commands. */
struct help_topic {
	const char *name;
	const char *help;
	struct help_section sections[5]; /**< ends with one that has no title; none: the columns */
};

extern const struct help_topic topic_memory, topic_dmabuf, topic_access, topic_advice, topic_sim;

/** All topics; ends with NULL. */
extern const struct help_topic *const help_topics[];

#define OPTION_CTYPE_OPTION_FLAG    bool
#define OPTION_CTYPE_OPTION_STRING  const char *
#define OPTION_CTYPE_OPTION_COLUMNS const char *
#define OPTION_CTYPE_OPTION_VIA     const char *
#define OPTION_CTYPE_OPTION_NAME    const char *
#define OPTION_CTYPE_OPTION_SIZE    struct mr_opt_u64
#define OPTION_CTYPE_OPTION_NUMBER  struct mr_opt_u64
#define OPTION_CTYPE_OPTION_SECONDS struct mr_opt_u64
#define OPTION_CTYPE_OPTION_ACCESS  struct access_option
#define OPTION_CTYPE_OPTION_CHANGES struct access_option
#define OPTION_CTYPE_OPTION_PAGES   struct mr_opt_u64
#define OPTION_CTYPE_OPTION_MEMORY  struct mr_memory_kind
#define OPTION_CTYPE_OPTION_DMABUF  struct mr_dmabuf_source
#define OPTION_CTYPE_OPTION_ADVICE  struct mr_advice
#define OPTION_CTYPE_OPTION_EXPECT  struct expect_option
#define OPTION_CTYPE_OPTION_PROFILE enum mr_sim_profile
#define OPTION_CTYPE_OPTION_KERNEL  enum mr_sim_kernel
#define OPTION_CTYPE_OPTION_FAULTS  struct mr_sim_faults

/** An entry of an option table that fills @member of @structure. */
#define OPTION(letter_, name_, type_, structure, member, argument_, help_)                         \
	{                                                                                          \
		.name = (name_), .argument = (argument_), .help = (help_), .type = (type_),        \
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
 * adds up where it is a list (option_types), and is an error where it is not.
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

/**
 * options_unknown() - the option that there is not, for which options_read() has failed
 * Return: "--name" or "-n", or NULL: it has not failed for that.
 */
const char *options_unknown(const struct options *options);

#endif
