// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Runs the lines of a batch in one session. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cli/cli.h"
#include "cmd/output/output.h"
#include "cmd/region/region.h"
#include "lib/base/base.h"
#include "lib/session/session.h"
#include "lib/session/table/table.h"

/* The answer of a batch: its document, line by line, and its own failures. */
struct batch_answer {
	struct answer answer; /* of the batch as a whole; its failures include those of lines */
	bool prompt;          /* lines may come one by one, so each answer is flushed at once */
	uint64_t lines_run;   /* so far */
	int status;           /* exit status of the first line that failed; 0: none did */
};

struct batch_reader {
	struct mr_line_reader lines;
	struct mr_shell_words words;           /* of the line, to which its command's args point */
	char **operands;                       /* among the words */
	struct global_args given;              /* by the line that is being parsed; must be empty */
	const struct command *const *commands; /* all that there are; ends with NULL */
	struct parser *parsers;                /* one for each of commands, the NULL included */
	bool checked;                          /* all lines are known to be right */
	uint64_t total;                        /* lines with a command; 0: unknown */
};

/* A line in the document, as it is known before it is run; its status follows (struct outcome). */
struct line_row {
	struct mr_opt_u64 line;
	const char *text;
	const char *command;
};

static const struct field line_fields[] = {
	FIELD(struct line_row, line, FIELD_NUMBER, FIELD_KNOWN, "number of the line, from 1"),
	FIELD(struct line_row, text, FIELD_STRING, FIELD_KNOWN,
	      "the line, without the blanks around it"),
	FIELD(struct line_row, command, FIELD_STRING, 0, "its command"),
	FIELD_END,
};
static const struct record line_record = { "line", line_fields, NULL };

struct outcome {
	struct mr_opt_u64 status;
};

static const struct field outcome_fields[] = {
	FIELD(struct outcome, status, FIELD_NUMBER, FIELD_KNOWN,
	      "exit status that the command would have alone"),
	FIELD_END,
};
static const struct record outcome_record = { "outcome", outcome_fields, NULL };

static const struct field whole_line_fields[] = {
	DOCUMENT_PART(&line_record),
	DOCUMENT_PART(&outcome_record),
	FIELD_END,
};
static const struct record whole_line_record = { "line", whole_line_fields, NULL };

static const struct global_args *global_of(const struct batch_answer *batch)
{
	return batch->answer.invocation->global;
}

static void note_status(struct batch_answer *batch, int status)
{
	if (!batch->status)
		batch->status = status;
}

/* Begins the document, up to its list of lines. */
static void batch_answer_begin(struct batch_answer *batch)
{
	answer_begin_list(&batch->answer, "lines", &line_record, true);
}

/* Prints a line before it is run; @command: its own, or NULL if it names none. */
static void batch_answer_begin_line(struct batch_answer *batch, const struct enclosing *line,
				    const struct command *command)
{
	const struct global_args *global = global_of(batch);
	const struct line_row row = { known(line->number), line->text,
				      command ? command->name : NULL };

	if (!global->style.json && !global->style.quiet && !global->style.no_headings) {
		output_text("%sline %" PRIu64 ": ", batch->lines_run ? "\n" : "", line->number);
		output_foreign(line->text);
		output_text("\n");
	}
	output_element_begin(&batch->answer.out, &line_record, &row);
}

/* Prints the answer to a line whose command failed before it began its own Return: exit status. */
static int batch_answer_error(const struct batch_answer *batch, const struct invocation *invocation,
			      const struct mr_error *err)
{
	struct invocation of_line = *invocation;
	struct mr_error ignored, why = *err;

	if (!of_line.command)
		of_line.command = batch->answer.invocation->command;
	answer_error(&of_line, NULL, &why, &ignored);
	return report_status(err);
}

/* Flushes the answer to a line, for which a program waits that writes line by line. */
static int flush_line(const struct batch_answer *batch, struct mr_error *err)
{
	const struct global_args *global = global_of(batch);
	bool later = global->style.quiet || (global->style.json && !batch->prompt);

	return later ? 0 : output_flush(err);
}

/*
 * Ends the answer to a line that was run, with its exit status Return: 0, or -errno where standard output
 * is broken.
 */
