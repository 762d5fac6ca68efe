// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/output/output.h"
#include "cmd/region/proof.h"
#include "cmd/region/why.h"
#include "lib/diagnose/diagnose.h"
#include "lib/diagnose/trial/trial.h"

/* Causes that are only possible: a message names at most this many. */
#define POSSIBLE_MAX 3

/* A cause, as the document has it. */
struct cause_row {
	const char *id;
	const char *certainty;
	const char *cause;
	struct members evidence;
	const char *remedy;
	const char *source;
	struct member facts[MR_EVIDENCE_MAX]; /* of evidence */
};

static const struct field cause_fields[] = {
	FIELD(struct cause_row, id, FIELD_STRING, FIELD_PUBLIC, "id of the cause"),
	FIELD(struct cause_row, certainty, FIELD_STRING, FIELD_PUBLIC,
	      "certain, likely or possible"),
	FIELD(struct cause_row, cause, FIELD_STRING, FIELD_PROSE, "the cause, with its figures"),
	FIELD(struct cause_row, evidence, FIELD_MEMBERS, 0, "what speaks for it"),
	FIELD(struct cause_row, remedy, FIELD_STRING, FIELD_PROSE, "what to do"),
	FIELD(struct cause_row, source, FIELD_STRING, FIELD_PUBLIC, "where it can be read up"),
	FIELD_END,
};
REPORTED const struct record cause_record = { "cause", cause_fields, NULL };

struct ruled_out_row {
	const char *id;
	const char *reason;
};

static const struct field ruled_out_fields[] = {
	FIELD(struct ruled_out_row, id, FIELD_STRING, FIELD_PUBLIC, "id of the cause"),
	FIELD(struct ruled_out_row, reason, FIELD_STRING, FIELD_PROSE, "what excludes it"),
	FIELD_END,
};
REPORTED const struct record ruled_out_record = { "ruled_out", ruled_out_fields, NULL };

struct why {
	unsigned int users;
	bool is_answer; /* the RDMA stack has answered, and this process: it can be asked again */
	bool can_be_tried; /* with changes */
	bool can_be_proven;
	bool has_tries; /* the call was tried with changes */
	struct tried tried;
	struct mr_diagnosis diagnosis;
	bool has_proof;
	struct mr_proven proven;
	struct proof_row proof; /* of proven */
	struct cause_row causes[MR_DIAGNOSIS_CAUSES];
	struct ruled_out_row ruled_out[MR_DIAGNOSIS_RULED_OUT];
};

static void fill_cause(struct cause_row *row, const struct mr_suspicion *suspicion)
{
	row->id = suspicion->cause->id;
	row->certainty = mr_certainties[suspicion->certainty].name;
	row->cause = suspicion->text;
	row->remedy = suspicion->remedy;
	row->source = suspicion->cause->sources;
	row->evidence = (struct members){ row->facts, suspicion->evidence_count };
	for (size_t i = 0; i < suspicion->evidence_count; i++) {
		const struct mr_evidence *evidence = &suspicion->evidence[i];

		row->facts[i] = (struct member){
			.key = evidence->name,
			.text = evidence->is_number ? NULL : evidence->text,
			.number = evidence->number,
		};
	}
}

static void fill_rows(struct why *why)
{
	const struct mr_diagnosis *diagnosis = &why->diagnosis;

	for (size_t i = 0; i < diagnosis->cause_count; i++)
		fill_cause(&why->causes[i], &diagnosis->causes[i]);
	for (size_t i = 0; i < diagnosis->ruled_out_count; i++)
		why->ruled_out[i] = (struct ruled_out_row){ diagnosis->ruled_out[i].cause->id,
							    diagnosis->ruled_out[i].reason };
}

struct why *why_of_diagnosis(const struct mr_diagnosis *diagnosis)
{
	struct why *why = malloc(sizeof(*why));

	if (!why)
		return NULL;
	why->users = 1;
	why->has_tries = why->has_proof = false;
	why->is_answer = why->can_be_tried = why->can_be_proven = false;
	why->diagnosis = *diagnosis;
	fill_rows(why);
	return why;
}

static struct why *why_find(struct mr_refusal *refusal, bool tries)
{
	struct why *why = malloc(sizeof(*why));

	if (!why)
		return NULL;
	why->users = 1;
	why->is_answer = why->can_be_tried = why->can_be_proven = false;
	why->has_tries = tries;
	if (tries)
		tried_make(&why->tried, refusal);
	why->has_proof = refusal->proven != NULL;
	if (why->has_proof) {
		why->proven = *refusal->proven;
		proof_fill(&why->proof, &why->proven);
	}
	mr_diagnose(refusal, mr_this_host(), &why->diagnosis);
	fill_rows(why);
	return why;
}

static const char *call_of(const struct mr_error *err)
{
	return err->call ? err->call : err->shown_by;
}

/*
 * Whether causes can be known: the RDMA stack has answered, or mrctl's own relaxed mode, or a call that is known
 * could not be prepared or made.
 */
bool why_is_wanted(const struct global_args *global, const struct mr_error *err)
{
	if (global->why == WHY_NONE)
		return false;
	return mr_error_is_answer(err->kind, call_of(err)) || err->kind == MR_ERROR_RELAXED ||
	       (err->kind == MR_ERROR_HOST && mr_operations_of_name(call_of(err)));
}

