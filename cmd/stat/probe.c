// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/output/output.h"
#include "cmd/region/region.h"
#include "cmd/stat/stat.h"
#include "lib/probe/probe.h"

/* A trial, as it is printed. */
struct trial_row {
	const char *id;
	const char *group;
	const char *subject;
	const char *answer;
	const char *errnum;
	const char *call;
	const char *layer;
	const char *kernel_call;
	struct mr_opt_u64 access;
	struct mr_opt_u64 elapsed_ns;
	const char *capability;
	struct opt_bool agrees;
	char reason[256];
};

/* What was found, as it is printed. */
struct max_size_row {
	struct mr_opt_u64 largest;
	struct mr_opt_u64 refused;
	const char *limit;
	const char *call;
	const char *errnum;
	struct mr_opt_u64 cap;
	const char *cap_by;
	struct mr_opt_u64 tries;
	struct mr_opt_u64 elapsed_ns;
};

static const struct field max_size_fields[] = {
	FIELD(struct max_size_row, largest, FIELD_NUMBER, 0, ""),
	FIELD(struct max_size_row, refused, FIELD_NUMBER, 0, ""),
	FIELD(struct max_size_row, limit, FIELD_STRING, 0, ""),
	FIELD(struct max_size_row, call, FIELD_STRING, 0, ""),
	FIELD_AS("errno", struct max_size_row, errnum, FIELD_STRING, 0, ""),
	FIELD(struct max_size_row, cap, FIELD_NUMBER, 0, ""),
	FIELD(struct max_size_row, cap_by, FIELD_STRING, 0, ""),
	FIELD(struct max_size_row, tries, FIELD_NUMBER, 0, ""),
	FIELD(struct max_size_row, elapsed_ns, FIELD_NUMBER, 0, ""),
	FIELD_END,
};
static const struct record max_size_record = { "max_size", max_size_fields, NULL };

static void show_step(uint64_t bytes, void *data)
{
	progress_wait(data, "registering", bytes);
}

/* Finds the largest registration that works, showing progress. */
static int probe_max_size(struct answer *answer, struct mr_probe *probe, struct mr_opt_u64 cap,
			  struct mr_max_size *found, struct mr_error *err)
{
	int rc = mr_max_size_find(probe, cap, show_step, &answer->progress, found, err);

	progress_clear(&answer->progress);
	return rc;
}

/* Prints what was found as an object of the document, or as lines. */
static void probe_max_size_print(struct answer *answer, const struct mr_max_size *found)
{
	struct max_size_row row = { .limit = NULL };

	if (found)
		row = (struct max_size_row){
			.largest = found->size,
			.refused = found->refused,
			.limit = found->err.errnum ? found->limit : "cap",
			.call = found->err.call,
			.errnum = found->err.errnum ? mr_errno_name(found->err.errnum) : NULL,
			.cap = known(found->cap),
			.cap_by = found->cap_by ?: "--cap",
			.tries = known(found->tries),
			.elapsed_ns = known(found->elapsed_ns),
		};

	output_object(&answer->out, "max_size", &max_size_record, &row);
}

#define WIDTH 80

/* Prints a line of words, which goes on in the next lines, indented, where it is longer than the terminal is wide. */
static void print_wrapped(const char *text)
{
	const int indent = 4;
	int column = 0;

	while (*text) {
		int length = (int)strcspn(text, " ");

		if (column > indent && column + 1 + length > WIDTH) {
			output_text("\n%*s", indent, "");
			column = indent;
		} else if (column) {
			output_text(" ");
			column++;
		}
		output_text("%.*s", length, text);
		column += length;
		text += length;
		text += strspn(text, " ");
	}
	output_text("\n");
}

/*
 * Prints below their table what the letters in ids stand for, and the reasons of answers, each behind the
 * id of its trial.
 */
static void print_reasons(const struct trial_row *rows, size_t trials)
{
	output_text("\n");
	print_wrapped(
		"access: lw is local-write, rw remote-write, rr remote-read, ra remote-atomic, "
		"mw mw-bind");
	for (size_t i = 0; i < trials; i++) {
		char text[sizeof(rows[i].reason) + 64];

		if (!rows[i].reason[0])
			continue;
		snprintf(text, sizeof(text), "%s: %s", rows[i].id, rows[i].reason);
		print_wrapped(text);
	}
	output_text("\n");
}

