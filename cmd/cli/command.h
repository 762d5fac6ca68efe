/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Commands.  A command is a file that ends with a struct command, and a line in the table of
 * cmd/commands.c.  Help, --dump-cli, the completions and the checks of the man pages follow from that
 * table.
 */
#ifndef CMD_CLI_COMMAND_H
#define CMD_CLI_COMMAND_H

#include <stdbool.h>

#include "cmd/cli/global_options.h"
#include "cmd/cli/option_table.h"
#include "lib/base/base.h"

struct metric;
struct mr_proof;
struct record;

struct command;
struct enclosing;

/** What a command is run with. */
struct invocation {
	const struct command *command;
	const struct command *const *commands; /**< all that there are; ends with NULL */
	const struct global_args *global;
	struct mr_proof *proof;      /**< what watches calls for --why prove */
	struct enclosing *enclosing; /**< the batch, where the command is a line of one; or NULL */
	const char *const *argv;     /**< the whole command line, as it was given; ends with NULL */
	const void *args;            /**< the command's own struct, filled from its option tables */
	char **operands;             /**< what is no option; ends with NULL */
};

/** Runs a command: run of struct command. */
typedef int command_run_function(const struct invocation *invocation, struct mr_error *err);

/** What is printed, and the usual columns of its tables, as of struct command. */
struct command_records {
	const struct record *record;
	const char *columns;
};

/**
 * What a command does where an option asks for it: it prints other records than usual.
 *
 * At most one view is chosen.  No line of a batch can choose one.
 */
struct command_view {
	const char *option; /**< that chooses it, without dashes: "host" */
	size_t given;       /**< offset of the option's bool in the command's struct */
	const struct record *record;
	const char *columns;          /**< as of struct command */
	const struct metric *metrics; /**< for --format openmetrics; or NULL: it has none */
	/** The records that its options choose in place of @record; or NULL: there is no choice. */
	const struct command_records *(*choose)(const struct invocation *invocation);
	/** As of struct command; operands are checked by it. */
	int (*check)(const struct invocation *invocation, struct mr_error *err);
	int (*run)(const struct invocation *invocation, struct mr_error *err);
};

struct command {
	const char *name;
	const char *operands;    /**< for the usage line: "[-- CMD...]"; NULL: it takes none */
	const char *summary;     /**< one line, lower case */
	const char *description; /**< a paragraph for --help */
	const struct option_group *const *groups; /**< ends with NULL */
	/** For its options; ends with OPTION_RULES_END; or NULL. */
	const struct option_rule *rules;
	size_t args_size;            /**< of the struct that the options fill, zeroed before */
	const struct record *record; /**< what it prints, for -o; or NULL */
	const char *columns;         /**< of its tables without -o, separated by ',' */
	const char *fills; /**< columns that can have a value, separated by ','; NULL: all */
	/** Ends with NULL; or NULL: it has none. */
	const struct command_view *const *views;
	const char *const *examples; /**< command lines for --help; ends with NULL */
	bool runs_program;    /**< its operands are another program's: no option after the first */
	bool opens_no_device; /**< --device has no meaning */
	bool not_in_batch;    /**< no line of a batch can be this command */
	bool prints_document; /**< --json has it print a document, which has no records to choose columns of */
	/** The topics of help that belong to its options; ends with NULL; or NULL. */
	const struct help_topic *const *topics;
	/** Whether options and operands make sense: 0, or -errno with MR_ERROR_USAGE; or NULL. */
	int (*check)(const struct invocation *invocation, struct mr_error *err);
	/** Run it.  Return: an exit status; if @err is set, its kind decides the status instead. */
	int (*run)(const struct invocation *invocation, struct mr_error *err);
	/**
	 * Tell of an error that came before it was run, where the command line asks for another way than
	 * the usual one; or NULL: it cannot.
	 * @argv: the whole command line, ends with NULL; the error may have kept it from being read
	 *
	 * Return: the exit status, with @err cleared; -1: nothing was done.
	 */
	int (*fail)(char *const *argv, struct mr_error *err);
	/** Call @run, which is the one above or that of a view, as the options say; or NULL: call it once. */
	int (*run_by)(const struct invocation *invocation, command_run_function *run,
		      struct mr_error *err);
};

/**
 * command_find() - the command of that name
 * @commands: ends with NULL
 *
 * Return: its element of @commands, or the NULL at the end.
 */
const struct command *const *command_find(const struct command *const *commands, const char *name);

/** command_fills() - whether the command has a value for the column, for some region at least */
bool command_fills(const struct command *command, const char *column);

/** command_view() - the view that the options choose; NULL: none */
const struct command_view *command_view(const struct invocation *invocation);

/** command_record() - what the command prints with these options; or NULL */
const struct record *command_record(const struct invocation *invocation);

/** command_columns() - its usual columns with these options */
const char *command_columns(const struct invocation *invocation);

/** command_metrics() - what of its records is measured; or NULL */
const struct metric *command_metrics(const struct invocation *invocation);

/**
 * command_check() - whether a command line makes sense, before anything is done
 * Return: 0, or -errno with MR_ERROR_USAGE.
 */
int command_check(const struct invocation *invocation, struct mr_error *err);

/** command_run() - run the command, or the view that its options choose; returns as run of struct command */
int command_run(const struct invocation *invocation, struct mr_error *err);

#endif
