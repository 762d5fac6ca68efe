// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cli/cli.h"
#include "cmd/output/output.h"
#include "lib/base/base.h"
#include "lib/diagnose/causes/causes.h"
#include "lib/diagnose/diagnose.h"
#include "lib/memory/memory.h"
#include "lib/simulator/spec.h"
#include "lib/verbs/verbs.h"

/* Room for option_help_text(). */
#define OPTION_HELP_MAX 128

/* Entries of lists that are printed: all of them, or those that mention a word. */
struct search {
	const char *word;  /* or NULL: all */
	const char *title; /* of the list that was printed last; NULL: none was */
};

/* Output of "mrctl help NAME": sections, each of which is a table of words or is printed by a function. */
struct help_topic {
	enum help_topics bit;
	const char *name, *help;
	struct help_section {
		const char *title;
		const struct mr_word *words;
		void (*print)(struct search *search);
	} sections[5]; /* ends with one that has no title */
};

static void print_checks(struct search *search);
static void print_causes(struct search *search);

/* The last one has no name. */
static const struct help_topic topics[] = {
	{ TOPIC_MEMORY,
	  "memory",
	  "kinds of memory (--memory)",
	  { { .title = "Memory kinds", .words = mr_memory_kinds } } },
	{ TOPIC_DMABUF,
	  "dmabuf",
	  "sources of dma-bufs (--from, --dmabuf)",
	  { { .title = "Dma-buf sources", .words = mr_dmabuf_sources } } },
	{ TOPIC_ACCESS,
	  "access",
	  "access flags (--access)",
	  { { .title = "Access flags (also none, a number, or the names of C: IBV_ACCESS_...)",
	      .words = mr_access_flags } } },
	{ TOPIC_ADVICE,
	  "advice",
	  "advice about on-demand regions (--advise)",
	  { { .title = "Advice (also a number, and flags as a number)",
	      .words = mr_advice_words } } },
	{ TOPIC_CHECKS,
	  "checks",
	  "checks of stat --host (--only, --ignore)",
	  { { .title = "Checks, and the verdicts that each can have", .print = print_checks } } },
	{ TOPIC_CAUSES,
	  "causes",
	  "causes of refusals (explain, --expect)",
	  { { .title = "Causes, with the errnos that each can have", .print = print_causes } } },
	{ .bit = TOPIC_COLUMNS,
	  .name = "columns",
	  .help = "columns [COMMAND]: columns for --output" },
	{ TOPIC_SIM,
	  "simulator",
	  "devices, kernels and faults of mrctl sim",
	  { { .title = "Profiles", .words = mr_sim_profiles },
	    { .title = "Kernels", .words = mr_sim_kernels },
	    { .title = "Calls (CALL@N is the Nth of a process; without @N, each)",
	      .words = mr_sim_calls },
	    { .title = "Actions", .words = mr_sim_actions } } },
	{ .name = NULL },
};

/* The column at which the help of a list's words begins: for commands, and for all others. */
#define COMMANDS_INDENT 14
#define INDENT          29

static void print_entry(const char *left, const char *help, size_t indent)
{
	size_t used = strlen(left) + 2;

	output_text("  %s", left);
	if (used + 2 > indent) {
		output_text("\n");
		used = 0;
	}
	output_text("%*s", (int)(indent - used), "");
	output_paragraph(help, indent, indent);
}

/* Describes an option, with the words of its table if it has one.  Return: @buffer, or the option's text */
static const char *option_help_text(const struct option_spec *option, char buffer[OPTION_HELP_MAX])
{
	const struct mr_word *word = option->type->words;

	if (!word)
		return option->help;
	snprintf(buffer, OPTION_HELP_MAX, "%s: %s (default)", option->help, word->name);
	while ((++word)->name)
		mr_text_add(buffer, OPTION_HELP_MAX, ", ", "%s", word->name);
	return buffer;
}

static void print_options(const struct option_group *group)
{
	char left[64], help[OPTION_HELP_MAX];

	for (const struct option_spec *o = group->options; o->name; o++) {
		snprintf(left, sizeof(left), "%c%c%s--%s%s%s", o->letter ? '-' : ' ',
			 o->letter ? o->letter : ' ', o->letter ? ", " : "  ", o->name,
			 o->argument ? " " : "", o->argument ? o->argument : "");
		print_entry(left, option_help_text(o, help), INDENT);
	}
}