static int batch_answer_end_line(struct batch_answer *batch, int status, struct mr_error *err)
{
	const struct outcome outcome = { known((uint64_t)status) };

	output_element_end(&batch->answer.out, &outcome_record, &outcome);
	batch->lines_run++;
	note_status(batch, status);
	return flush_line(batch, err);
}

/* Returns a failure of the batch itself, rather than of a line's command. */
static void batch_answer_fail(struct batch_answer *batch, struct mr_error *err, uint64_t id,
			      enum mr_via via)
{
	answer_fail(&batch->answer, err, 0, id, via);
	note_status(batch, report_status(err));
}

/* Ends the list of lines; @stopped: the last that was run, if others were not. */
static void batch_answer_end_lines(struct batch_answer *batch, const struct enclosing *stopped)
{
	progress_clear(&batch->answer.progress);
	if (stopped && !global_of(batch)->style.quiet)
		report_note(batch->answer.invocation->command->name,
			    "stopped after line %" PRIu64 " (--keep-going goes on)",
			    stopped->number);
	output_list_end(&batch->answer.out);
}

/* Prints the rest of the document, and ends it.  Return: as answer_end(). */
static int batch_answer_end(struct batch_answer *batch, struct mr_error *err)
{
	answer_report_rest(&batch->answer);
	return answer_end(&batch->answer, batch->lines_run, err);
}

/* How many regions are named one by one; of further ones only the number is printed. */
#define NAMED_MAX 8

/* The ids and names of regions: "1 buf, 2, 3" */
struct names {
	char text[NAMED_MAX * (MR_NAME_SIZE + 24) + 40];
	size_t used;
	uint64_t count;
};

static void add_name(struct names *names, const struct mr_entry *entry)
{
	if (names->count++ < NAMED_MAX)
		names->used += (size_t)snprintf(names->text + names->used,
						sizeof(names->text) - names->used,
						"%s%" PRIu64 "%s%s", names->used ? ", " : "",
						entry->id, entry->name[0] ? " " : "", entry->name);
}

static void deregister_leftover(struct batch_answer *batch, struct mr_session *session,
				uint32_t slot, struct names *names)
{
	struct output *out = &batch->answer.out;
	struct region_row row;
	struct mr_table_pd pd;
	struct mr_entry entry;
	struct mr_error err;
	enum mr_via via = mr_session_via(session, slot);
	uint64_t ns;
	int rc;

	if (!mr_table_get(&session->table, slot, &entry))
		return;
	rc = mr_session_deregister(session, slot, entry.id, &entry, &ns, &err);
	if (rc < 0)
		mr_wrap(&err, "region %" PRIu64 " was left registered", entry.id);
	if (rc)
		batch_answer_fail(batch, &err, entry.id, via);
	if (rc < 0)
		return;
	add_name(names, &entry);
	region_row_fill(&row, &entry, &session->table, &pd);
	row.state = "deregistered";
	row.dereg_elapsed_ns = known(ns);
	if (out->style->json)
		output_row(out, &region_record, &row);
}

/*
 * Deregisters them, and names them on standard error and in JSON ("regions"). In a session they stay:
 * others share it.
 */
static void batch_deregister_leftovers(struct batch_answer *batch, struct mr_session *session)
{
	struct output *out = &batch->answer.out;
	struct names names = { .count = 0 };

	output_list_begin(out, "regions", &region_record, true);
	for (uint32_t slot = 0; mr_session_is_private(session) && slot < session->table.capacity;
	     slot++)
		deregister_leftover(batch, session, slot, &names);
	output_list_end(out);
	if (names.count > NAMED_MAX)
		snprintf(names.text + names.used, sizeof(names.text) - names.used,
			 ", and %" PRIu64 " more", names.count - NAMED_MAX);
	if (names.count && !out->style->quiet)
		report_note(batch->answer.invocation->command->name,
			    "left registered, and deregistered now: %s", names.text);
}

static void fail_unknown_command(const struct command *const *commands, const char *name,
				 struct mr_error *err)
{
	if (name[0] == '-') {
		mr_fail_usage(err,
			      "a line begins with a command: '%s' belongs to mrctl batch itself",
			      name);
		return;
	}
	mr_fail_usage(err, "unknown command '%s'", name);
	suggest_command(commands, name, err);
}