/* The colours that --host gives to its verdicts. */
static const struct coloured_word answer_colours[] = {
	{ "yes", COLOUR_GOOD },
	{ "no", COLOUR_BAD },
	{ "unknown", COLOUR_DOUBT },
	{ NULL, COLOUR_PLAIN },
};

static const struct field trial_fields[] = {
	FIELD(struct trial_row, id, FIELD_STRING, 0, "which trial: a name that stays"),
	FIELD(struct trial_row, group, FIELD_STRING, FIELD_DETAIL, "what it is about"),
	FIELD(struct trial_row, subject, FIELD_STRING, FIELD_DETAIL, "what is tried"),
	FIELD(struct trial_row, answer, FIELD_STRING, 0, "yes, no or unknown",
	      .colours = answer_colours),
	FIELD_AS("errno", struct trial_row, errnum, FIELD_STRING, 0, "errno of the call"),
	FIELD(struct trial_row, call, FIELD_STRING, FIELD_DETAIL, "the call that was made"),
	FIELD(struct trial_row, layer, FIELD_STRING, 0, "who refused, where that is proven"),
	FIELD(struct trial_row, kernel_call, FIELD_STRING, FIELD_DETAIL,
	      "what reached the kernel in its place"),
	FIELD(struct trial_row, access, FIELD_ACCESS, FIELD_DETAIL, "access flags of the region"),
	FIELD(struct trial_row, elapsed_ns, FIELD_NUMBER, FIELD_DURATION, "time of the call"),
	FIELD(struct trial_row, capability, FIELD_STRING, FIELD_DETAIL,
	      "what the device itself says: yes or no"),
	FIELD(struct trial_row, agrees, FIELD_OPT_BOOL, FIELD_DETAIL,
	      "whether that agrees with the answer"),
	FIELD(struct trial_row, reason, FIELD_TEXT, FIELD_DETAIL,
	      "why it is unknown, or what the answer means"),
	FIELD_END,
};
static const struct record trial_record = { "trial", trial_fields, "trials" };

/* How many trials had each answer. */
struct probe_summary {
	struct mr_opt_u64 yes, no, unknown, disagree;
};

static const struct field summary_fields[] = {
	FIELD(struct probe_summary, yes, FIELD_NUMBER, 0, ""),
	FIELD(struct probe_summary, no, FIELD_NUMBER, 0, ""),
	FIELD(struct probe_summary, unknown, FIELD_NUMBER, 0, ""),
	FIELD(struct probe_summary, disagree, FIELD_NUMBER, 0, ""),
	FIELD_END,
};
static const struct record summary_record = { "answers", summary_fields, NULL };

static const char *tristate_name(enum mr_tristate answer)
{
	return answer == MR_YES ? "yes" : answer == MR_NO ? "no" : NULL;
}

static void fill_row(struct trial_row *row, const struct mr_trial *trial,
		     const struct mr_trial_answer *answer)
{
	const char *word = tristate_name(answer->answer);

	*row = (struct trial_row){
		.id = trial->id,
		.group = trial->group,
		.subject = trial->subject,
		.answer = word ? word : "unknown",
		.errnum = answer->errnum ? mr_errno_name(answer->errnum) : NULL,
		.call = answer->call,
		.layer = answer->layer,
		.kernel_call = answer->kernel_call,
		.access = { trial->access, mr_trial_has_access(trial) },
		.elapsed_ns = { answer->elapsed_ns, answer->made },
		.capability = tristate_name(answer->capability),
		.agrees = { answer->agrees == MR_YES, answer->agrees != MR_UNKNOWN },
	};
	memcpy(row->reason, answer->reason, sizeof(row->reason));
}

static void count(struct probe_summary *summary, const struct mr_trial_answer *answer)
{
	summary->yes.value += answer->answer == MR_YES;
	summary->no.value += answer->answer == MR_NO;
	summary->unknown.value += answer->answer == MR_UNKNOWN;
	summary->disagree.value += answer->agrees == MR_NO;
}

/* ---- the command ---- */

static size_t count_trials(void)
{
	size_t trials = 0;

	while (mr_trials[trials].id)
		trials++;
	return trials;
}

static struct probe_summary try_all(struct mr_probe *probe, struct trial_row *rows)
{
	struct probe_summary summary = { known(0), known(0), known(0), known(0) };

	for (size_t i = 0; mr_trials[i].id; i++) {
		struct mr_trial_answer answer;

		mr_probe_try(probe, &mr_trials[i], &answer);
		fill_row(&rows[i], &mr_trials[i], &answer);
		count(&summary, &answer);
	}
	return summary;
}