/* Neighbouring groups with the same title are printed as one. */
static void print_groups(const struct option_group *const *groups)
{
	const char *title = "";

	for (; *groups; groups++) {
		if (strcmp(title, (*groups)->title) != 0)
			output_text("\n%s:\n", (*groups)->title);
		title = (*groups)->title;
		print_options(*groups);
	}
}

static void print_command(const struct command *command)
{
	char list[128] = "";

	output_text("Usage: mrctl [global options] %s%s%s%s\n\n", command->name,
		    command->groups[0] ? " [options]" : "", command->operands ? " " : "",
		    command->operands ? command->operands : "");
	output_paragraph(command->description, 0, 0);
	print_groups(command->groups);
	output_text("\nExamples:\n");
	for (const char *const *example = command->examples; *example; example++)
		output_text("  %s\n", *example);
	for (const struct help_topic *t = topics; t->name; t++)
		if (command->topics & t->bit)
			mr_text_add(list, sizeof(list), ", ", "%s", t->name);
	if (command->record)
		mr_text_add(list, sizeof(list), ", ", "columns %s", command->name);
	if (*list)
		output_text("\nTopics (mrctl help TOPIC): %s", list);
	output_text("\nGlobal options: mrctl --help; manual: man mrctl-%s\n", command->name);
}

static const struct mr_word tasks[] = {
	{ .name = "Check a host", .help = "mrctl stat --host --for-size 64G" },
	{ .name = "Assert a refusal in CI",
	  .help = "mrctl reg --access remote-write --expect EINVAL" },
	{ .name = "Explain a log", .help = "dmesg | mrctl explain -" },
	{ .name = "Write a report", .help = "mrctl report --to ticket.md -- ./app" },
	{ .name = "See a program's refusals", .help = "mrctl trace -- ./app" },
	{ .name = "Find who holds memory", .help = "mrctl stat --system --by process" },
	{ .name = "Try without hardware", .help = "mrctl sim -- mrctl reg --size 1M" },
	{ 0 }
};

static void print_mrctl(const struct command *const *commands)
{
	output_text("Usage: mrctl [global options] COMMAND [options]\n"
		    "Registers RDMA memory regions, and explains refusals.\n\n"
		    "Tasks:\n");
	for (const struct mr_word *task = tasks; task->name; task++)
		print_entry(task->name, task->help, INDENT);
	output_text("\nCommands:\n");
	for (const struct command *const *c = commands; *c; c++)
		print_entry((*c)->name, (*c)->summary, COMMANDS_INDENT);
	print_entry("help", "help [COMMAND|TOPIC|WORD]: print help, or search it for a word",
		    COMMANDS_INDENT);
	print_entry("version", "print the versions of mrctl and rdma-core", COMMANDS_INDENT);
	output_text("\n%s:\n", global_group.title);
	print_options(&global_group);
	output_text("\nTopics:\n");
	for (const struct help_topic *t = topics; t->name; t++)
		print_entry(t->name, t->help, COMMANDS_INDENT);
	output_text("Manual, with more tasks: man mrctl; an introduction: man mrctl-tutorial\n");
}

void help_print(const struct command *const *commands, const struct command *command)
{
	if (command)
		print_command(command);
	else
		print_mrctl(commands);
}

/*
 * Whether a word of a text begins with the word, or is that word if it has two letters.  The texts end with NULL; all
 * of them mention NULL.
 */
static bool mentions(const char *word, const char *text, ...)
{
	const size_t length = word ? strlen(word) : 0;
	bool found = !word;
	va_list texts;

	va_start(texts, text);
	for (; text && !found; text = va_arg(texts, const char *))
		for (const char *at = text; !found && (at = strcasestr(at, word)); at++)
			found = (at == text || !isalnum((unsigned char)at[-1])) &&
				(length > 2 || !isalnum((unsigned char)at[length]));
	va_end(texts);
	return found;
}

/* Prints an entry of a list if it was found, and before the first one that mentions a word the title of the list. */
static void print_found(struct search *search, const char *title, bool found, const char *name,
			const char *help)
{
	if (!found)
		return;
	if (search->word && search->title != title)
		output_text("%s that mention '%s':\n", title, search->word);
	search->title = title;
	print_entry(name, help, INDENT);
}

