// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/region/overdue.h"
#include "cmd/region/proof.h"
#include "cmd/register/advise.h"
#include "cmd/register/answer.h"
#include "cmd/register/notes.h"
#include "cmd/register/prepare.h"
#include "cmd/register/register.h"
#include "lib/base/base.h"
#include "lib/session/changes.h"
#include "lib/session/session.h"
#include "lib/session/table/table.h"
#include "lib/verbs/verbs.h"

static struct mr_region_request request_for(const struct register_job *job, uint64_t index)
{
	const struct register_plan *plan = job->plan;
	uint64_t offset = (index - 1) * plan->memory.stride;

	return (struct mr_region_request){
		.call = plan->call,
		.addr = job->memory.start + offset,
		.length = plan->memory.size,
		.iova = plan->iova + offset,
		.page_sizes = plan->page_sizes,
		.page_size = job->memory.page_size,
		.access = plan->access,
		.fd = job->dmabuf.fd,
		.dm = &job->dm,
		.dmah = mr_region_has_dmah(plan->call) ? &job->dmah : NULL,
		.export = job->blobs ? &job->blobs[job->count] : NULL,
		.backing = job->backing,
	};
}

/* Registers a region that stays, with an entry in the session's table that describes it. */
static int register_in_session(struct register_job *job, const struct mr_region_request *request,
			       struct new_region *new, struct mr_error *err)
{
	char buffer[2 * MR_NAME_SIZE];
	const char *name = register_name(job, new->index, buffer, sizeof(buffer));
	const char *memory = job->plan->memory.mapping.kind.text;
	struct mr_entry entry = { .memory_of = register_plan_is_on_gpu(job->plan)
						       ? MR_MEMORY_OF_GPU
						       : MR_MEMORY_OF_HOST,
				  .page_shift = mr_page_shift(job->memory.page_size),
				  .pd = (uint16_t)job->registrar.pd_slot };
	int rc;

	if (name && strlen(name) >= sizeof(entry.name))
		return mr_fail_text(err, MR_ERROR_USAGE, ENAMETOOLONG, "the name '%s' is too long",
				    name);
	if (name)
		memcpy(entry.name, name, strlen(name));
	memcpy(entry.memory, memory, strnlen(memory, sizeof(entry.memory) - 1));
	rc = request->call == MR_REG_MR_RELAXED
		     ? mr_reg_mr_relaxed(job->registrar.session, &job->registrar.base, request,
					 &entry, err)
		     : mr_session_register(job->registrar.session, &job->registrar.base, request,
					   &entry, err);
	if (rc)
		return rc;
	new->id = entry.id;
	new->region = mr_entry_region(&entry);
	return 0;
}

static int register_one(struct register_job *job, const struct mr_region_request *request,
			struct new_region *new, struct mr_error *err)
{
	new->id = job->count + 1;
	if (job->registrar.in_session)
		return register_in_session(job, request, new, err);
	return mr_region_register(&job->registrar.base, request, &new->region, err);
}

/* Once the table's lock could not be had, each further region would only wait for it and fail as well. */
static bool is_locked_out(const struct register_job *job)
{
	return job->registrar.in_session && mr_table_gave_up(&job->registrar.session->table);
}