static void print_answers(struct answer *answer, const struct trial_row *rows, size_t trials,
			  const struct probe_summary *summary)
{
	const struct output_style *style = &answer->invocation->global->style;
	const bool is_usual = !style->columns && !style->no_headings;

	answer_begin(answer);
	for (size_t i = 0; i < trials; i++)
		answer_row(answer, &rows[i]);
	answer_end_rows(answer);
	if (is_usual && !style->json && !style->quiet && !style->verbose &&
	    style->format == OUTPUT_TEXT)
		print_reasons(rows, trials);
	if (style->json || is_usual)
		output_object(&answer->out, "answers", &summary_record, summary);
}

static int try_and_answer(struct answer *answer, struct mr_probe *probe, struct trial_row *rows,
			  struct mr_error *err)
{
	const struct stat_args *args = answer->invocation->args;
	const size_t trials = count_trials();
	struct mr_max_size found;
	struct probe_summary summary = try_all(probe, rows);
	int rc = 0;

	if (args->max_size)
		rc = probe_max_size(answer, probe, args->cap, &found, err);
	if (rc)
		return rc;
	print_answers(answer, rows, trials, &summary);
	if (args->max_size)
		probe_max_size_print(answer, &found);
	rc = answer_end(answer, trials, err);
	return rc ? rc : answer_status(answer, trials, NULL);
}

static int answer_with_rows(struct answer *answer, struct mr_probe *probe, struct mr_error *err)
{
	struct trial_row *rows = calloc(count_trials(), sizeof(*rows));
	int rc;

	if (!rows)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	rc = try_and_answer(answer, probe, rows, err);
	free(rows);
	return rc;
}

static const char *device_of(const struct invocation *invocation)
{
	return invocation->operands[0] ? invocation->operands[0] : invocation->global->device;
}

/* Without a device, JSON has all members that it has otherwise, and nothing is known. */
static int answer_without_device(const struct invocation *invocation, struct mr_error *why,
				 struct mr_error *err)
{
	const struct stat_args *args = invocation->args;
	const struct probe_summary unknown = { .yes = { 0, false } };
	const bool is_json = invocation->global->style.json;
	struct mr_environment environment;
	struct answer answer;
	int rc;

	mr_environment_init(&environment);
	rc = answer_init(&answer, invocation, NULL, &environment, 0, err);
	if (rc)
		return rc;
	answer.refusal.device = device_of(invocation);
	answer_fail(&answer, why, 0, 0, MR_VIA_KERNEL);
	answer_begin(&answer);
	answer_end_rows(&answer);
	if (is_json)
		output_object(&answer.out, "answers", &summary_record, &unknown);
	if (is_json && args->max_size)
		probe_max_size_print(&answer, NULL);
	rc = answer_end(&answer, 0, err);
	if (!rc)
		rc = answer_status(&answer, 0, NULL);
	answer_release(&answer);
	return rc;
}

static int check_probe(const struct invocation *invocation, struct mr_error *err)
{
	const struct stat_args *args = invocation->args;
	char **names = invocation->operands;

	if (names[0] && names[1])
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--probe tries one device at a time: '%s' is a second one",
				    names[1]);
	if (names[0] && invocation->global->device &&
	    strcmp(names[0], invocation->global->device) != 0)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--probe tries one device: '%s' or '%s'?", names[0],
				    invocation->global->device);
	if (args->cap.known && args->cap.value < (uint64_t)getpagesize())
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--cap is less than a page, which has %d bytes", getpagesize());
	return 0;
}

static int run_probe(const struct invocation *invocation, struct mr_error *err)
{
	struct mr_environment environment;
	struct mr_probe probe;
	struct answer answer;
	struct mr_error why;
	int rc;

	mr_environment_init(&environment);
	rc = mr_probe_open(&probe, device_of(invocation), &environment, &why);
	if (rc && why.kind != MR_ERROR_USAGE)
		return answer_without_device(invocation, &why, err);
	if (rc) {
		*err = why;
		return rc;
	}
	rc = answer_init(&answer, invocation, NULL, &environment, count_trials(), err);
	if (!rc) {
		rc = answer_with_rows(&answer, &probe, err);
		answer_release(&answer);
	}
	mr_probe_close(&probe);
	return rc;
}

const struct command_view stat_probe = {
	STAT_VIEW(probe),
	.record = &trial_record,
	.columns = "id,answer,errno,layer,elapsed_ns", /* errno is a macro: not for COLUMNS() */
	.check = check_probe,
	.run = run_probe,
};
