// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>

#include "cmd/batch/answer.h"
#include "cmd/region/region.h"

/* A line in the document, as it is known before it is run; its status follows (struct outcome). */
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
static const struct record line_record = { "line", line_fields, NULL };

struct outcome {
	struct mr_opt_u64 status;
};

static const struct field outcome_fields[] = {
	FIELD(struct outcome, status, FIELD_NUMBER, 0, ""),
	FIELD_END,
};
static const struct record outcome_record = { "outcome", outcome_fields, NULL };

static const struct global_args *global_of(const struct batch_answer *batch)
{
	return batch->answer.invocation->global;
}

static void note_status(struct batch_answer *batch, int status)
{
	if (!batch->status)
		batch->status = status;
}

void batch_answer_begin(struct batch_answer *batch)
{
	answer_begin_list(&batch->answer, "lines", &line_record, true);
}

void batch_answer_begin_line(struct batch_answer *batch, const struct enclosing *line,
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

int batch_answer_error(const struct batch_answer *batch, const struct invocation *invocation,
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

int batch_answer_end_line(struct batch_answer *batch, int status, struct mr_error *err)
{
	const struct outcome outcome = { known((uint64_t)status) };

	output_element_end(&batch->answer.out, &outcome_record, &outcome);
	batch->lines_run++;
	note_status(batch, status);
	return flush_line(batch, err);
}

void batch_answer_fail(struct batch_answer *batch, struct mr_error *err, uint64_t id,
		       enum mr_via via)
{
	answer_fail(&batch->answer, err, 0, id, via);
	note_status(batch, report_status(err));
}

void batch_answer_end_lines(struct batch_answer *batch, const struct enclosing *stopped)
{
	progress_clear(&batch->answer.progress);
	if (stopped && !global_of(batch)->style.quiet)
		report_note(batch->answer.invocation->command->name,
			    "stopped after line %" PRIu64 " (--keep-going goes on)",
			    stopped->number);
	output_list_end(&batch->answer.out);
}

int batch_answer_end(struct batch_answer *batch, struct mr_error *err)
{
	answer_report_rest(&batch->answer);
	return answer_end(&batch->answer, batch->lines_run, err);
}
