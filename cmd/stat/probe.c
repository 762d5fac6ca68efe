// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/stat/stat.h"

/* A trial, and what it answered. */
struct trial_row {
	const struct mr_trial *trial;
	struct mr_trial_answer answer;
	struct mr_opt_u64 access;
};

#define FOUND(key, member, type, help)                                                             \
	FIELD_AS(key, struct max_size, found.member, type, 0, help,                                \
		 KNOWN_BY(struct max_size, is_done))

/* The largest registration that works. */
struct max_size {
	struct mr_max_size found;
	bool is_done; /* it was looked for */
};

static const struct field max_size_fields[] = {
	FOUND("largest", size, FIELD_NUMBER, "bytes of the largest region that was registered"),
	FOUND("refused", refused, FIELD_NUMBER, "bytes of the smallest region that was refused"),
	FOUND("limit", limit, FIELD_STRING,
	      "what was exceeded: cap, max_mr_size or RLIMIT_MEMLOCK"),
	FOUND("call", err.call, FIELD_STRING, "call that refused, which may be mmap"),
	FOUND("errno", err.errnum, FIELD_ERRNO, "errno of that call"),
	FOUND("cap", cap, FIELD_NUMBER, "bytes; nothing larger was tried"),
	FOUND("cap_by", cap_by, FIELD_STRING,
	      "origin of the cap: --cap, MemAvailable, memory.max, memory.high or RLIMIT_AS"),
	FOUND("tries", tries, FIELD_NUMBER, "regions that were tried"),
	FOUND("elapsed_ns", elapsed_ns, FIELD_NUMBER, "time of the whole search"),
	FIELD_END,
};
static const struct record max_size_record = { "max_size", max_size_fields, NULL };

static void show_step(uint64_t bytes, void *data)
{
	progress_wait(data, "registering", bytes);
}

/*
 * Prints below their table the meaning of the letters in ids, and the reasons of answers, each behind the
 * id of its trial.
 */
static void print_reasons(const struct trial_row *rows, size_t trials)
{
	output_text("\n");
	output_paragraph("access: lw is local-write, rw remote-write, rr remote-read, "
			 "ra remote-atomic, mw mw-bind",
			 0, 4);
	for (size_t i = 0; i < trials; i++) {
		const struct mr_trial *trial = rows[i].trial;

		if (!trial || !rows[i].answer.reason[0])
			continue;
		output_text("%s: ", trial->id);
		output_paragraph(rows[i].answer.reason, strlen(trial->id) + 2, 4);
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

static const struct mr_word answer_words[] = {
	[MR_NO] = { .name = "no" },
	[MR_YES] = { .name = "yes" },
	[MR_UNKNOWN] = { .name = "unknown" },
};

static const struct mr_word known_answer_words[] = {
	[MR_NO] = { .name = "no" },
	[MR_YES] = { .name = "yes" },
	[MR_UNKNOWN] = { .name = NULL },
};

#define TRIAL(member, ...)                                                                         \
	FIELD_BEHIND(#member, struct trial_row, trial, struct mr_trial, member, FIELD_STRING,      \
		     __VA_ARGS__)
#define ANSWER(member, ...) FIELD_AS(#member, struct trial_row, answer.member, __VA_ARGS__)

static const struct field trial_fields[] = {
	TRIAL(id, FIELD_KNOWN, "name of the trial; it never changes"),
	TRIAL(group, FIELD_DETAIL | FIELD_KNOWN, "subject of the trial"),
	TRIAL(subject, FIELD_DETAIL | FIELD_KNOWN, "the tried request"),
	ANSWER(answer, FIELD_WORD, FIELD_KNOWN, "yes, no or unknown", .words = answer_words,
	       .colours = answer_colours),
	FIELD_AS("errno", struct trial_row, answer.errnum, FIELD_ERRNO, 0, "errno of the call"),
	ANSWER(call, FIELD_STRING, FIELD_DETAIL, "the call that was made"),
	ANSWER(layer, FIELD_STRING, 0, "layer that refused, where that is proven"),
	ANSWER(kernel_call, FIELD_STRING, FIELD_DETAIL,
	       "request that reached the kernel in its place"),
	FIELD(struct trial_row, access, FIELD_ACCESS, FIELD_DETAIL, "access flags of the region"),
	ANSWER(elapsed_ns, FIELD_NUMBER, FIELD_DURATION, "time of the call",
	       KNOWN_BY(struct trial_row, answer.made)),
	ANSWER(capability, FIELD_WORD, FIELD_DETAIL, "answer that the device reports: yes or no",
	       .words = known_answer_words),
	ANSWER(agrees, FIELD_TRISTATE, FIELD_DETAIL, "whether the report agrees with the answer"),
	ANSWER(reason, FIELD_TEXT, FIELD_DETAIL,
	       "reason of an unknown answer, or meaning of the answer"),
	FIELD_END,
};
static const struct record trial_record = { "trial", trial_fields, "trials" };

/* How many trials had each answer. */
struct probe_summary {
	struct mr_opt_u64 yes, no, unknown, disagree;
};

static const struct field summary_fields[] = {
	FIELD(struct probe_summary, yes, FIELD_NUMBER, 0, "trials that the device accepted"),
	FIELD(struct probe_summary, no, FIELD_NUMBER, 0, "trials that were refused"),
	FIELD(struct probe_summary, unknown, FIELD_NUMBER, 0, "trials without an answer"),
	FIELD(struct probe_summary, disagree, FIELD_NUMBER, 0,
	      "trials whose answer contradicts the report of the device"),
	FIELD_END,
};
static const struct record summary_record = { "answers", summary_fields, NULL };

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
		const struct mr_trial *trial = &mr_trials[i];
		struct mr_trial_answer *answer = &rows[i].answer;

		rows[i].trial = trial;
		rows[i].access =
			(struct mr_opt_u64){ trial->access,
					     trial->access || !strcmp(trial->group, "access") };
		mr_probe_try(probe, trial, answer);
		summary.yes.value += answer->answer == MR_YES;
		summary.no.value += answer->answer == MR_NO;
		summary.unknown.value += answer->answer == MR_UNKNOWN;
		summary.disagree.value += answer->agrees == MR_NO;
	}
	return summary;
}

