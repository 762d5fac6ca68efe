// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/explain/row.h"
#include "lib/base/base.h"

static const struct field fields[] = {
	FIELD(struct explained, log, FIELD_NUMBER, 0, "which line of the log, from 1"),
	FIELD(struct explained, id, FIELD_STRING, 0, "of the cause; it never changes"),
	FIELD(struct explained, certainty, FIELD_STRING, 0,
	      "likely, possible, ...; unknown where nothing was found out"),
	FIELD(struct explained, subject, FIELD_STRING, 0, "what it is, in a few words"),
	FIELD(struct explained, layer, FIELD_STRING, 0, "who refuses: uverbs, driver, ..."),
	FIELD(struct explained, errnos, FIELD_WORDS, 0, "with which errnos; unknown: any"),
	FIELD(struct explained, calls, FIELD_WORDS, 0, "which calls"),
	FIELD(struct explained, frequency, FIELD_STRING, FIELD_DETAIL,
	      "how often sites meet it: common, occasional, rare"),
	FIELD(struct explained, cause, FIELD_STRING, FIELD_DETAIL,
	      "what this host shows of it, with its figures"),
	FIELD(struct explained, evidence, FIELD_MEMBERS, 0, "what speaks for it"),
	FIELD(struct explained, remedy, FIELD_STRING, FIELD_DETAIL, "what to do"),
	FIELD(struct explained, what, FIELD_STRING, FIELD_DETAIL, "what it is"),
	FIELD(struct explained, recognise, FIELD_STRING, FIELD_DETAIL,
	      "how it is told from others"),
	FIELD(struct explained, source, FIELD_STRING, FIELD_DETAIL, "where it can be read up"),
	FIELD_END,
};
const struct record explained_record = { "explained", fields, "causes" };

static const char *const frequencies[] = {
	[MR_COMMON] = "common", [MR_OCCASIONAL] = "occasional", [MR_RARE] = "rare"
};

void explained_fill(struct explained *row, const struct mr_cause *cause)
{
	size_t errnos = 0, calls = 0;

	*row = (struct explained){
		.id = cause->id,
		.subject = cause->subject,
		.layer = mr_layer_name(cause->layer),
		.frequency = frequencies[cause->frequency],
		.remedy = cause->remedy,
		.what = cause->what,
		.recognise = cause->recognise,
		.source = cause->sources,
	};
	for (const int *number = cause->errnums; *number; number++)
		row->errno_names[errnos++] = mr_errno_name(*number);
	for (unsigned int operation = 0; operation < MR_OPERATIONS; operation++)
		if (cause->operations >> operation & 1 && mr_operation_name(operation))
			row->call_names[calls++] = mr_operation_name(operation);
	row->errnos = errnos ? row->errno_names : NULL;
	row->calls = row->call_names;
}

void explained_fill_check(struct explained *row, const struct mr_check *check)
{
	*row = (struct explained){
		.id = check->id,
		.subject = check->subject,
		.what = "It is a check of mrctl stat --host, and no cause by itself.",
	};
}

void explained_add(struct explained *row, const struct mr_suspicion *suspicion)
{
	row->certainty = mr_certainties[suspicion->certainty].name;
	row->cause = suspicion->text;
	if (suspicion->remedy[0])
		row->remedy = suspicion->remedy;
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
