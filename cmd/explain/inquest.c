// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>

#include "cmd/explain/inquest.h"
#include "cmd/explain/order.h"
#include "lib/host/kernel.h"

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

	inquest->errnum = line->errnum;
	inquest->access = line->access;
	inquest->operations = line->call ? mr_operations_of_name(line->call) : 0;
	inquest->diagnosis.cause_count = inquest->diagnosis.ruled_out_count = 0;
	snprintf(environment.provider, sizeof(environment.provider), "%s", line->provider);
	mr_kernel_release(mr_this_host(), environment.kernel, sizeof(environment.kernel));
	if (line->call && depth != WHY_NONE)
		mr_diagnose(&refusal, mr_this_host(), &inquest->diagnosis);
}

static bool is_found(const struct mr_diagnosis *diagnosis, const struct mr_cause *cause)
{
	for (size_t i = 0; i < diagnosis->cause_count; i++)
		if (diagnosis->causes[i].cause == cause)
			return true;
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

/* Whether the access flags of the line exclude the cause. */
static bool is_without_access(const struct inquest *inquest, const struct mr_cause *cause)
{
	return cause->needs_access && inquest->access.known &&
	       !(inquest->access.value & cause->needs_access);
}

const struct mr_cause *inquest_next_other(const struct inquest *inquest,
					  const struct mr_cause *cause)
{
	if (!inquest->operations)
		return NULL;
	do
		cause = next_owner(cause, inquest->operations, inquest->errnum);
	while (cause && (is_found(&inquest->diagnosis, cause) || is_too_early(inquest, cause) ||
			 is_without_access(inquest, cause)));
	return cause;
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

void inquest_hold(struct inquest *inquest, const struct log_kind *kind, size_t index,
		  enum why_depth depth)
{
	log_row_fill(&inquest->row, kind, index);
	look(inquest, &kind->line, depth);
	leave_out_early_causes(inquest);
}