/*
 * The command @name, which command_find() has found as @listed, with its parser, which is made when it is
 * first needed.  Return: NULL with an error.
 */
static struct parser *prepare_command(struct batch_reader *reader,
				      const struct command *const *listed, const char *name,
				      struct mr_error *err)
{
	const struct command *command = *listed;
	struct parser *found = &reader->parsers[listed - reader->commands];

	if (found->args)
		return found;
	if (!command)
		fail_unknown_command(reader->commands, name, err);
	else if (command->runs_program || command->not_in_batch)
		mr_fail_usage(err, "mrctl %s makes no sense in a batch", name);
	else if (parser_init(found, command, &reader->given, err))
		parser_release(found);
	else
		return found;
	return NULL;
}

/*
 * Finds the command of a line, reads its options and checks them.  The word mrctl may stand before the command, so
 * that lines can be pasted from a shell.  @err is set where the line is wrong.
 */
static void parse_line(struct batch_reader *reader, struct invocation *invocation,
		       struct mr_error *err)
{
	const struct command *const *listed = command_find(reader->commands, reader->words.list[0]);
	size_t skip = !*listed && !strcmp(reader->words.list[0], "mrctl");
	char **words = reader->words.list + skip;
	struct parser *parser;
	const char *name;
	int rc;

	if (!words[0]) {
		mr_fail_usage(err, "no command given");
		return;
	}
	if (skip)
		listed = command_find(reader->commands, words[0]);
	parser = prepare_command(reader, listed, words[0], err);
	if (!parser)
		return;
	memset(&reader->given, 0, sizeof(reader->given));
	rc = parser_read(parser, reader->commands, words, &reader->operands, err);
	invocation->command = parser->command;
	invocation->args = parser->args;
	invocation->operands = reader->operands;
	/* The global options hold for the batch as a whole. */
	name = rc ? NULL : parser_given_in(parser, &reader->given, sizeof(reader->given));
	if (name)
		mr_fail_usage(err, "--%s is not for a line: give it to mrctl batch itself", name);
	else if (!rc && !reader->checked && !parser_check(parser, reader->operands, err))
		command_check(invocation, err);
}

/*
 * Returns the next line that has a command. Return: 1 for a line, right or wrong; 0 at the end; -errno
 * where no line could be read.
 */
static int batch_read(struct batch_reader *reader, struct invocation *invocation,
		      struct mr_error *err)
{
	struct mr_line_reader *lines = &reader->lines;
	int rc;

	invocation->command = NULL;
	do {
		rc = mr_line_reader_next(lines, err);
		if (rc < 0 && err->kind == MR_ERROR_USAGE)
			mr_wrap(err, "line %" PRIu64, lines->number);
		if (rc <= 0)
			return rc;
		mr_error_clear(err);
		rc = mr_shell_words_split(&reader->words, lines->line, lines->length, err);
	} while (!rc && !reader->words.count);
	if (!rc)
		parse_line(reader, invocation, err);
	mr_line_reader_trim(lines);
	return 1;
}

/* Checks all lines of a file, so that a wrong one is reported before any is run. */
static int check_all(struct batch_reader *reader, const struct invocation *line,
		     struct mr_error *err)
{
	struct invocation invocation = *line;
	int rc;

	while ((rc = batch_read(reader, &invocation, err)) > 0) {
		const struct enclosing enclosing = { .number = reader->lines.number,
						     .text = reader->lines.line };

		if (mr_error_is_set(err)) {
			enclosing_wrap(&enclosing, err);
			return -err->errnum;
		}
		reader->total++;
	}
	if (!rc)
		mr_line_reader_rewind(&reader->lines);
	reader->checked = !rc;
	return rc;
}

/* Opens a batch and, where it is a regular file, check all of its lines. */
static int batch_reader_open(struct batch_reader *reader, const char *path,
			     const struct invocation *line, struct mr_error *err)
{
	size_t commands = 0;
	int rc = mr_line_reader_open(&reader->lines, path, err);

	if (rc)
		return rc;
	while (line->commands[commands])
		commands++;
	reader->commands = line->commands;
	reader->parsers = calloc(commands + 1, sizeof(*reader->parsers));
	if (!reader->parsers)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	return reader->lines.is_file ? check_all(reader, line, err) : 0;
}

