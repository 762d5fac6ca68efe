/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares the command line: commands, options, help, and starting other programs. */
#ifndef CMD_CLI_CLI_H
#define CMD_CLI_CLI_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/output/output.h"
#include "lib/base/base.h"
#include "lib/memory/memory.h"
#include "lib/verbs/verbs.h"

/** The type of an option's value.  cmd/cli/cli.h has all types. */
struct option_type {
	const char *name; /**< for --dump-cli */
	/**
	 * Fill the member from a word.  Return: 0, or -errno with MR_ERROR_USAGE.
	 * NULL: the member, an enum, becomes the index of the word in @words.
	 */
	int (*read)(const char *text, void *member, struct mr_error *err);
	bool adds_up; /**< a further value adds to the former ones; of other types it is an error */
	bool is_text; /**< the member is a const char * */
	/** Whether a word is its value, which may be missing; or NULL: it has one. */
	bool (*is_value)(const char *word);
	/** The values that it accepts, for the help, the default first; or NULL. */
	const struct mr_word *words;
	const char *what; /**< where there is no @read: what messages call a word */
};

/** option_read() - fill the member of an option of that type from a word.  Return: as read of struct option_type. */
int option_read(const struct option_type *type, const char *text, void *member,
		struct mr_error *err);

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
};

/** A rule about options of a command, none of them global: @option excludes or needs those of the list @other. */
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
 * @type_: one of cmd/cli/cli.h, "flag" say; the compiler refuses a member of another type
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

/** An errno that is expected for a cause. */
struct expected_cause {
	int errnum;
	const struct mr_cause *cause;
};

/** Answers of the stack that a script expects. */
struct expect_option {
	bool given;
	bool ok;
	uint64_t errnums[9]; /**< one bit for each errno, for whatever cause */
	uint32_t statuses;   /**< bits of mr_data_answers, of verify alone */
	struct expected_cause causes[16];
	size_t cause_count;
};

/**
 * The types of options.  OPTION() takes a type by its name, such as "flag".  A type has two parts:
 * OPTION_CTYPE_flag is the type of the member that such an option fills, and option_type_flag is a row of
 * cmd/cli/option_types.c.
 */
struct access_option {
	uint32_t bits;
	bool given;
};

struct via_option {
	enum mr_via path;
	bool given;
};

/** via_allows() - whether a call may use that path */
static inline bool via_allows(struct via_option option, enum mr_via path)
{
	return !option.given || option.path == path;
}

struct dmah_option {
	struct mr_dmah_hints hints;
	const char *text; /**< as typed; NULL: not given */
};

struct format_option {
	enum output_format format;
	bool given;
};

enum report_format { REPORT_MARKDOWN, REPORT_JSON };

/** Memory that is planned, and need not be here. */
struct planned_memory {
	struct mr_memory_kind kind;
	bool is_gpu; /**< it is that of a GPU, and no kind */
};

/** The verdict of a check from which on the exit status is 1. */
enum fail_on { FAIL_ON_BAD, FAIL_ON_WARN };

/** Depth of the search for the causes of a refusal. */
enum why_depth {
	WHY_READ,  /**< look only */
	WHY_TRY,   /**< repeat the call with one thing changed at a time */
	WHY_PROVE, /**< watch the kernel refuse */
	WHY_NONE,  /**< do not look */
	WHY_DEPTHS,
};

extern const struct mr_word why_depths[WHY_DEPTHS + 1];

/** The style of exit statuses of checks. */
enum exit_style {
	EXIT_STYLE_PLAIN,
	EXIT_STYLE_NAGIOS, /**< a plugin of Nagios */
	EXIT_STYLE_NPD,    /**< a custom plugin of Kubernetes' node-problem-detector */
};

