// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Runs the lines of a batch in one session. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cli/cli.h"
#include "cmd/output/output.h"
#include "cmd/region/region.h"
#include "lib/base/base.h"
#include "lib/session/session.h"
#include "lib/session/table/table.h"

struct batch_args {
	bool keep_going;
	struct mr_limits limits;
};

/* A run of batch. */
struct batch_job {
	const struct invocation *invocation;
	const struct global_args *global;
	struct mr_line_reader lines;
	struct mr_shell_words words;    /* words of the line, to which its command's args point */
	struct global_args given;       /* by the line that is being parsed; must be empty */
	struct parser *parsers;         /* one for each command, and one for none */
	bool checked;                   /* all lines are known to be right */
	uint64_t total;                 /* lines with a command; 0: unknown */
	struct global_args line_global; /* of the commands of lines */
	struct invocation line_invocation; /* of any line: batch_read() fills in its command */
	struct mr_session session;
	struct mr_environment environment;
	struct enclosing enclosing; /* the batch, as the commands of its lines see it */
	struct answer
		answer; /* answer of the batch as a whole; its failures include those of lines */
	uint64_t lines_run; /* so far */
	int status;         /* exit status of the first line that failed; 0: none did */
};

/* A line in the document: its status is known once it was run. */
struct line_row {
	struct mr_opt_u64 line;
	const char *text;
	const char *command;
	struct mr_opt_u64 status;
};

static const struct field line_fields[] = {
	FIELD(struct line_row, line, FIELD_NUMBER, FIELD_KNOWN, "number of the line, from 1"),
	FIELD(struct line_row, text, FIELD_STRING, FIELD_KNOWN,
	      "the line, without leading and trailing blanks"),
	FIELD(struct line_row, command, FIELD_STRING, 0, "its command"),
	FIELD_END,
};
static const struct record line_record = { "line", line_fields, NULL };

enum { STATUS_MEMBER = 1 };

static const struct field whole_line_fields[] = {
	DOCUMENT_PART(&line_record),
	[STATUS_MEMBER] = FIELD(struct line_row, status, FIELD_NUMBER, FIELD_KNOWN,
				"exit status that the command would have alone"),
	FIELD_END,
};
static const struct record whole_line_record = { "line", whole_line_fields, NULL };

static void note_status(struct batch_job *job, int status)
{
	if (!job->status)
		job->status = status;
}

/* Reports a failure of the batch itself, rather than of a line's command. */
static void batch_fail(struct batch_job *job, struct mr_error *err, uint64_t id, enum mr_via via)
{
	answer_fail(&job->answer, err, 0, id, via);
	note_status(job, report_status(err));
}

/* Number of regions that are named one by one; the rest is only counted. */
#define NAMED_MAX 8

/* The ids and names of regions: "1 buf, 2, 3" */
struct names {
	char text[NAMED_MAX * (MR_NAME_SIZE + 24) + 40];
	uint64_t count;
};

static void deregister_leftover(struct batch_job *job, uint32_t slot, struct names *names)
{
	struct mr_session *session = &job->session;
	struct region_row row;
	struct mr_table_pd pd;
	struct mr_entry entry;
	struct mr_error err = { .call = NULL };
	enum mr_via via = mr_session_via(session, slot);
	uint64_t ns;
	int rc;

	if (!mr_table_get(&session->table, slot, &entry))
		return;
	rc = mr_session_deregister(session, slot, entry.id, false, &entry, &ns, &err);
	if (rc < 0)
		mr_wrap(&err, "region %" PRIu64 " was left registered", entry.id);
	if (rc)
		batch_fail(job, &err, entry.id, via);
	if (rc < 0)
		return;
	if (names->count++ < NAMED_MAX)
		mr_text_add(names->text, sizeof(names->text), ", ", "%" PRIu64 "%s%s", entry.id,
			    entry.name[0] ? " " : "", entry.name);
	region_row_fill(&row, &entry, &session->table, &pd);
	row.state = "deregistered";
	row.dereg_elapsed_ns = known(ns);
	if (job->global->style.json)
		output_row(&job->answer.out, &region_record, &row);
}

