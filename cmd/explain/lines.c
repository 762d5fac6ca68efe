// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* mrctl explain LINE, mrctl explain - */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/explain/args.h"
#include "cmd/explain/inquest.h"
#include "cmd/explain/text.h"
#include "cmd/output/output.h"

/* Causes of which the host shows nothing: text names at most this many. */
#define OTHERS_MAX 4

/* ---- records ---- */

static void print_row(struct answer *answer, const struct inquest *inquest, struct explained *row)
{
	row->log = inquest->row.log;
	answer_row(answer, row);
}

static void print_causes(struct answer *answer, const struct inquest *inquest)
{
	const struct mr_diagnosis *diagnosis = &inquest->diagnosis;
	struct explained row;

	for (size_t i = 0; i < diagnosis->cause_count; i++) {
		explained_fill(&row, diagnosis->causes[i].cause);
		explained_add(&row, &diagnosis->causes[i]);
		print_row(answer, inquest, &row);
	}
	for (size_t i = 0; i < inquest->other_count; i++) {
		explained_fill(&row, inquest->others[i]);
		print_row(answer, inquest, &row);
	}
	for (size_t i = 0; i < diagnosis->ruled_out_count; i++) {
		explained_fill(&row, diagnosis->ruled_out[i].cause);
		row.certainty = mr_certainties[MR_RULED_OUT].name;
		row.cause = diagnosis->ruled_out[i].reason;
		print_row(answer, inquest, &row);
	}
}

/* ---- text ---- */

static void print_others(const struct inquest *inquest, bool verbose)
{
	const size_t shown =
		verbose || inquest->other_count <= OTHERS_MAX ? inquest->other_count : OTHERS_MAX;
	char text[512];

	if (shown)
		output_text("  %s\n", inquest->diagnosis.cause_count
					      ? "Other causes that it can have:"
					      : "Causes that it can have:");
	for (size_t i = 0; i < shown; i++) {
		const struct mr_cause *cause = inquest->others[i];

		snprintf(text, sizeof(text), "%s (%s)", cause->subject, cause->id);
		text_labelled(4, "", text);
		text_labelled(6, "", cause->recognise);
	}
	if (shown < inquest->other_count && inquest->row.errno_name)
		output_text("    and %zu more: mrctl explain %s --call %s\n",
			    inquest->other_count - shown, inquest->row.errno_name,
			    inquest->row.call);
	if (!inquest->other_count && !inquest->diagnosis.cause_count && !inquest->row.remark)
		output_text("  No cause of it is known.\n");
}

static void print_ruled_out(const struct mr_diagnosis *diagnosis)
{
	char text[sizeof(diagnosis->ruled_out[0].reason) + 64];

	for (size_t i = 0; i < diagnosis->ruled_out_count; i++) {
		snprintf(text, sizeof(text), "%s [%s]", diagnosis->ruled_out[i].reason,
			 diagnosis->ruled_out[i].cause->id);
		text_labelled(2, "not: ", text);
	}
}

static void print_inquest(const struct inquest *inquest, bool verbose)
{
	const struct mr_diagnosis *diagnosis = &inquest->diagnosis;
	struct explained row;

	text_of_line(&inquest->row);
	for (size_t i = 0; i < diagnosis->cause_count; i++) {
		explained_fill(&row, diagnosis->causes[i].cause);
		explained_add(&row, &diagnosis->causes[i]);
		text_of_suspicion(&row, !i);
	}
	if (verbose)
		print_ruled_out(diagnosis);
	print_others(inquest, verbose);
	if (inquest->row.repeat[0])
		output_text("  To repeat the call here, and see its cause:\n    %s\n",
			    inquest->row.repeat);
}