#define OPTION_CTYPE_flag           bool         /**< no value: the member becomes true */
#define OPTION_CTYPE_string         const char * /**< any text */
#define OPTION_CTYPE_columns        const char * /**< names of columns, looked up where they are printed */
#define OPTION_CTYPE_via            struct via_option     /**< library or kernel */
#define OPTION_CTYPE_name           const char *          /**< a region's name */
#define OPTION_CTYPE_size           struct mr_opt_u64     /**< bytes, with an IEC suffix */
#define OPTION_CTYPE_number         struct mr_opt_u64     /**< 64 bits, decimal or hexadecimal */
#define OPTION_CTYPE_seconds        struct mr_opt_u64     /**< seconds, kept in nanoseconds */
#define OPTION_CTYPE_access         struct access_option  /**< access flags */
#define OPTION_CTYPE_changes        struct access_option  /**< changes of rereg, as flags */
#define OPTION_CTYPE_pages          struct mr_opt_u64     /**< page sizes, a bit for each */
#define OPTION_CTYPE_format         struct format_option  /**< a format of records */
#define OPTION_CTYPE_report_format  enum report_format    /**< the name of the format of a report */
#define OPTION_CTYPE_memory         struct mr_memory_kind /**< a kind of memory */
#define OPTION_CTYPE_planned_memory struct planned_memory /**< a kind of memory, or "cuda:N" */
#define OPTION_CTYPE_dmabuf         struct mr_dmabuf_source /**< a source of a dma-buf */
#define OPTION_CTYPE_advice         struct mr_advice        /**< advice about a region */
#define OPTION_CTYPE_dmah           struct dmah_option      /**< hints of a DMA handle */
#define OPTION_CTYPE_expect         struct expect_option    /**< "ok,EINVAL,ENOMEM:MR-MEMLOCK" */
#define OPTION_CTYPE_profile        enum mr_sim_profile     /**< a kind of simulated device */
#define OPTION_CTYPE_kernel         enum mr_sim_kernel      /**< a simulated kernel */
#define OPTION_CTYPE_faults         struct mr_sim_faults    /**< faults of the simulated device */
#define OPTION_CTYPE_limits         struct mr_limits /**< limits of this process: "memlock=64K" */
#define OPTION_CTYPE_fail_on        enum fail_on     /**< a verdict of checks */
#define OPTION_CTYPE_why            enum why_depth /**< depth of the search for causes of a refusal */
#define OPTION_CTYPE_exit_style     enum exit_style /**< a style of exit statuses */

extern const struct option_type option_type_flag, option_type_string, option_type_columns,
	option_type_via, option_type_name, option_type_size, option_type_number,
	option_type_seconds, option_type_format, option_type_access, option_type_changes,
	option_type_pages, option_type_memory, option_type_planned_memory, option_type_dmabuf,
	option_type_advice, option_type_dmah, option_type_expect, option_type_profile,
	option_type_kernel, option_type_faults, option_type_limits, option_type_fail_on,
	option_type_exit_style, option_type_why, option_type_report_format;

/** Options that every command takes, before or after its name. */
struct global_args {
	struct output_style style;
	const char *device;
	const char *session;
	enum why_depth why;
	bool help;
	bool version;
	bool dump_cli;
	bool dump_schema;
};

extern const struct option_group global_group;

/**
 * Commands.  A command is a file that ends with a struct command, and a line in the table of
 * cmd/commands.c.  Help, --dump-cli, the completions and the checks of the man pages follow from that
 * table.
 */
/** The arguments of a run of a command. */
struct invocation {
	const struct command *command;
	const struct command *const *commands; /**< all that there are; ends with NULL */
	const struct global_args *global;
	struct mr_proof *proof;      /**< what watches calls for --why prove */
	struct enclosing *enclosing; /**< the batch, where the command is a line of one; or NULL */
	const char *const *argv;     /**< the whole command line, unchanged; ends with NULL */
	const void *args;            /**< the command's own struct, filled from its option tables */
	char **operands;             /**< what is no option; ends with NULL */
};

/** Runs a command: run of struct command. */
typedef int command_run_function(const struct invocation *invocation, struct mr_error *err);

/** Records and columns that a command prints, as in struct command. */
struct command_records {
	const struct record *record;
	const char *columns;
};

/** The records that a value of an option chooses. */
struct command_choice {
	const char *word; /**< the value; NULL: end */
	struct command_records records;
};

/**
 * A command, or a view of one, which an option chooses, such as "stat --host".
 *
 * A view has only @name, @given, @record, @columns, @members, @metrics, @choose, @chooser, @choices, @check and @run.
 */