/* Prints the answers, and ends with @answer; without a device, @probe NULL, JSON has all its members, and nothing is known. */
static int try_and_answer(struct answer *answer, struct mr_probe *probe, struct mr_error *err)
{
	const struct output_style *style = answer->out.style;
	const struct stat_args *args = answer->invocation->args;
	const size_t trials = probe ? count_trials() : 0;
	struct trial_row *rows = calloc(trials + 1, sizeof(*rows));
	struct max_size max_size = { .is_done = false };
	struct mr_max_size *found = &max_size.found;
	struct probe_summary summary = { .yes = { 0, false } };
	int rc = 0;

	if (!rows) {
		rc = mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
		return answer_close(answer, rc, trials, err);
	}
	if (probe)
		summary = try_all(probe, rows);
	if (probe && args->max_size) {
		rc = mr_max_size_find(probe, args->cap, show_step, &answer->progress, found, err);
		progress_clear(&answer->progress);
		max_size.is_done = true;
		found->cap_by = found->cap_by ?: "--cap";
		if (!rc && !found->err.errnum)
			found->limit = "cap";
	}
	if (!rc) {
		answer_begin(answer);
		for (size_t i = 0; i < trials; i++)
			answer_row(answer, &rows[i]);
		answer_end_rows(answer);
		if (trials && output_is_for_people(&answer->out) && !style->verbose)
			print_reasons(rows, trials);
		if (style->json || (trials && !style->columns && !style->no_headings))
			output_object(&answer->out, "answers", &summary_record, &summary);
		if (args->max_size && (probe || style->json))
			output_object(&answer->out, "max_size", &max_size_record, &max_size);
	}
	free(rows);
	return answer_close(answer, rc, trials, err);
}

static int check_probe(const struct invocation *invocation, struct mr_error *err)
{
	const struct stat_args *args = invocation->args;
	char **names = invocation->operands;

	if (names[0] && names[1])
		return mr_fail_usage(
			err, "--probe tries one device at a time: '%s' is a second one", names[1]);
	if (names[0] && invocation->global->device &&
	    strcmp(names[0], invocation->global->device) != 0)
		return mr_fail_usage(err, "--probe tries one device: '%s' or '%s'?", names[0],
				     invocation->global->device);
	if (args->cap.known && args->cap.value < (uint64_t)getpagesize())
		return mr_fail_usage(err, "--cap: give at least a page, %d bytes", getpagesize());
	return 0;
}

static int run_probe(const struct invocation *invocation, struct mr_error *err)
{
	const char *device =
		invocation->operands[0] ? invocation->operands[0] : invocation->global->device;
	struct mr_environment environment;
	struct mr_probe probe;
	struct answer answer;
	struct mr_error why;
	bool is_open;
	int rc;

	mr_environment_init(&environment);
	is_open = !mr_probe_open(&probe, device, &environment, &why);
	if (!is_open && why.kind == MR_ERROR_USAGE) {
		*err = why;
		return -why.errnum;
	}
	if (!is_open)
		mr_environment_init(&environment);
	rc = answer_init(&answer, invocation, NULL, &environment, is_open ? count_trials() : 0,
			 err);
	if (!rc && !is_open) {
		answer.refusal.device = device;
		answer_fail(&answer, &why, 0, 0, MR_VIA_KERNEL);
	}
	if (!rc)
		rc = try_and_answer(&answer, is_open ? &probe : NULL, err);
	if (is_open)
		mr_probe_close(&probe);
	return rc;
}

const struct command stat_probe = {
	STAT_VIEW(probe),
	.record = &trial_record,
	.members =
		(const struct field[]){
			DOCUMENT_OBJECT("answers", &summary_record, "number of trials by answer"),
			DOCUMENT_OBJECT("max_size", &max_size_record,
					"with --max-size: the largest registration that works"),
			FIELD_END },
	.columns = "id,answer,errno,layer,elapsed_ns",
	.check = check_probe,
	.run = run_probe,
};
