// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "batch_line.h"
#include "batch_read.h"
#include "batch_rest.h"
#include "clock.h"
#include "hold.h"
#include "output.h"
#include "overdue.h"
#include "place.h"
#include "region_row.h"
#include "session_library.h"

struct batch_args {
	bool keep_going;
};

static const struct option_spec options[] = {
	OPTION(0, "keep-going", OPTION_FLAG, struct batch_args, keep_going, NULL,
	       "go on after a line that did not answer as it should"),
	OPTION_END,
};

/* What is known of a line before it is run, and after. */
struct line_row {
	struct mr_opt_u64 line;
	const char *text;
	const char *command;
};

static const struct field line_fields[] = {
	FIELD(struct line_row, line, FIELD_NUMBER, 0, ""),
	FIELD(struct line_row, text, FIELD_STRING, 0, ""),
	FIELD(struct line_row, command, FIELD_STRING, 0, ""),
	FIELD_END,
};
static const struct record line_record = { "line", line_fields };

struct outcome {
	struct mr_opt_u64 status;
};

static const struct field outcome_fields[] = {
	FIELD(struct outcome, status, FIELD_NUMBER, 0, ""),
	FIELD_END,
};
static const struct record outcome_record = { "outcome", outcome_fields };

/* One run. */
struct job {
	const struct invocation *invocation;
	const struct global_args *global;
	struct global_args line_global; /* that lines are run with */
	struct batch_reader reader;
	struct mr_session session;
	struct mr_environment environment;
	struct batch_line line;
	struct output out;
	struct failures failures;
	struct progress progress;
	uint64_t run;
	uint64_t asked_at; /* tick at which it was last asked for signals */
	int status;        /* of the first line that did not answer as it should */
};

static void note_status(struct job *job, int status)
{
	if (!job->status)
		job->status = status;
}

/* A failure of the batch itself, rather than of a line's command. */
static void fail(struct job *job, const struct mr_error *err)
{
	progress_clear(&job->progress);
	report_note(job->invocation->command, "%s", err->text);
	if (err->hint[0])
		report_detail("%s", err->hint);
	failures_add(&job->failures, err, 0, 0, mr_via_name(MR_VIA_LIBRARY));
	note_status(job, report_status(err));
}

/* A line whose command never came to an answer. */
static int fail_line(struct job *job, const struct mr_error *err)
{
	struct failures failures = { .count = 0 };
	struct list list = { &failure_record, NULL, 0, sizeof(struct failure) };

	batch_line_note(&job->line, "%s", err->text);
	if (err->hint[0])
		report_detail("%s", err->hint);
	failures_add(&failures, err, 0, 0, NULL);
	list.rows = failures.items;
	list.count = failures.count;
	output_list_begin(&job->out, "regions", &region_record, true);
	output_list_end(&job->out);
	output_json_list(&job->out, "failures", &list);
	batch_line_fail(&job->line, failures.count ? failures.items : NULL);
	failures_release(&failures);
	return report_status(err);
}

static void print_heading(const struct job *job)
{
	const struct global_args *global = job->global;

	if (!global->json && !global->quiet && !global->no_headings)
		output_text("%sline %" PRIu64 ": %s\n", job->run ? "\n" : "", job->line.number,
			    job->line.text);
}

/* What a line's command printed must be on its way before the next one is waited for. */
static int flush(const struct job *job, struct mr_error *err)
{
	const struct global_args *global = job->global;
	bool later = global->quiet || (global->json && job->reader.lines.is_file);

	return later ? 0 : output_flush(err);
}

/* One line: 0, or -errno where standard output is broken. */
static int run_line(struct job *job, const struct invocation *invocation, struct mr_error *parsed,
		    struct mr_error *err)
{
	const struct line_row row = { known(job->line.number), job->line.text,
				      invocation->command ? invocation->command->name : NULL };
	int status = EXIT_DONE;

	print_heading(job);
	output_element_begin(&job->out, &line_record, &row);
	err->text[0] = '\0';
	if (parsed->text[0] || !invocation->command)
		status = fail_line(job, parsed);
	else
		status = invocation->command->run(invocation, err);
	if (err->text[0] && job->line.begun)
		return -err->errnum;
	if (err->text[0])
		status = fail_line(job, err);
	output_element_end(&job->out, &outcome_record,
			   &(struct outcome){ known((uint64_t)status) });
	job->run++;
	note_status(job, status);
	return flush(job, err);
}

static bool is_over(const struct job *job)
{
	const struct batch_args *args = job->invocation->args;

	return job->status && !args->keep_going;
}

/* Most lines take less time than asking: some milliseconds late do no harm. */
static bool is_interrupted(struct job *job)
{
	uint64_t now = mr_tick_ns();

	if (now == job->asked_at)
		return false;
	job->asked_at = now;
	return mr_interrupted();
}