static void print_checks(struct search *search)
{
	static const char title[] = "Checks (mrctl stat --host --only ID)";
	const char *word = search->word;
	char help[256], list[64];

	for (const struct mr_check *check = mr_checks; check->id; check++) {
		*list = '\0';
		for (int verdict = MR_VERDICT_BAD; verdict >= MR_VERDICT_NA; verdict--)
			if (check->verdicts & 1U << verdict)
				mr_text_add(list, sizeof(list), ", ", "%s",
					    mr_verdicts[verdict].name);
		snprintf(help, sizeof(help), "%s (%s)", check->subject, list);
		print_found(search, title, mentions(word, check->id, check->subject, (char *)NULL),
			    check->id, word ? check->subject : help);
	}
}

static void print_causes(struct search *search)
{
	static const char title[] = "Causes (mrctl explain ID)";
	const char *word = search->word;
	const int errnum = word ? mr_errno_parse(word, strlen(word)) : 0;
	char help[256], list[128];

	for (const struct mr_cause *cause = mr_cause_next(NULL); cause;
	     cause = mr_cause_next(cause)) {
		const bool is_of_errno =
			errnum && cause->errnums[0] && mr_cause_speaks_for(cause, 0, errnum);

		*list = '\0';
		for (const int *number = cause->errnums; *number; number++)
			mr_text_add(list, sizeof(list), ", ", "%s", mr_errno_name(*number));
		snprintf(help, sizeof(help), "%s (%s)", cause->subject, *list ? list : "any errno");
		print_found(search, title,
			    is_of_errno || mentions(word, cause->id, cause->subject, cause->what,
						    cause->recognise, cause->remedy, (char *)NULL),
			    cause->id, word ? cause->subject : help);
	}
}

static void print_topic(const struct help_topic *topic)
{
	struct search all = { .word = NULL };

	for (const struct help_section *s = topic->sections; s->title; s++) {
		output_text("%s%s:\n", s == topic->sections ? "" : "\n", s->title);
		for (const struct mr_word *w = s->words; w && w->name; w++)
			print_entry(w->name, w->help, INDENT);
		if (s->print)
			s->print(&all);
	}
}

static const struct help_topic *find_topic(const char *word)
{
	const struct help_topic *t = topics;

	while (t->name && !mr_word_is(word, strlen(word), t->name))
		t++;
	return t->name ? t : NULL;
}

/* Prints the columns of a list. */
static void print_fields(struct search *search, const char *list, const struct record *record)
{
	static const char title[] = "Columns (mrctl help columns)";
	char name[96];

	if (!search->word)
		output_text("%sColumns of %s, for --output:\n", search->title ? "\n" : "", list);
	for (const struct field *f = record->fields; f->key; f++) {
		snprintf(name, sizeof(name), "%s: %s", list, f->key);
		print_found(search, title, mentions(search->word, f->key, f->help, (char *)NULL),
			    search->word ? name : f->key, f->help);
	}
}

/* Prints the columns of what a command prints with other options, which the lists are named by. */
static void print_views(struct search *search, const struct command *command)
{
	char list[64];

	for (const struct command *const *v = command->views; v && *v; v++) {
		const struct command_choice *choice = (*v)->choices;

		snprintf(list, sizeof(list), "%s --%s", command->name, (*v)->name);
		print_fields(search, list, (*v)->record);
		/* The first choice is the record of the view. */
		while (choice && (++choice)->word) {
			snprintf(list, sizeof(list), "%s --%s --%s %s", command->name, (*v)->name,
				 (*v)->chooser, choice->word);
			print_fields(search, list, choice->records.record);
		}
	}
}

/* Prints the columns of all commands: of each kind of record once. */
static void print_all_columns(struct search *search, const struct command *const *commands)
{
	for (const struct command *const *c = commands; *c; c++) {
		const struct record *record = (*c)->record;
		const struct command *const *first = commands;

		while ((*first)->record != record)
			first++;
		if (record && first == c)
			print_fields(search, record->list, record);
	}
	for (const struct command *const *c = commands; *c; c++)
		print_views(search, *c);
}

/* ---- words that are no topic ---- */

static bool option_mentions(const struct option_spec *option, const char *word)
{
	bool found = mentions(word, option->name, option->help, (char *)NULL);

	for (const struct mr_word *w = option->type->words; w && w->name; w++)
		found |= mentions(word, w->name, w->help, (char *)NULL);
	return found;
}

