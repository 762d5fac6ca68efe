// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/region/proof.h"
#include "cmd/register/advise.h"
#include "cmd/register/answer.h"

/* An implicit region covers the whole address space, and has no memory of its own. */
static bool is_implicit(const struct mr_region *region)
{
	return !region->addr && region->length == SIZE_MAX;
}

static uint64_t advised_size(const struct advise_args *advise, uint64_t otherwise)
{
	return advise->size.known ? advise->size.value : otherwise;
}

static struct mr_advice_range advised_range(const struct register_job *job,
					    const struct mr_region *region)
{
	const struct advise_args *advise = &job->args->advise;
	uint64_t offset = advise->offset.value;
	uint64_t rest = region->length > offset ? region->length - offset : 0;

	if (is_implicit(region))
		return (struct mr_advice_range){ .addr = job->prefetched.start + offset,
						 .length = advised_size(
							 advise, (uint64_t)sysconf(_SC_PAGESIZE)),
						 .lkey = region->lkey };
	return (struct mr_advice_range){ .addr = region->iova + offset,
					 .length = advised_size(advise, rest),
					 .lkey = region->lkey };
}

/*
 * Pages of an implicit region can only be prefetched where memory is mapped.  Unless --advise-offset says
 * where, some is mapped for that.
 */
static int map_for_implicit(struct register_job *job, struct mr_error *err)
{
	const struct advise_args *advise = &job->args->advise;
	const struct mr_memory_request request = {
		.kind = { .type = MR_MEMORY_ANON, .text = "anon" },
		.length = advised_size(advise, (uint64_t)sysconf(_SC_PAGESIZE)),
	};

	if (!job->count || !is_implicit(&job->regions[0].region) || advise->offset.known)
		return 0;
	return mr_memory_map(&request, &job->prefetched, err);
}

static void report_refusal(struct register_job *job, const struct new_region *new,
			   const struct mr_advice_range *range, struct mr_error *err)
{
	if (register_fail_region(job, err, new, range))
		report_detail("advised %s of %" PRIu64 " bytes at 0x%" PRIx64,
			      job->args->advise.advice.text, range->length, range->addr);
}

static void advise_one(struct register_job *job, uint64_t i)
{
	struct advice_answer *answer = &job->advice_answers[i];
	struct mr_advice_range range = advised_range(job, &job->regions[i].region);
	struct mr_error err;

	proof_mark(job->answer.invocation, job->registrar.environment->device);
	answer->known = true;
	answer->errnum = -mr_advise(&job->registrar.base, &job->args->advise.advice, &range,
				    &answer->elapsed_ns, &err);
	if (answer->errnum)
		report_refusal(job, &job->regions[i], &range, &err);
}

int advise_init(struct register_job *job, struct mr_error *err)
{
	if (!job->args->advise.advice.text)
		return 0;
	job->advice_answers = calloc(job->plan->memory.count, sizeof(*job->advice_answers));
	return job->advice_answers
		       ? 0
		       : mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc",
				 "cannot keep track of advice about %" PRIu64 " regions",
				 job->plan->memory.count);
}

void advise_all(struct register_job *job)
{
	struct mr_error err;

	if (!job->advice_answers)
		return;
	if (map_for_implicit(job, &err)) {
		register_fail(job, &err, 0, 0, NULL);
		return;
	}
	for (uint64_t i = 0; i < job->count; i++) {
		if (job->blocks_signals && context_is_interrupted(job->answer.invocation, !i)) {
			register_fail_interrupted(job, job->regions[i].index);
			return;
		}
		advise_one(job, i);
		if (job->advice_answers[i].errnum && !job->args->keep_going)
			return;
	}
}

void advise_release(struct register_job *job)
{
	mr_memory_unmap(&job->prefetched);
	free(job->advice_answers);
}