static void batch_reader_close(struct batch_reader *reader)
{
	for (size_t i = 0; reader->parsers && reader->commands[i]; i++)
		parser_release(&reader->parsers[i]);
	free(reader->parsers);
	mr_shell_words_release(&reader->words);
	mr_line_reader_close(&reader->lines);
}

struct batch_args {
	bool keep_going;
	struct mr_limits limits;
};

static const struct option_spec options[] = {
	OPTION(0, "keep-going", flag, struct batch_args, keep_going, NULL,
	       "go on after a line that did not answer as it should"),
	OPTION(0, "limit", limits, struct batch_args, limits, "NAME=VALUE,...",
	       "limits of the batch: memlock=64K, nofile, as, data"),
	OPTION_END,
};

/* A run of batch. */
struct batch_job {
	const struct invocation *invocation;
	const struct global_args *global;
	struct global_args line_global;    /* of the commands of lines */
	struct invocation line_invocation; /* of any line: batch_read() fills in its command */
	struct batch_reader reader;
	struct mr_session session;
	struct mr_environment environment;
	struct enclosing enclosing; /* the batch, as the commands of its lines see it */
	struct batch_answer batch;
	uint64_t asked_at; /* mr_tick_ns() when is_interrupted() last looked for signals */
};

/* Runs one line.  Return: 0, or -errno where standard output is broken. */
static int run_line(struct batch_job *job, const struct invocation *invocation,
		    struct mr_error *parsed, struct mr_error *err)
{
	int status = EXIT_DONE;

	job->enclosing.number = job->reader.lines.number;
	job->enclosing.text = job->reader.lines.line;
	job->enclosing.begun = false;
	mr_table_begin_command(&job->session.table);
	batch_answer_begin_line(&job->batch, &job->enclosing, invocation->command);
	mr_error_clear(err);
	if (mr_error_is_set(parsed) || !invocation->command)
		status = batch_answer_error(&job->batch, invocation, parsed);
	else
		status = invocation->command->run(invocation, err);
	if (mr_error_is_set(err) && job->enclosing.begun) /* its answer could not be printed */
		return -err->errnum;
	if (mr_error_is_set(err))
		status = batch_answer_error(&job->batch, invocation, err);
	mr_error_clear(err); /* the answer has it */
	return batch_answer_end_line(&job->batch, status, err);
}

static bool is_over(const struct batch_job *job)
{
	const struct batch_args *args = job->invocation->args;

	return job->batch.status && !args->keep_going;
}

/* Looks for a signal once in a tick of the clock: that takes longer than most lines do. */
static bool is_interrupted(struct batch_job *job)
{
	uint64_t now = mr_tick_ns();

	if (now == job->asked_at)
		return false;
	job->asked_at = now;
	return mr_interrupted();
}

/* Reads the next line.  Return: 1; 0 after the last line; or -errno with @parsed. */
static int next_line(struct batch_job *job, struct invocation *invocation, struct mr_error *parsed)
{
	if (is_interrupted(job))
		return mr_fail_text(parsed, MR_ERROR_HOST, EINTR, "interrupted");
	return batch_read(&job->reader, invocation, parsed);
}

/* Runs all lines, or those up to the first that fails. */
static int run_lines(struct batch_job *job, struct mr_error *err)
{
	struct invocation invocation = job->line_invocation;
	struct batch_answer *batch = &job->batch;
	struct mr_error parsed;
	int rc = 1;

	while (rc > 0 && !is_over(job)) {
		rc = next_line(job, &invocation, &parsed);
		if (rc < 0)
			batch_answer_fail(batch, &parsed, 0, MR_VIA_LIBRARY);
		if (rc <= 0)
			break;
		rc = run_line(job, &invocation, &parsed, err);
		if (rc)
			return rc;
		rc = 1;
		progress_show(&batch->answer.progress, "ran", batch->lines_run);
	}
	return 0;
}

static int open_batch_session(struct batch_job *job, struct mr_error *err)
{
	if (!context_session(job->invocation))
		return mr_session_open_private(job->global->device, &job->session,
					       &job->environment, err);
	mr_environment_init(&job->environment);
	if (!context_open_session(job->invocation, &job->session, err))
		return -err->errnum;
	mr_session_environment(&job->session, &job->environment);
	return mr_session_keep_library(&job->session, err);
}