static void print_closing(const struct log *log)
{
	char text[128];

	output_text("\n");
	output_paragraph("This was judged by this host and this shell. The program may have run "
			 "elsewhere, with other limits, and its memory was not seen.",
			 0, 0);
	if (!log->left_out)
		return;
	snprintf(text, sizeof(text), "%" PRIu64 " further lines tell of yet other refusals.",
		 log->left_out);
	output_paragraph(text, 0, 0);
}

/* ---- both ---- */

static int print_all(struct answer *answer, const struct log *log, struct inquest *inquest)
{
	const struct global_args *global = answer->invocation->global;
	const bool prose = is_prose(&global->style);

	if (!prose)
		answer_begin(answer);
	for (size_t i = 0; i < log->count; i++) {
		inquest_hold(inquest, &log->kinds[i], i, global->why);
		if (prose && i)
			output_text("\n");
		if (prose)
			print_inquest(inquest, global->style.verbose);
		else
			print_causes(answer, inquest);
	}
	if (prose && log->count)
		print_closing(log);
	if (!prose)
		answer_end_rows(answer);
	return 0;
}

/* JSON: what the lines say; text has it already */
static void print_log(struct answer *answer, const struct log *log)
{
	struct log_row row;

	if (!answer->out.style->json)
		return;
	output_list_begin(&answer->out, log_record.list, &log_record, false);
	for (size_t i = 0; i < log->count; i++) {
		log_row_fill(&row, &log->kinds[i], i);
		output_row(&answer->out, &log_record, &row);
	}
	output_list_end(&answer->out);
}

/* What one line lacks, which cannot be explained */
static void fail_line(const char *text, size_t length, struct mr_error *why)
{
	struct mr_log_line line;
	int errnum;

	mr_log_line_read(&line, text, length);
	mr_fail_text(why, MR_ERROR_HOST, ENOMSG, "nothing is known of this line");
	errnum = mr_log_line_errno(text, length);
	if (line.call)
		mr_hint(why,
			"it is about %s, but does not say that it failed, and has no errno; "
			"mrctl explain ERRNO --call %s lists causes",
			line.call, line.call);
	else if (errnum)
		mr_hint(why,
			"it has %s, but names no call of registration: mrctl explain %s lists "
			"causes",
			mr_errno_name(errnum), mr_errno_name(errnum));
	else
		mr_hint(why, "it names neither a call of registration nor an errno");
}

static void fail_log(const struct log *log, struct mr_error *why)
{
	mr_fail_text(why, MR_ERROR_HOST, ENOMSG,
		     "none of %" PRIu64 " lines tells of a refused registration", log->lines);
	if (log->too_long)
		mr_hint(why, "%" PRIu64 " of them have more than %d bytes, and were not read",
			log->too_long, MR_LOG_LINE_MAX);
}

static int answer_log(struct answer *answer, const struct log *log, const char *line,
		      struct mr_error *err)
{
	struct inquest *inquest = malloc(sizeof(*inquest));
	struct mr_error why;
	int rc;

	if (!inquest)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "malloc", NULL);
	if (!log->count && line)
		fail_line(line, strlen(line), &why);
	else if (!log->count)
		fail_log(log, &why);
	if (!log->count)
		answer_fail(answer, &why, 0, 0, MR_VIA_LIBRARY);
	print_all(answer, log, inquest);
	print_log(answer, log);
	free(inquest);
	rc = answer_end(answer, 0, err);
	return rc ? rc : answer_status(answer, 0, NULL);
}

int explain_lines(const struct invocation *invocation, const char *line, struct mr_error *err)
{
	struct mr_environment environment;
	struct log log = { .count = 0 };
	struct answer answer;
	int rc;

	mr_environment_init(&environment);
	rc = answer_init(&answer, invocation, NULL, &environment, 0, err);
	if (rc)
		return rc;
	rc = line ? log_take(&log, line, strlen(line), err) : log_read(&log, err);
	if (!rc)
		rc = answer_log(&answer, &log, line, err);
	log_release(&log);
	answer_release(&answer);
	return rc;
}