/*
 * Deregisters them, and names them on standard error and in JSON ("regions"). In a session they stay:
 * others share it.
 */
static void deregister_leftovers(struct batch_job *job)
{
	const struct mr_session *session = &job->session;
	struct output *out = &job->answer.out;
	struct names names = { .count = 0 };

	output_list_begin(out, "regions", &region_record, true);
	for (uint32_t slot = 0; mr_session_is_private(session) && slot < session->table.capacity;
	     slot++)
		deregister_leftover(job, slot, &names);
	output_list_end(out);
	if (names.count > NAMED_MAX)
		mr_text_add(names.text, sizeof(names.text), ", ", "and %" PRIu64 " more",
			    names.count - NAMED_MAX);
	if (names.count && !job->global->style.quiet)
		report_note(job->invocation->command->name,
			    "left registered, and deregistered now: %s", names.text);
}

/*
 * The command @name, which command_find() has found as @listed, with its parser, which is made when it is
 * first needed.  Return: NULL with an error.
 */
static struct parser *prepare_command(struct batch_job *job, const struct command *const *listed,
				      const char *name, struct mr_error *err)
{
	const struct command *command = *listed;
	struct parser *found = &job->parsers[listed - job->invocation->commands];

	if (found->args)
		return found;
	if (!command && name[0] == '-') {
		mr_fail_usage(err, "a line begins with a command; give '%s' to mrctl batch itself",
			      name);
	} else if (!command) {
		mr_fail_usage(err, "unknown command '%s'", name);
		suggest_command(job->invocation->commands, name, err);
	} else if (command->not_in_batch) {
		mr_fail_usage(err, "mrctl %s is not available in a batch", name);
	} else if (parser_init(found, command, &job->given, err)) {
		parser_release(found);
	} else {
		return found;
	}
	return NULL;
}

/*
 * Finds the command of a line, reads its options and checks them.  The word mrctl may stand before the command, so
 * that lines can be pasted from a shell.  @err is set where the line is wrong.
 */
static void parse_line(struct batch_job *job, struct invocation *invocation, struct mr_error *err)
{
	const struct command *const *commands = job->invocation->commands;
	char **words = job->words.list;
	const struct command *const *listed = command_find(commands, words[0]);
	struct parser *parser;
	const char *name;
	int rc;

	if (!*listed && !strcmp(words[0], "mrctl")) {
		if (!*++words) {
			mr_fail_usage(err, "no command given");
			return;
		}
		listed = command_find(commands, words[0]);
	}
	parser = prepare_command(job, listed, words[0], err);
	if (!parser)
		return;
	memset(&job->given, 0, sizeof(job->given));
	rc = parser_read(parser, commands, words, &invocation->operands, err);
	invocation->command = parser->command;
	invocation->args = parser->args;
	/* The global options hold for the batch as a whole. */
	name = rc ? NULL : parser_given_in(parser, &job->given, sizeof(job->given));
	if (name)
		mr_fail_usage(err, "--%s is not available on a line; give it to mrctl batch itself",
			      name);
	else if (!rc && !job->checked && !parser_check(parser, invocation->operands, err))
		command_check(invocation, err);
}

/*
 * Returns the next line that has a command. Return: 1 for a line, right or wrong; 0 at the end; -errno
 * where no line could be read.
 */
static int batch_read(struct batch_job *job, struct invocation *invocation, struct mr_error *err)
{
	struct mr_line_reader *lines = &job->lines;
	int rc;

	invocation->command = NULL;
	invocation->argv = NULL;
	do {
		rc = mr_line_reader_next(lines, err);
		if (rc < 0 && err->kind == MR_ERROR_USAGE)
			mr_wrap(err, "line %" PRIu64, lines->number);
		if (rc <= 0)
			return rc;
		mr_error_clear(err);
		rc = mr_shell_words_split(&job->words, lines->line, lines->length, err);
	} while (!rc && !job->words.count);
	if (!rc) {
		invocation->argv = (const char *const *)job->words.list;
		parse_line(job, invocation, err);
	}
	mr_line_reader_trim(lines);
	return 1;
}