struct command {
	const char *name;     /**< of a view: its option, without dashes */
	size_t given;         /**< of a view: offset of the option's bool in the command's struct */
	const char *operands; /**< for the usage line: "[-- CMD...]"; NULL: it takes none */
	const char *summary;  /**< one line, lower case */
	const char *description;                  /**< a paragraph for --help */
	const struct option_group *const *groups; /**< ends with NULL */
	/** For its options; ends with OPTION_RULES_END; or NULL. */
	const struct option_rule *rules;
	size_t args_size;            /**< of the struct that the options fill, zeroed before */
	const struct record *record; /**< what it prints, for -o; or NULL */
	const char *columns;         /**< of its tables without -o, separated by ',' */
	/** Further members of its document, beside the list of @record; ends with one without key. */
	const struct field *members;
	const struct record *lines; /**< of a file that it writes, as JSON Lines; or NULL */
	const char *fills; /**< columns that can have a value, separated by ','; NULL: all */
	const struct metric *metrics; /**< for --format openmetrics; or NULL: it has none */
	/** The records that its options choose in place of @record; or NULL: there is no choice. */
	struct command_records (*choose)(const struct invocation *invocation);
	const char *chooser; /**< the option with which it chooses, without dashes */
	const struct command_choice *choices; /**< of that option, the usual one first */
	/** At most one is chosen, and by no line of a batch.  Ends with NULL; or NULL: it has none. */
	const struct command *const *views;
	const char *const *examples; /**< command lines for --help; ends with NULL */
	bool runs_program;     /**< its operands are another program's: no option after the first */
	bool opens_no_device;  /**< --device has no meaning */
	bool not_in_batch;     /**< a line of a batch cannot be this command */
	bool has_own_document; /**< it has no members but @members and the list of @record */
	bool prints_document; /**< --json has it print a document, which has no records to choose columns of */
	unsigned int topics; /**< of help that belong to its options: enum help_topics */
	/** Checks options and operands: 0, or -errno with MR_ERROR_USAGE; or NULL. */
	int (*check)(const struct invocation *invocation, struct mr_error *err);
	/** Run it.  Return: an exit status; if @err is set, its kind decides the status instead. */
	int (*run)(const struct invocation *invocation, struct mr_error *err);
	/**
	 * Report an error from before the run, if the command line requests another way than
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

/** All commands, in the order of the help; ends with NULL.  cmd/commands.c has the table. */
extern const struct command *const all_commands[];

/**
 * command_find() - the command of that name
 * @commands: ends with NULL
 *
 * Return: its element of @commands, or the NULL at the end.
 */
const struct command *const *command_find(const struct command *const *commands, const char *name);

/** command_fills() - whether the command has a value for the column, for some region at least */
bool command_fills(const struct command *command, const char *column);

/** command_chosen() - the view that the options choose, or the command itself */
const struct command *command_chosen(const struct invocation *invocation);

/** command_records() - what the command prints with these options */
struct command_records command_records(const struct invocation *invocation);

/**
 * command_check() - check a command line before anything is done
 * Return: 0, or -errno with MR_ERROR_USAGE.
 */
int command_check(const struct invocation *invocation, struct mr_error *err);

/** help_print() - help of @command; NULL: of mrctl itself, with a list of all @commands */
void help_print(const struct command *const *commands, const struct command *command);

/**
 * help_answer() - mrctl help
 * @commands: all that there are; ends with NULL
 * @words:    of a command, of a topic, or none; ends with NULL
 *
 * Return: 0, or -EINVAL with MR_ERROR_USAGE.
 */
int help_answer(const struct command *const *commands, char **words, struct mr_error *err);

/**
 * help_dump() - all commands, options and fields as a JSON document
 * Return: 0 or -errno.
 */
int help_dump(const struct command *const *commands, struct mr_error *err);

extern const struct field help_dump_members[];

/** Records to which the schema adds the members of documents: those of stat, and those of a program's answer. */
#define SECTION_RECORD "section"
#define ANSWER_RECORD  "program_answer"

/**
 * schema_dump() - print the JSON Schema of the documents of all commands
 * @common: members of all documents, except of commands that have one of their own; ends with one without key
 *
 * Return: 0 or -errno.
 */
int schema_dump(const struct command *const *commands, const struct field *common,
		struct mr_error *err);

/** Topics that "mrctl help" can print beside commands; those that belong to a command have a bit each. */
enum help_topics {
	TOPIC_MEMORY = 1 << 0,
	TOPIC_DMABUF = 1 << 1,
	TOPIC_ACCESS = 1 << 2,
	TOPIC_ADVICE = 1 << 3,
	TOPIC_CHECKS = 1 << 4,
	TOPIC_CAUSES = 1 << 5,
	TOPIC_COLUMNS = 1 << 6,
	TOPIC_SIM = 1 << 7,
};

/** "help" and "version", which stand in the place of a command: main() runs them.  Ends with NULL. */
extern const char *const help_words[];

/** suggest_meant() - what a word of other tools means here: "'mrctl stat --host'?"; NULL: not known */
const char *suggest_meant(const char *word);

/** suggest_command() - hint which command is nearest to the unknown @name, if one is near */
void suggest_command(const struct command *const *commands, const char *name, struct mr_error *err);

/** suggest_program() - hint which command or option of mrctl was meant by a program that does not exist */
void suggest_program(const struct command *const *commands, const struct command *command,
		     char *const *program, struct mr_error *err);

/** Reads command lines: fills structs from words. */
struct parser {
	const struct command *command; /**< NULL: there are global options alone */
	void *args;                    /**< the command's struct */
	struct option_value *values;   /**< each option, with the member that it fills */
	size_t count;
	char **operands;            /**< what is no option on the command line that was read last */
	struct option_value *given; /**< the option that was given last */
	char unknown[32];           /**< the option that no table has: "--name" or "-n"; or empty */
};

/**
 * parser_init() - get ready to read command lines of @command
 * @global: filled by the global options among them; must outlive @parser
 *
 * Where an option of the command has the name of a global one, the command's is meant; the letter is that of
 * the global one: "stat --device" and "stat -d NAME".
 *
 * Return: 0 or -ENOMEM; parser_release() it in either case.
 */
int parser_init(struct parser *parser, const struct command *command, struct global_args *global,
		struct mr_error *err);

/**
 * parser_read() - fill @parser->args from a command line
 * @commands: all that there are, for a hint which of them has an option that this one lacks
 * @argv:     ends with NULL; argv[0] is skipped
 * @operands: set to the words that are no option; they live as long as @argv, and until the next command line is read
 *
 * Names must be written out.  An option that is given again adds to its value if its type adds up (struct option_type),
 * and is an error if not.  Without a command, or of one that runs a program, no option follows the first operand.
 *
 * Return: 0, or -EINVAL with MR_ERROR_USAGE.
 */
int parser_read(struct parser *parser, const struct command *const *commands, char **argv,
		char ***operands, struct mr_error *err);

/** parser_check() - check that the options that were read last agree, and that @operands are allowed */
int parser_check(const struct parser *parser, char *const *operands, struct mr_error *err);

/** parser_given_in() - the name of the last option that was read into @args of @size bytes; NULL: none */
const char *parser_given_in(const struct parser *parser, const void *args, size_t size);
void parser_release(struct parser *parser);

/** The call that fails where a program cannot be run, as of struct mr_error. */
#define CHILD_CALL "posix_spawn"

/** Where a program's standard output goes. */
enum child_output {
	CHILD_KEEP,      /**< where that of mrctl goes */
	CHILD_TO_STDERR, /**< to standard error */
	CHILD_CATCH,     /**< into the text */
};

struct child {
	const char *path; /**< to be run; NULL: the first word, looked for in PATH */
	char *const *argv;
	enum child_output output;
	bool is_silent;       /**< it has neither standard input nor standard error */
	uint64_t patience_ns; /**< it is killed after so long; 0: never */
	const sigset_t *mask; /**< signals that it has blocked */

	/* Set when it has ended: */
	int status;   /**< as of waitpid(2) */
	bool is_late; /**< it was killed */
	uint64_t elapsed_ns;
	char *text;    /**< what was caught, with a NUL behind it; free() it */
	size_t length; /**< of the text */
};

/**
 * child_run() - run a program to its end
 *
 * Signals that end commands must be blocked (mr_signals_block()).  One that comes is passed on to the program; where that
 * is a silent one, it stays pending as well.
 *
 * Return: 0, or -errno with MR_ERROR_HOST where it could not be run, or -EINTR.
 */
int child_run(struct child *child, struct mr_error *err);

/**
 * program_exec() - exec the program that the operands name, or $SHELL
 *
 * Return: only if that fails, EXIT_NO_PROGRAM or EXIT_CANNOT_EXEC, as a shell would; the error has been
 * printed.
 */
int program_exec(const struct invocation *invocation, struct mr_error *err);

/** shell_find_mrctl() - have shells find this program as mrctl: adds its folder to PATH where they do not */
void shell_find_mrctl(void);

#endif