static void prepare_lines(struct batch_job *job)
{
	const struct global_args *global = job->global;
	struct answer *answer = &job->batch.answer;

	job->enclosing = (struct enclosing){ .command = job->invocation->command,
					     .session = &job->session,
					     .environment = &job->environment,
					     .failures = &answer->failures,
					     .progress = &answer->progress };
	job->batch.prompt = !job->reader.lines.is_file;
	answer->in_session = context_session(job->invocation) != NULL;
	/* On a terminal the answers of the lines show the progress. */
	progress_init(&answer->progress, job->reader.total,
		      global->style.quiet || !job->reader.total || output_is_terminal());
}

static int answer_lines(struct batch_job *job, struct mr_error *err)
{
	struct mr_error why;
	bool open;
	int rc;

	/* A signal ends the batch only after it has deregistered what is left, and has ended the document. */
	mr_signals_block();
	rc = open_batch_session(job, &why);
	if (rc && why.kind == MR_ERROR_USAGE) {
		*err = why;
		return rc;
	}
	prepare_lines(job);
	open = !rc;
	batch_answer_begin(&job->batch);
	if (!open)
		batch_answer_fail(&job->batch, &why, 0, MR_VIA_LIBRARY);
	rc = open ? run_lines(job, err) : 0;
	if (!rc) {
		bool stopped = is_over(job) && job->batch.lines_run < job->reader.total;

		batch_answer_end_lines(&job->batch, stopped ? &job->enclosing : NULL);
		if (open)
			overdue_report(job->invocation, &job->session);
		batch_deregister_leftovers(&job->batch, &job->session);
		rc = batch_answer_end(&job->batch, err);
	}
	mr_session_close(&job->session);
	return rc ? rc : job->batch.status;
}

static int run_batch(const struct invocation *invocation, struct mr_error *err)
{
	const struct batch_args *args = invocation->args;
	struct batch_job *job = calloc(1, sizeof(*job));
	int rc;

	if (!job)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	job->invocation = invocation;
	job->global = invocation->global;
	job->session = (struct mr_session){ .uverbs = { .fd = -1 }, .table = { .fd = -1 } };
	/* Lines work in the session that the batch has opened. */
	job->line_global = *invocation->global;
	job->line_global.device = job->line_global.session = NULL;
	job->line_invocation = (struct invocation){ .commands = invocation->commands,
						    .global = &job->line_global,
						    .proof = invocation->proof,
						    .enclosing = &job->enclosing };
	rc = batch_reader_open(&job->reader, invocation->operands[0], &job->line_invocation, err);
	if (!rc)
		rc = mr_limits_set(&args->limits, err);
	if (!rc)
		rc = answer_init(&job->batch.answer, invocation, NULL, &job->environment,
				 job->reader.total, err);
	if (!rc)
		rc = answer_lines(job, err);
	answer_release(&job->batch.answer);
	batch_reader_close(&job->reader);
	free(job);
	return rc;
}

static int check_batch(const struct invocation *invocation, struct mr_error *err)
{
	if (invocation->operands[0] && invocation->operands[1])
		return mr_fail_usage(err, "one FILE, not also '%s'", invocation->operands[1]);
	return 0;
}

static const struct option_group group = { "Batch", options };
static const struct option_group *const groups[] = { &group, NULL };

const struct command command_batch = {
	.name = "batch",
	.operands = "[FILE]",
	.summary = "run many commands, one a line, in one process",
	.description =
		"Runs the commands in FILE or on standard input, one a line, on one device. In a "
		"session they work on its regions. Outside of one their regions live in this "
		"process, so that all of their life goes through libibverbs, and what is left of "
		"them at the end is deregistered. It stops at the first line that does not "
		"answer as it should.",
	.groups = groups,
	.args_size = sizeof(struct batch_args),
	.record = &region_record,
	.members = (const struct field[]){ DOCUMENT_LIST("lines", &whole_line_record,
							 "its lines with their answers"),
					   FIELD_END },
	.examples = (const char *const[]){ "mrctl batch broken.mrctl",
					   "echo reg --size 1M | mrctl batch", NULL },
	.not_in_batch = true,
	.check = check_batch,
	.run = run_batch,
};
