// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/explain/inquest.h"
#include "cmd/explain/order.h"
#include "lib/diagnose/log/log.h"
#include "lib/host/host.h"

/* Another program was refused: of this process only what is the host's is told to those that look. */
static void look(struct inquest *inquest, const struct mr_log_line *line, enum why_depth depth)
{
	struct mr_environment environment = { .mrctl = MRCTL_VERSION };
	struct mr_region_request request;
	const struct mr_refusal refusal = {
		.call = line->call,
		.errnum = line->errnum,
		.via = MR_VIA_LIBRARY,
		.environment = &environment,
		.request = mr_log_line_request(line, &request) ? &request : NULL,
		.is_elsewhere = true,
	};

	inquest->diagnosis.cause_count = inquest->diagnosis.ruled_out_count = 0;
	snprintf(environment.provider, sizeof(environment.provider), "%s", line->provider);
	mr_kernel_release(mr_this_host(), environment.kernel, sizeof(environment.kernel));
	if (line->call && line->errnum && !line->remark && depth != WHY_NONE)
		mr_diagnose(&refusal, mr_this_host(), &inquest->diagnosis);
}

static size_t find_suspicion(const struct mr_diagnosis *diagnosis, const struct mr_cause *cause)
{
	size_t i = 0;

	while (i < diagnosis->cause_count && diagnosis->causes[i].cause != cause)
		i++;
	return i;
}

static bool is_ruled_out(const struct mr_diagnosis *diagnosis, const struct mr_cause *cause)
{
	for (size_t i = 0; i < diagnosis->ruled_out_count; i++)
		if (diagnosis->ruled_out[i].cause == cause)
			return true;
	return false;
}

/* The firmware has answered, so nothing that comes before it has refused. */
static bool is_too_early(const struct inquest *inquest, const struct mr_cause *cause)
{
	return inquest->row.command && cause->layer != MR_LAYER_FIRMWARE;
}

static void leave_out_early_causes(struct inquest *inquest)
{
	struct mr_diagnosis *diagnosis = &inquest->diagnosis;
	size_t causes = 0, ruled_out = 0;

	for (size_t i = 0; i < diagnosis->cause_count; i++)
		if (!is_too_early(inquest, diagnosis->causes[i].cause))
			diagnosis->causes[causes++] = diagnosis->causes[i];
	for (size_t i = 0; i < diagnosis->ruled_out_count; i++)
		if (!is_too_early(inquest, diagnosis->ruled_out[i].cause))
			diagnosis->ruled_out[ruled_out++] = diagnosis->ruled_out[i];
	diagnosis->cause_count = causes;
	diagnosis->ruled_out_count = ruled_out;
}

/* Behind what is certain: the line tells of the refused program, and this host may be another one. */
static void add_suspicion(struct mr_diagnosis *diagnosis, const struct mr_suspicion *suspicion)
{
	size_t at = find_suspicion(diagnosis, suspicion->cause);
	struct mr_suspicion found = *suspicion;

	if (at < diagnosis->cause_count) { /* this host speaks for it as well, with figures */
		if (diagnosis->causes[at].certainty >= MR_LIKELY)
			found = diagnosis->causes[at];
		memmove(&diagnosis->causes[at], &diagnosis->causes[at + 1],
			(--diagnosis->cause_count - at) * sizeof(found));
	}
	if (diagnosis->cause_count == MR_DIAGNOSIS_CAUSES)
		diagnosis->cause_count--;
	for (at = 0; at < diagnosis->cause_count && diagnosis->causes[at].certainty == MR_CERTAIN;)
		at++;
	memmove(&diagnosis->causes[at + 1], &diagnosis->causes[at],
		(diagnosis->cause_count++ - at) * sizeof(found));
	diagnosis->causes[at] = found;
}