/* Checks all lines of a file, so that a wrong one is reported before any is run. */
static int check_all(struct batch_job *job, struct mr_error *err)
{
	struct invocation invocation = job->line_invocation;
	int rc;

	while ((rc = batch_read(job, &invocation, err)) > 0) {
		const struct enclosing enclosing = { .number = job->lines.number,
						     .text = job->lines.line };

		if (mr_error_is_set(err)) {
			enclosing_wrap(&enclosing, err);
			return -err->errnum;
		}
		job->total++;
	}
	if (!rc)
		mr_line_reader_rewind(&job->lines);
	job->checked = !rc;
	return rc;
}

/* Opens a batch and, where it is a regular file, checks all of its lines. */
static int open_lines(struct batch_job *job, struct mr_error *err)
{
	size_t commands = 0;
	int rc = mr_line_reader_open(&job->lines, job->invocation->operands[0], err);

	if (rc)
		return rc;
	while (job->invocation->commands[commands])
		commands++;
	job->parsers = calloc(commands + 1, sizeof(*job->parsers));
	if (!job->parsers)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	return job->lines.is_file ? check_all(job, err) : 0;
}

static const struct option_spec options[] = {
	OPTION(0, "keep-going", flag, struct batch_args, keep_going, NULL,
	       "continue after a line with an unexpected answer"),
	OPTION(0, "limit", limits, struct batch_args, limits, "NAME=VALUE,...",
	       "set limits of the batch: memlock=64K, nofile, as, data"),
	OPTION_END,
};

/*
 * Runs one line, or reports the error that is set where the line is wrong.  Return: 0, or -errno where standard output is
 * broken.
 */
static int run_line(struct batch_job *job, struct invocation *invocation, struct mr_error *err)
{
	const struct output_style *style = &job->global->style;
	struct line_row row = { .line = known(job->lines.number),
				.text = job->lines.line,
				.command = invocation->command ? invocation->command->name : NULL };
	int status = EXIT_DONE;

	job->enclosing.number = job->lines.number;
	job->enclosing.text = job->lines.line;
	job->enclosing.begun = false;
	mr_table_begin_command(&job->session.table);
	if (!style->json && !style->quiet && !style->no_headings) {
		output_text("%sline %" PRIu64 ": ", job->lines_run ? "\n" : "", job->lines.number);
		output_foreign(job->lines.line);
		output_text("\n");
	}
	output_element_begin(&job->answer.out, &line_record, &row);
	if (!mr_error_is_set(err) && invocation->command)
		status = invocation->command->run(invocation, err);
	if (mr_error_is_set(err)) {
		if (job->enclosing.begun) /* its answer could not be printed */
			return -err->errnum;
		status = report_status(err);
		if (!invocation->command)
			invocation->command = job->invocation->command;
		answer_error(invocation, NULL, err);
	}
	mr_error_clear(err); /* the answer has it */
	row.status = known((uint64_t)status);
	output_element_end(&job->answer.out, &whole_line_fields[STATUS_MEMBER], &row);
	job->lines_run++;
	note_status(job, status);
	/* Flush: a program that writes line by line waits for the answer. */
	return style->quiet || (style->json && job->lines.is_file) ? 0 : output_flush(err);
}

static bool is_over(const struct batch_job *job)
{
	const struct batch_args *args = job->invocation->args;

	return job->status && !args->keep_going;
}

/* Runs all lines, or those up to the first that fails. */
static int run_lines(struct batch_job *job, struct mr_error *err)
{
	struct invocation invocation = job->line_invocation;
	uint64_t asked_at = 0, now;
	int rc;

	while (!is_over(job)) {
		/* Looks for a signal once in a tick of the clock, since looking takes longer than most lines do. */
		now = mr_clock_ns(CLOCK_MONOTONIC_COARSE);
		rc = now != asked_at && mr_interrupted()
			     ? mr_fail_text(err, MR_ERROR_HOST, EINTR, "interrupted")
			     : batch_read(job, &invocation, err);
		asked_at = now;
		if (rc < 0)
			batch_fail(job, err, 0, MR_VIA_LIBRARY);
		if (rc <= 0)
			break;
		rc = run_line(job, &invocation, err);
		if (rc)
			return rc;
		progress_show(&job->answer.progress, "ran", job->lines_run);
	}
	mr_error_clear(err); /* the answer has it */
	return 0;
}

