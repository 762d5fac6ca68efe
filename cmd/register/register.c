// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/region/overdue.h"
#include "cmd/register/advise.h"
#include "cmd/register/prepare.h"
#include "lib/base/signals.h"
#include "lib/session/library.h"
#include "lib/session/regions.h"
#include "lib/session/relaxed.h"
#include "lib/session/table/lock.h"
#include "lib/verbs/deregister.h"
#include "lib/verbs/region.h"

static struct mr_region_request request_for(const struct register_job *job, uint64_t index)
{
	uint64_t offset = (index - 1) * job->plan.stride;
	struct mr_region_request request = job->pattern;

	request.addr = job->memory.start + offset;
	request.length = job->plan.size;
	request.iova += offset;
	request.page_size = job->memory.page_size;
	request.export = job->blobs ? &job->blobs[job->count] : NULL;
	return request;
}

static void fail(struct register_job *job, struct mr_error *err, uint64_t index, uint64_t id)
{
	register_fail(job, err, index, id, NULL);
}

/* In a session the table keeps the region, and knows what there is to know about it. */
static int register_in_session(struct register_job *job, const struct mr_region_request *request,
			       struct made *made, struct mr_error *err)
{
	char buffer[2 * MR_NAME_SIZE];
	const char *name = register_name(job, made->index, buffer, sizeof(buffer));
	const char *memory = job->plan.request.kind.text;
	struct mr_entry entry = { .page_shift = mr_page_shift(job->memory.page_size),
				  .pd = (uint16_t)job->place.pd_place };
	int rc;

	if (name && strlen(name) >= sizeof(entry.name))
		return mr_fail_text(err, MR_ERROR_USAGE, ENAMETOOLONG, "the name '%s' is too long",
				    name);
	if (name)
		memcpy(entry.name, name, strlen(name));
	memcpy(entry.memory, memory, strnlen(memory, sizeof(entry.memory) - 1));
	rc = request->call == MR_REG_MR_RELAXED
		     ? mr_reg_mr_relaxed(job->place.session, &job->place.registrar, request, &entry,
					 err)
		     : mr_session_register(job->place.session, &job->place.registrar, request,
					   &entry, err);
	if (rc)
		return rc;
	made->id = entry.id;
	made->region = (struct mr_region){ .addr = entry.addr,
					   .length = entry.length,
					   .iova = entry.iova,
					   .elapsed_ns = entry.elapsed_ns,
					   .handle = entry.handle,
					   .lkey = entry.lkey, /* or umem_id */
					   .rkey = entry.rkey,
					   .kind = (uint8_t)job->kind,
					   .live = true };
	return 0;
}

static int register_one(struct register_job *job, const struct mr_region_request *request,
			struct made *made, struct mr_error *err)
{
	made->id = job->count + 1;
	if (job->place.in_session)
		return register_in_session(job, request, made, err);
	return mr_region_register(&job->place.registrar, request, &made->region, err);
}

/* Nothing more can be registered: the rest would fail by the same lock. */
static bool is_locked_out(const struct register_job *job)
{
	return job->place.in_session && mr_table_gave_up(&job->place.session->table);
}

static void register_all(struct register_job *job)
{
	for (uint64_t index = 1; index <= job->plan.count; index++) {
		struct mr_region_request request = request_for(job, index);
		struct made *made = &job->made[job->count];
		struct mr_error err;

		if (job->blocks_signals &&
		    context_is_interrupted(job->answer.invocation, index == 1)) {
			register_interrupt(job, index);
			break;
		}
		made->index = index;
		progress_wait(&job->answer.progress, "registering", request.length);
		if (!register_one(job, &request, made, &err)) {
			made->at_zero = mr_in_force_at_zero(&job->place.uverbs, request.access,
							    &made->region);
			job->count++;
			mr_memory_keep_file(&job->memory);
			progress_show(&job->answer.progress, "registered", job->count);
			continue;
		}
		if (err.kind == MR_ERROR_REFUSED)
			register_refuse(job, &err, index, &request);
		else
			register_fail(job, &err, index, 0, &request);
		if (!job->args->keep_going || is_locked_out(job))
			break;
	}
	progress_clear(&job->answer.progress);
}