static void register_all(struct register_job *job)
{
	for (uint64_t index = 1; index <= job->plan->memory.count; index++) {
		struct mr_region_request request = request_for(job, index);
		struct new_region *new = &job->regions[job->count];
		struct mr_error err;

		if (job->blocks_signals &&
		    context_is_interrupted(job->answer.invocation, index == 1)) {
			register_fail_interrupted(job, index);
			break;
		}
		new->index = index;
		progress_wait(&job->answer.progress, "registering", request.length);
		proof_mark(job->answer.invocation, job->registrar.environment->device);
		if (!register_one(job, &request, new, &err)) {
			new->at_zero = mr_in_force_at_zero(&job->registrar.uverbs, request.access,
							   &new->region);
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
		struct new_region *new = &job->regions[i];

		proof_mark(job->answer.invocation, job->registrar.environment->device);
		if (mr_region_deregister(&job->registrar.base, &new->region, &err))
			register_fail_region(job, &err, new, NULL);
		progress_show(&job->answer.progress, "deregistered", i + 1);
	}
	progress_clear(&job->answer.progress);
}

static int print_document(struct register_job *job, struct mr_error *err)
{
	answer_begin(&job->answer);
	for (uint64_t i = 0; i < job->count && register_prints_rows(job); i++)
		register_row(job, &job->regions[i]);
	answer_end_rows(&job->answer);
	return answer_end(&job->answer, job->count, err);
}

static void release(struct register_job *job)
{
	mr_backing_hand_over(job->backing, &job->memory, &job->dmabuf);
	registrar_close(&job->registrar);
	answer_release(&job->answer);
	free(job->blobs);
	if (job->regions != &job->room->only)
		free(job->regions);
	advise_release(job);
}

/* Frees what the regions need beside their memory, unless one of them stays. */
static void free_unused(struct register_job *job)
{
	register_free_unused_dm(job);
	register_free_unused_dmah(job);
}

/*
 * Registers the regions up to the first refusal, with --keep-going all, and gives advice about them.
 * @rc, @err: what register_prepare() returned; its failure is reported here
 */
static void register_and_advise(struct register_job *job, int rc, struct mr_error *err)
{
	if (!rc)
		rc = register_allocate_dm(job, err);
	if (!rc)
		rc = register_allocate_dmah(job, err);
	if (rc) {
		register_fail(job, err, 0, 0, NULL);
		mr_error_clear(err);
		return;
	}
	register_all(job);
	if (!job->interrupted)
		advise_all(job);
	registrar_leave_pd(&job->registrar, job->count > 0);
}

static void wait_for_signal(const struct register_job *job)
{
	register_note_hold(job);
	proof_end(job->answer.invocation);
	mr_signals_wait(job->args->hold_for);
	mr_signals_ignore(); /* timeout(1) sends its signal twice */
}

/*
 * In a session the regions stay, with the memory on the device.  Outside of one they are deregistered when they
 * are no longer held.
 */
static int run_job(struct register_job *job, struct mr_error *err)
{
	const bool hold = job->args->hold || job->args->hold_for.known;
	int rc = register_prepare(job, err);
	const bool stays = job->registrar.in_session;
	const bool tries = job->answer.invocation->global->why == WHY_TRY;

	if (rc && err->kind == MR_ERROR_USAGE)
		return rc;
	/*
	 * A signal between a call and its entry in the table would leave a region that nobody knows of.  One that ends
	 * the tries for a refusal is not to hide the refusal.
	 */
	job->blocks_signals = hold || stays || tries;
	if (job->blocks_signals)
		context_block_signals(job->answer.invocation);
	register_and_advise(job, rc, err);
	if (!stays && !hold)
		deregister_all(job);
	if (stays || !hold)
		free_unused(job);
	register_note_flags_without_effect(job);
	register_note_needs_process(job, hold);
	register_note_kernel_bug(job);
	rc = print_document(job, err);
	if (rc)
		register_hint_unprinted(job, err);
	if (hold && job->count && !job->interrupted && !rc)
		wait_for_signal(job);
	if (!stays && hold) {
		deregister_all(job);
		free_unused(job);
	}
	if (!rc)
		rc = answer_status(&job->answer, job->count, "registered");
	register_note_interrupted(job);
	if (stays)
		overdue_report(job->answer.invocation, job->registrar.session);
	return rc;
}

int register_check(const struct invocation *invocation, const struct register_call *call,
		   struct mr_error *err)
{
	const struct register_args *args = invocation->args;
	struct register_plan plan;

	if (invocation->enclosing && (args->hold || args->hold_for.known))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--hold%s makes no sense in a batch: its regions stay until "
				    "they are deregistered, or the batch ends",
				    args->hold ? "" : "-for");
	if (context_session(invocation) && args->hold_for.known)
		return mr_fail_text(
			err, MR_ERROR_USAGE, EINVAL,
			"--hold-for deregisters after the time, and a session keeps "
			"its regions until mrctl dereg: use --hold to keep this process");
	return register_plan_init(&plan, args, call, err);
}

int register_run(const struct invocation *invocation, const struct register_call *call,
		 struct mr_error *err)
{
	struct register_room room;
	struct register_plan plan;
	struct register_job job = {
		.args = invocation->args,
		.plan = &plan,
		.room = &room,
	};
	int rc = register_plan_init(&plan, job.args, call, err);

	if (rc)
		return rc;
	rc = answer_init(&job.answer, invocation, &job.args->expect, NULL, plan.memory.count, err);
	if (!rc)
		rc = run_job(&job, err);
	release(&job);
	return rc;
}