static int answer_lines(struct batch_job *job, struct mr_error *err)
{
	struct answer *answer = &job->answer;
	struct mr_error why;
	bool is_open;
	int rc;

	/* A signal ends the batch only after it has deregistered what is left, and has ended the document. */
	mr_signals_block();
	if (!context_session(job->invocation)) {
		rc = mr_session_open_private(job->global->device, &job->session, &job->environment,
					     &why);
	} else {
		mr_environment_init(&job->environment);
		rc = context_open_session(job->invocation, &job->session, &job->environment, &why)
			     ? mr_session_keep_library(&job->session, &why)
			     : -why.errnum;
	}
	if (rc && why.kind == MR_ERROR_USAGE) {
		*err = why;
		return rc;
	}
	is_open = !rc;
	job->enclosing = (struct enclosing){ .command = job->invocation->command,
					     .session = &job->session,
					     .environment = &job->environment,
					     .failures = &answer->failures,
					     .progress = &answer->progress };
	answer->in_session = context_session(job->invocation) != NULL;
	/* On a terminal the answers of the lines show the progress. */
	progress_init(&answer->progress, job->total,
		      job->global->style.quiet || !job->total || isatty(STDOUT_FILENO));
	answer_begin_list(answer, "lines", &line_record, true);
	if (!is_open)
		batch_fail(job, &why, 0, MR_VIA_LIBRARY);
	rc = is_open ? run_lines(job, err) : 0;
	if (!rc) {
		progress_clear(&answer->progress);
		if (is_open && is_over(job) && job->lines_run < job->total &&
		    !job->global->style.quiet)
			report_note(job->invocation->command->name,
				    "stopped after line %" PRIu64 " (--keep-going continues)",
				    job->enclosing.number);
		output_list_end(&answer->out);
		if (is_open)
			overdue_report(job->invocation, &job->session);
		deregister_leftovers(job);
		answer_report_rest(answer);
		rc = answer_end(answer, job->lines_run, err);
	}
	mr_session_close(&job->session);
	return rc ? rc : job->status;
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
	rc = open_lines(job, err);
	if (!rc)
		rc = mr_limits_set(&args->limits, err);
	/* A document has the reason why no line was read. */
	if (rc && job->global->style.json && err->kind != MR_ERROR_USAGE)
		rc = answer_error(invocation, NULL, err);
	if (!rc)
		rc = answer_init(&job->answer, invocation, NULL, &job->environment, job->total,
				 err);
	if (!rc)
		rc = answer_lines(job, err);
	answer_release(&job->answer);
	for (size_t i = 0; job->parsers && invocation->commands[i]; i++)
		parser_release(&job->parsers[i]);
	free(job->parsers);
	mr_shell_words_release(&job->words);
	mr_line_reader_close(&job->lines);
	free(job);
	return rc;
}

static int check_batch(const struct invocation *invocation, struct mr_error *err)
{
	if (invocation->operands[0] && invocation->operands[1])
		return mr_fail_usage(err, "a batch reads one FILE: '%s' is a second one",
				     invocation->operands[1]);
	return 0;
}

static const struct option_group group = { "Batch", options };

const struct command command_batch = {
	.name = "batch",
	.operands = "[FILE]",
	.summary = "run many commands, one a line, in one process",
	.description =
		"Runs the commands in FILE or on standard input, one a line, on one device. In a "
		"session they work on its regions. Outside a session the regions belong to this "
		"process, and the end of the batch deregisters them. The batch stops at the "
		"first line with an unexpected answer.",
	.groups = (const struct option_group *const[]){ &group, NULL },
	.args_size = sizeof(struct batch_args),
	.record = &region_record,
	.members = (const struct field[]){ DOCUMENT_LIST("lines", &whole_line_record,
							 "lines of the batch with their answers"),
					   FIELD_END },
	.examples = (const char *const[]){ "mrctl batch broken.mrctl",
					   "echo reg --size 1M | mrctl batch", NULL },
	.not_in_batch = true,
	.check = check_batch,
	.run = run_batch,
};