/* Prints the commands, global options and words of topics that mention the word. */
static void print_commands(struct search *search, const struct command *const *commands)
{
	static const char title[] = "Commands";
	const char *word = search->word;
	char name[64];

	for (const struct command *const *c = commands; *c; c++) {
		bool found = mentions(word, (*c)->summary, (*c)->description, (char *)NULL);

		for (const struct option_group *const *g = (*c)->groups; *g; g++)
			for (const struct option_spec *o = (*g)->options; o->name; o++)
				found |= option_mentions(o, word);
		print_found(search, title, found, (*c)->name, (*c)->summary);
	}
	for (const struct option_spec *o = global_group.options; o->name; o++) {
		snprintf(name, sizeof(name), "--%s", o->name);
		print_found(search, title, option_mentions(o, word), name, o->help);
	}
	for (const struct help_topic *t = topics; t->name; t++)
		for (const struct help_section *s = t->sections; s->title; s++)
			for (const struct mr_word *w = s->words; w && w->name; w++) {
				snprintf(name, sizeof(name), "help %s: %s", t->name, w->name);
				print_found(search, title,
					    mentions(word, w->name, w->help, (char *)NULL), name,
					    w->help);
			}
}

/* Prints all that mentions the word.  Return: whether anything does. */
static bool print_all_with(const struct command *const *commands, const char *word)
{
	const char *meant = suggest_meant(word);
	struct search search = { .word = word };

	if (meant)
		output_text("Did you mean %s\n", meant);
	if (strlen(word) > 1) {
		print_commands(&search, commands);
		print_all_columns(&search, commands);
	}
	if (strlen(word) > 2) { /* all ids of causes and checks have the word MR */
		print_causes(&search);
		print_checks(&search);
	}
	return meant || search.title;
}

static int fail_unknown_topic(const struct command *const *commands, const char *word,
			      struct mr_error *err)
{
	struct mr_guess guess = { .word = word, .length = strlen(word) };

	for (const struct command *const *c = commands; *c; c++)
		mr_guess_try(&guess, (*c)->name);
	for (const struct help_topic *t = topics; t->name; t++)
		mr_guess_try(&guess, t->name);
	mr_fail_usage(err, "no such command or topic: '%s'", word);
	if (guess.best)
		mr_hint(err, "did you mean '%s'?", guess.best);
	return -EINVAL;
}

static int print_columns(const struct command *const *commands, const char *name,
			 struct mr_error *err)
{
	const struct command *command = name ? *command_find(commands, name) : NULL;
	struct search all = { .word = NULL };

	if (name && !command)
		return fail_unknown_topic(commands, name, err);
	if (name && !command->record)
		return mr_fail_usage(err, "%s prints no columns", name);
	if (!name) {
		print_all_columns(&all, commands);
		return 0;
	}
	all.title = "Columns for --output";
	output_text("%s:\n", all.title);
	for (const struct field *f = command->record->fields; f->key; f++)
		if (command_fills(command, f->key))
			print_entry(f->key, f->help, INDENT);
	print_views(&all, command);
	return 0;
}

int help_answer(const struct command *const *commands, char **words, struct mr_error *err)
{
	const struct help_topic *topic = words[0] ? find_topic(words[0]) : NULL;
	const struct command *command = words[0] ? *command_find(commands, words[0]) : NULL;
	bool is_columns = topic && topic->bit == TOPIC_COLUMNS;
	bool is_about_mrctl = !words[0] || !strcmp(words[0], "--help") || !strcmp(words[0], "-h");

	for (const char *const *word = help_words; words[0] && *word; word++)
		is_about_mrctl |= !strcmp(words[0], *word);
	if (words[0] && words[is_columns && words[1] ? 2 : 1])
		return mr_fail_usage(err, "unexpected argument '%s'", words[is_columns ? 2 : 1]);
	if (command || is_about_mrctl)
		help_print(commands, command);
	else if (is_columns)
		return print_columns(commands, words[1], err);
	else if (topic)
		print_topic(topic);
	else if (!print_all_with(commands, words[0]))
		return fail_unknown_topic(commands, words[0], err);
	return 0;
}

/* ---- --dump-cli ---- */

struct option_row {
	const struct option_spec *spec;
	const struct option_type *type;
	const struct option_group *group;
	const char *help;
	char letter[2];
	char help_text[OPTION_HELP_MAX];
};

struct column_row {
	const struct field *field;
	bool detail; /* shown by --verbose and --output only */
	bool filled; /* this command has a value for it */
};

