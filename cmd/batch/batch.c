// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>

#include "cmd/batch/answer.h"
#include "cmd/batch/leftovers.h"
#include "cmd/batch/reader.h"
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
	struct json_texts texts; /* of the lines' answers */
	uint64_t asked_at;       /* mr_tick_ns() when is_interrupted() last looked for signals */
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
					     .progress = &answer->progress,
					     .texts = &job->texts };
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
	json_texts_release(&job->texts);
	batch_reader_close(&job->reader);
	free(job);
	return rc;
}

static int check_batch(const struct invocation *invocation, struct mr_error *err)
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
	.examples = (const char *const[]){ "mrctl batch broken.mrctl",
					   "echo reg --size 1M | mrctl batch", NULL },
	.not_in_batch = true,
	.check = check_batch,
	.run = run_batch,
};