static void deregister_all(struct register_job *job)
{
	struct mr_error err;

	for (uint64_t i = 0; i < job->count; i++) {
		struct made *made = &job->made[i];

		if (mr_region_deregister(&job->place.registrar, &made->region, &err))
			fail(job, &err, made->index, made->id);
		progress_show(&job->answer.progress, "deregistered", i + 1);
	}
	progress_clear(&job->answer.progress);
}

static int print_document(struct register_job *job, struct mr_error *err)
{
	answer_begin(&job->answer);
	for (uint64_t i = 0; i < job->count && register_prints_rows(job); i++)
		register_row(job, &job->made[i]);
	answer_end_rows(&job->answer);
	return answer_end(&job->answer, job->count, err);
}

static void release(struct register_job *job)
{
	mr_backing_hand_over(job->pattern.backing, &job->memory, &job->dmabuf);
	place_close(&job->place);
	answer_release(&job->answer);
	free(job->blobs);
	if (job->made != &job->room->only)
		free(job->made);
	advise_release(job);
}

static int run(struct register_job *job, struct mr_error *err)
{
	bool hold = job->args->hold || job->args->hold_for.known, trial;
	int rc = register_prepare(job, err);

	if (rc && err->kind == MR_ERROR_USAGE)
		return rc;
	/* In a session a region is either not there or in the table: signals wait in between. */
	job->blocks_signals = hold || job->place.in_session;
	if (job->blocks_signals)
		context_block_signals(job->answer.invocation);
	if (!rc)
		rc = register_allocate_dm(job, err);
	if (rc) {
		fail(job, err, 0, 0);
		mr_error_clear(err); /* it is in the answer */
	} else {
		register_all(job);
		if (!job->interrupted)
			advise_all(job);
		place_leave_pd(&job->place);
	}
	/* What the session holds stays. */
	trial = !job->place.in_session;
	if (trial && !hold)
		deregister_all(job);
	if (!hold || !trial)
		register_settle_dm(job);
	register_warn_of_flags(job);
	register_warn_of_death(job, hold);
	rc = print_document(job, err);
	if (rc)
		register_hint_unprinted(job, err);
	if (hold && job->count && !job->interrupted && !rc) {
		register_tell_hold(job);
		mr_signals_wait(job->args->hold_for);
		mr_signals_ignore(); /* timeout(1) sends its signal twice */
	}
	if (trial && hold) {
		deregister_all(job);
		register_settle_dm(job);
	}
	if (!rc)
		rc = answer_status(&job->answer, job->count, "registered");
	register_tell_interrupted(job);
	if (job->place.in_session)
		overdue_tell(job->answer.invocation, job->place.session);
	return rc;
}

int register_check(const struct invocation *invocation, enum mr_region_call call,
		   struct mr_error *err)
{
	const struct register_args *args = invocation->args;
	struct memory_plan plan;
	int rc;

	if (invocation->enclosing && (args->hold || args->hold_for.known))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--hold%s makes no sense in a batch: its regions stay until "
				    "they are deregistered, or the batch ends",
				    args->hold ? "" : "-for");
	rc = register_choose_call(args, &call, err);
	return rc ? rc : memory_plan_init(&plan, &args->memory, err);
}

int register_run(const struct invocation *invocation, const struct register_args *args,
		 const struct mr_region_request *pattern, struct mr_error *err)
{
	struct register_room room;
	struct register_job job = {
		.args = args,
		.pattern = *pattern,
		.kind = mr_region_kind(pattern->call),
		.room = &room,
	};
	int rc = memory_plan_init(&job.plan, &args->memory, err);

	job.pattern.access = register_access(args);
	if (!rc)
		rc = register_choose_call(args, &job.pattern.call, err);
	if (rc)
		return rc;
	rc = answer_init(&job.answer, invocation, &args->expect, NULL, job.plan.count, err);
	if (!rc)
		rc = run(&job, err);
	release(&job);
	return rc;
}