struct why *why_of_error(const struct global_args *global, const struct mr_error *err,
			 struct mr_refusal *refusal)
{
	struct why *why;

	if (!why_is_wanted(global, err))
		return NULL;
	refusal->call = call_of(err);
	refusal->errnum = err->errnum;
	refusal->kind = err->kind;
	if (!refusal->device)
		refusal->device = global->device;
	why = why_find(refusal, global->why == WHY_TRY);
	if (!why)
		return NULL;
	why->is_answer = mr_error_is_answer(err->kind, refusal->call);
	why->can_be_tried = why->is_answer && !why->has_tries && mr_tries_exist(refusal);
	why->can_be_proven = why->is_answer && !why->has_proof &&
			     !(refusal->environment && refusal->environment->simulated);
	/* Any command may fail to open a file, of which no cause says more than the errno. */
	if (why->diagnosis.cause_count || why->is_answer || refusal->mapping || refusal->dmabuf)
		return why;
	why_release(why);
	return NULL;
}

void why_tell(const struct global_args *global, const char *command, const struct mr_error *err)
{
	struct mr_environment environment;
	struct mr_refusal refusal = { .via = MR_VIA_LIBRARY,
				      .environment = &environment,
				      .try_ns = MR_TRIES_NS };
	struct why *why;

	report_error(command, err);
	if (!why_is_wanted(global, err))
		return;
	mr_environment_init(&environment);
	environment.simulated = mr_is_simulated(mr_this_host());
	mr_environment_find(&environment);
	why = why_of_error(global, err, &refusal);
	if (why)
		why_report(why, global->style.verbose);
	why_release(why);
}

struct why *why_share(struct why *why)
{
	if (why)
		why->users++;
	return why;
}

void why_release(struct why *why)
{
	if (why && !--why->users)
		free(why);
}

const char *why_layer(const struct why *why)
{
	return why ? mr_layer_name(why->diagnosis.layer) : NULL;
}

struct list why_causes(const struct why *why)
{
	return (struct list){ &cause_record, why ? why->causes : NULL,
			      why ? why->diagnosis.cause_count : 0, sizeof(struct cause_row) };
}

struct list why_ruled_out(const struct why *why)
{
	return (struct list){ &ruled_out_record, why ? why->ruled_out : NULL,
			      why ? why->diagnosis.ruled_out_count : 0,
			      sizeof(struct ruled_out_row) };
}

struct list why_proof(const struct why *why)
{
	return (struct list){ &proof_record, why ? &why->proof : NULL, why && why->has_proof,
			      sizeof(struct proof_row) };
}

const struct tried *why_tried(const struct why *why)
{
	return why && why->has_tries ? &why->tried : NULL;
}

const struct mr_cause *why_first(const struct why *why)
{
	return why && why->diagnosis.cause_count ? why->diagnosis.causes[0].cause : NULL;
}

static void report_evidence(const struct mr_suspicion *suspicion)
{
	for (size_t i = 0; i < suspicion->evidence_count; i++) {
		const struct mr_evidence *evidence = &suspicion->evidence[i];

		if (evidence->is_number)
			report_detail("  %s: %" PRIu64, evidence->name, evidence->number);
		else
			report_detail("  %s: %s", evidence->name, evidence->text);
	}
}

static void report_cause(const struct mr_suspicion *suspicion, const char *word, bool verbose)
{
	report_detail("%s: %s [%s, %s]", word, suspicion->text,
		      mr_certainties[suspicion->certainty].name, suspicion->cause->id);
	if (verbose)
		report_evidence(suspicion);
	report_detail("try: %s", suspicion->remedy);
}

static void report_unknown(const struct why *why, bool verbose)
{
	const struct mr_diagnosis *diagnosis = &why->diagnosis;
	char names[256] = "";
	size_t used = 0;

	for (size_t i = 0; i < diagnosis->ruled_out_count && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
					 diagnosis->ruled_out[i].cause->id);
	report_detail("because: not known%s%s%s", names[0] ? "; ruled out: " : "", names,
		      names[0] && !verbose ? " (-v shows why)" : "");
	if (why->can_be_tried || why->can_be_proven)
		report_detail("try: %s%s%s",
			      why->can_be_tried ? "--why try, which changes one thing at a time"
						: "",
			      why->can_be_tried && why->can_be_proven ? "; or " : "",
			      why->can_be_proven ? "as root --why prove, which names the function "
						   "of the kernel that refuses"
						 : "");
}

void why_report(const struct why *why, bool verbose)
{
	const struct mr_diagnosis *diagnosis = &why->diagnosis;
	const enum mr_certainty best =
		diagnosis->cause_count ? diagnosis->causes[0].certainty : MR_RULED_OUT;

	if (why->has_proof)
		proof_report(&why->proven);
	if (!diagnosis->cause_count)
		report_unknown(why, verbose);
	for (size_t i = 0; i < diagnosis->cause_count; i++) {
		const struct mr_suspicion *suspicion = &diagnosis->causes[i];

		if (!verbose && (suspicion->certainty < best || i >= POSSIBLE_MAX))
			break;
		report_cause(suspicion, i ? "or" : "because", verbose);
	}
	if (why->has_tries)
		report_detail("tried: %s", why->tried.text);
	for (size_t i = 0; verbose && i < diagnosis->ruled_out_count; i++)
		report_detail("not: %s [%s]", diagnosis->ruled_out[i].reason,
			      diagnosis->ruled_out[i].cause->id);
}