static const struct field option_fields[] = {
	FIELD_BEHIND("name", struct option_row, spec, struct option_spec, name, FIELD_STRING, 0,
		     ""),
	FIELD(struct option_row, letter, FIELD_TEXT, 0, ""),
	FIELD_BEHIND("argument", struct option_row, spec, struct option_spec, argument,
		     FIELD_STRING, 0, ""),
	FIELD_BEHIND("type", struct option_row, type, struct option_type, name, FIELD_STRING, 0,
		     ""),
	FIELD_BEHIND("group", struct option_row, group, struct option_group, title, FIELD_STRING, 0,
		     ""),
	FIELD(struct option_row, help, FIELD_STRING, 0, ""),
	FIELD_END,
};
static const struct record option_record = { "option", option_fields, "options" };

static const struct field column_fields[] = {
	FIELD_BEHIND("name", struct column_row, field, struct field, key, FIELD_STRING, 0, ""),
	FIELD_BEHIND("help", struct column_row, field, struct field, help, FIELD_STRING, 0, ""),
	FIELD(struct column_row, detail, FIELD_BOOL, 0, ""),
	FIELD(struct column_row, filled, FIELD_BOOL, 0, ""),
	FIELD_END,
};
static const struct record column_record = { "column", column_fields, "columns" };

static const struct field view_fields[] = {
	FIELD_AS("option", struct command, name, FIELD_STRING, 0, ""),
	FIELD_END,
};
static const struct record view_record = { "view", view_fields, "views" };

static const struct field command_fields[] = {
	FIELD(struct command, name, FIELD_STRING, 0, ""),
	FIELD(struct command, operands, FIELD_STRING, 0, ""),
	FIELD(struct command, summary, FIELD_STRING, 0, ""),
	FIELD_END,
};
static const struct record dumped_record = { "command", command_fields, "commands" };

/* For the schema: a command and a view are printed with lists of their own. */
static const struct field whole_view_fields[] = {
	DOCUMENT_PART(&view_record),
	DOCUMENT_LIST("columns", &column_record, ""),
	FIELD_END,
};
static const struct record whole_view_record = { "view", whole_view_fields, NULL };

static const struct field whole_command_fields[] = {
	DOCUMENT_PART(&dumped_record),
	DOCUMENT_LIST("options", &option_record, ""),
	DOCUMENT_LIST("columns", &column_record, ""),
	DOCUMENT_LIST("views", &whole_view_record, ""),
	FIELD_END,
};
static const struct record whole_command_record = { "command", whole_command_fields, NULL };

const struct field help_dump_members[] = {
	DOCUMENT_LIST("options", &option_record, ""),
	DOCUMENT_LIST("commands", &whole_command_record, ""),
	FIELD_END,
};

static void dump_options(struct output *out, const struct option_group *const *groups)
{
	output_list_begin(out, option_record.list, &option_record, false);
	for (const struct option_group *const *g = groups; *g; g++) {
		for (const struct option_spec *o = (*g)->options; o->name; o++) {
			struct option_row row = {
				.spec = o, .type = o->type, .group = *g, .letter = { o->letter }
			};

			row.help = option_help_text(o, row.help_text);
			output_row(out, &option_record, &row);
		}
	}
	output_list_end(out);
}

/* @command: whose columns may be without value; or NULL */
static void dump_columns(struct output *out, const struct record *record,
			 const struct command *command)
{
	output_list_begin(out, column_record.list, &column_record, false);
	for (const struct field *f = record ? record->fields : NULL; f && f->key; f++)
		output_row(out, &column_record,
			   &(struct column_row){ f, f->flags & FIELD_DETAIL,
						 !command || command_fills(command, f->key) });
	output_list_end(out);
}

static void dump_command(struct output *out, const struct command *command)
{
	output_element_begin(out, &dumped_record, command);
	dump_options(out, command->groups);
	dump_columns(out, command->record, command);
	output_list_begin(out, view_record.list, &view_record, false);
	for (const struct command *const *v = command->views; v && *v; v++) {
		output_element_begin(out, &view_record, *v);
		dump_columns(out, (*v)->record, NULL);
		output_element_end(out, NULL, NULL);
	}
	output_list_end(out);
	output_element_end(out, NULL, NULL);
}

int help_dump(const struct command *const *commands, struct mr_error *err)
{
	const struct option_group *const global_groups[] = { &global_group, NULL };
	const struct output_style json = { .json = true };
	struct output out;
	int rc = output_open(&out, &json, NULL, err);

	output_begin(&out, "--dump-cli");
	dump_options(&out, global_groups);
	output_list_begin(&out, dumped_record.list, &dumped_record, false);
	for (const struct command *const *c = commands; *c; c++)
		dump_command(&out, *c);
	output_list_end(&out);
	rc = rc ? rc : output_end(&out, err);
	output_release(&out);
	return rc;
}