/* All lines, or those up to the first that does not answer as it should. */
static int run_lines(struct job *job, struct mr_error *err)
{
	struct invocation invocation = { .global = &job->line_global };
	struct mr_error parsed;
	int rc = 1;

	while (rc > 0 && !is_over(job)) {
		if (is_interrupted(job)) {
			mr_fail_text(err, MR_ERROR_HOST, EINTR, "interrupted");
			fail(job, err);
			break;
		}
		rc = batch_read(&job->reader, &invocation, &parsed);
		if (rc < 0)
			fail(job, &parsed);
		if (rc <= 0)
			break;
		job->line.number = job->reader.lines.number;
		job->line.text = job->reader.lines.line;
		job->line.begun = false;
		rc = run_line(job, &invocation, &parsed, err);
		if (rc)
			return rc;
		rc = 1;
		progress_show(&job->progress, "ran", job->run);
	}
	progress_clear(&job->progress);
	if (is_over(job) && job->run < job->reader.total && !job->global->quiet)
		report_note(job->invocation->command,
			    "stopped after line %" PRIu64 " (--keep-going goes on)",
			    job->line.number);
	overdue_tell(job->invocation, &job->session);
	return 0;
}

static int open_session(struct job *job, struct mr_error *err)
{
	if (!place_session(job->global))
		return mr_session_open_private(job->global->device, &job->session,
					       &job->environment, err);
	if (!place_open_session(job->global, &job->session, err))
		return -err->errnum;
	mr_session_environment(&job->session, &job->environment);
	return mr_session_keep_library(&job->session, err);
}

static int print_end(struct job *job, struct mr_error *err)
{
	const struct list failures = { &failure_record, job->failures.items, job->failures.count,
				       sizeof(struct failure) };
	const struct global_args *global = job->global;

	if (job->failures.out_of_memory)
		job->out.error = -ENOMEM;
	output_json_list(&job->out, "failures", &failures);
	if (job->run && job->environment.simulated && !global->json && !global->quiet &&
	    !global->no_headings)
		report_note(job->invocation->command, "these are answers of the simulated HCA %s",
			    job->environment.device);
	return output_end(&job->out, err);
}

static void prepare_lines(struct job *job)
{
	const struct global_args *global = job->global;

	job->line = (struct batch_line){ .session = &job->session,
					 .environment = &job->environment,
					 .failures = &job->failures,
					 .progress = &job->progress };
	job->line_global = *global;
	job->line_global.device = job->line_global.session = NULL;
	job->line_global.line = &job->line;
	/* Where the answers of the lines are on the terminal, they show how far it is. */
	progress_init(&job->progress, job->reader.total,
		      global->quiet || !job->reader.total || output_is_terminal());
}

static int work(struct job *job, struct mr_error *err)
{
	const struct scene scene = { place_session(job->global) != NULL };
	struct mr_error told;
	int rc;

	mr_hold_block(); /* after a signal what is left is deregistered, and told */
	rc = open_session(job, &told);
	if (rc && told.kind == MR_ERROR_USAGE) {
		*err = told;
		return rc;
	}
	prepare_lines(job);
	output_begin(&job->out, job->invocation->command->name);
	if (job->global->json)
		output_object(&job->out, "environment", &environment_record, &job->environment);
	output_members(&job->out, &scene_record, &scene);
	output_list_begin(&job->out, "lines", &line_record, true);
	if (rc)
		fail(job, &told);
	rc = rc ? 0 : run_lines(job, err);
	output_list_end(&job->out);
	if (!rc) {
		const struct batch_rest rest = { job->invocation->command, &job->session, &job->out,
						 &job->failures };

		if (batch_rest_deregister(&rest))
			note_status(job, EXIT_REFUSED);
		rc = print_end(job, err);
	}
	mr_session_close(&job->session);
	return rc ? rc : job->status;
}

static int run(const struct invocation *invocation, struct mr_error *err)
{
	struct job *job = calloc(1, sizeof(*job));
	int rc;

	if (!job)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	job->invocation = invocation;
	job->global = invocation->global;
	job->session = (struct mr_session){ .uverbs = { .fd = -1 }, .table = { .fd = -1 } };
	job->line_global.line = &job->line; /* for the check, too, they are lines of a batch */
	rc = batch_reader_open(&job->reader, invocation->operands[0], &job->line_global, err);
	if (!rc)
		rc = output_open(&job->out, job->global, &region_record, err);
	if (!rc)
		rc = work(job, err);
	output_release(&job->out);
	failures_release(&job->failures);
	batch_reader_close(&job->reader);
	free(job);
	return rc;
}

static int check(const struct invocation *invocation, struct mr_error *err)
{
	if (invocation->operands[0] && invocation->operands[1])
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "one FILE, not also '%s'",
				    invocation->operands[1]);
	return 0;
}

static const struct option_group group = { "Batch", options, 0 };
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
	.check = check,
	.run = run,
};