/* Adds a cause that nothing was found out about; @before: the number of those that it is to stand behind. */
static void add_other(struct inquest *inquest, const struct mr_cause *cause, size_t before)
{
	for (size_t i = 0; i < inquest->other_count; i++)
		if (inquest->others[i] == cause)
			return;
	if (inquest->other_count == INQUEST_OTHERS)
		return;
	memmove(&inquest->others[before + 1], &inquest->others[before],
		(inquest->other_count++ - before) * sizeof(cause));
	inquest->others[before] = cause;
}

/* How many of the others the line speaks for, and how many there are with those that are of any driver. */
struct places {
	size_t raised, plain;
};

/* The causes of an errno: first those that the line speaks for, and last those of drivers that it does not name. */
static void judge_errno(struct inquest *inquest, const struct mr_log_line *line, int errnum,
			struct places *places)
{
	const uint32_t operations = mr_operations_of_name(line->call ? line->call : "");
	const struct mr_diagnosis *diagnosis = &inquest->diagnosis;
	const struct mr_cause *cause = NULL;

	while (operations && (cause = next_owner(cause, operations, errnum))) {
		struct mr_suspicion suspicion = { .cause = cause };
		const enum mr_certainty certainty = mr_log_judge(line, cause, &suspicion);
		const size_t before = inquest->other_count;

		if (certainty == MR_RULED_OUT || is_too_early(inquest, cause) ||
		    is_ruled_out(diagnosis, cause))
			continue;
		if (certainty == MR_LIKELY)
			add_suspicion(&inquest->diagnosis, &suspicion);
		else if (find_suspicion(diagnosis, cause) < diagnosis->cause_count ||
			 (!line->errnum && certainty == MR_UNRELATED &&
			  cause->frequency != MR_COMMON))
			continue;
		else if (certainty == MR_POSSIBLE)
			add_other(inquest, cause, places->raised);
		else
			add_other(inquest, cause, cause->driver ? before : places->plain);
		if (certainty == MR_POSSIBLE)
			places->raised += inquest->other_count - before;
		if (certainty == MR_POSSIBLE || !cause->driver)
			places->plain += inquest->other_count - before;
	}
}

/* Causes that the line names itself, of whatever call and errno. */
static void judge_topics(struct inquest *inquest, const struct mr_log_line *line,
			 struct places *places)
{
	for (size_t i = 0; mr_log_topics[i].id; i++) {
		const struct mr_cause *cause =
			mr_cause_find(mr_log_topics[i].id, strlen(mr_log_topics[i].id));
		struct mr_suspicion suspicion = { .cause = cause };
		enum mr_certainty certainty;

		if (!(line->topics >> i & 1) || !cause || is_too_early(inquest, cause) ||
		    is_ruled_out(&inquest->diagnosis, cause))
			continue;
		certainty = mr_log_judge(line, cause, &suspicion);
		if (certainty == MR_LIKELY)
			add_suspicion(&inquest->diagnosis, &suspicion);
		else if (certainty == MR_POSSIBLE && find_suspicion(&inquest->diagnosis, cause) ==
							     inquest->diagnosis.cause_count) {
			add_other(inquest, cause, places->raised);
			places->raised = places->plain = inquest->other_count;
		}
	}
}

static void judge_by_line(struct inquest *inquest, const struct mr_log_line *line)
{
	/* Of a line without one: those that registrations have, the commonest first. */
	static const int usual[] = { ENOMEM, EFAULT, EINVAL, EOPNOTSUPP };

	struct places places = { 0, 0 };

	inquest->other_count = 0;
	if (line->remark)
		return;
	judge_topics(inquest, line, &places);
	if (line->errnum)
		judge_errno(inquest, line, line->errnum, &places);
	for (size_t i = 0; !line->errnum && (!line->is_reason || line->is_memlock) &&
			   i < sizeof(usual) / sizeof(*usual);
	     i++)
		judge_errno(inquest, line, usual[i], &places);
}

void inquest_hold(struct inquest *inquest, const struct log_kind *kind, size_t index,
		  enum why_depth depth)
{
	log_row_fill(&inquest->row, kind, index);
	look(inquest, &kind->line, depth);
	leave_out_early_causes(inquest);
	judge_by_line(inquest, &kind->line);
}
