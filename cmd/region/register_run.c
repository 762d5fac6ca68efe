// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/output/output.h"
#include "cmd/region/region.h"
#include "cmd/region/register.h"
#include "lib/base/base.h"
#include "lib/memory/memory.h"
#include "lib/session/changes.h"
#include "lib/session/session.h"
#include "lib/session/table/table.h"
#include "lib/verbs/device.h"
#include "lib/verbs/verbs.h"

/* register_plan_exports_dm() - whether the dma-buf is one of memory on the RDMA device */
static inline bool register_plan_exports_dm(const struct register_plan *plan)
{
	return mr_region_is_dmabuf(plan->call) && plan->dmabuf.source.type == MR_DMABUF_DM;
}

/* register_plan_needs_dm() - whether memory on the RDMA device is to be allocated */
static inline bool register_plan_needs_dm(const struct register_plan *plan)
{
	return mr_region_is_dm(plan->call) || register_plan_exports_dm(plan);
}

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

/*
 * Allocates what advice needs. Must be called before the memory is mapped: what is allocated later might be
 * put into the gap that --memory hole leaves. Return: 0, or -ENOMEM.
 */
static int advise_init(struct register_job *job, struct mr_error *err)
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

/* With --advise, give the advice about each region, and reports refusals. */
static void advise_all(struct register_job *job)
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

/* Frees what advise_init() and advise_all() allocated. */
static void advise_release(struct register_job *job)
{
	mr_memory_unmap(&job->prefetched);
	free(job->advice_answers);
}

/* Only dma-bufs can be registered by way of the Data Direct device, so it is looked up here. */
static void find_data_direct(struct register_job *job)
{
	struct mr_environment *own = &job->room->context.environment;

	if (job->registrar.environment != own) /* a batch's, which is left as it is */
		*own = *job->registrar.environment;
	mr_data_direct_path(&job->registrar.base, own->data_direct, sizeof(own->data_direct));
	job->registrar.environment = job->answer.environment = own;
}

static void report_steps(const struct register_job *job, const struct mr_cuda *cuda)
{
	if (cuda && job->answer.invocation->global->style.verbose)
		report_note(job->answer.invocation->command->name, "%s", mr_cuda_steps(cuda));
}

static int open_dmabuf(struct register_job *job, struct mr_error *err)
{
	int rc = register_plan_exports_dm(job->plan)
			 ? mr_dm_export(&job->dm, &job->dmabuf, err)
			 : mr_dmabuf_open(&job->plan->dmabuf, &job->dmabuf, err);

	find_data_direct(job);
	if (rc)
		return rc;
	job->memory.page_size = job->dmabuf.page_size;
	report_steps(job, job->dmabuf.cuda);
	return 0;
}

static int map_memory(struct register_job *job, struct mr_error *err)
{
	const struct mr_memory_request *request = &job->plan->memory.mapping;
	int rc;

	if (request->populate)
		progress_wait(&job->answer.progress, "populating", request->length);
	rc = mr_memory_map(request, &job->memory, err);
	progress_clear(&job->answer.progress);
	report_steps(job, job->memory.cuda);
	return rc;
}

/* Whether the answer does not tell how long calls took. */
static bool shows_no_times(const struct register_job *job)
{
	const struct field *const *columns = (const struct field *const *)job->answer.out.columns;
	const struct output_style *style = job->answer.out.style;

	if (style->quiet && !style->json)
		return true;
	return columns && !columns_find(columns, "elapsed_ns") &&
	       !columns_find(columns, "advice_elapsed_ns") &&
	       !columns_find(columns, "dereg_elapsed_ns");
}

/*
 * The memory is mapped after all else is allocated: a later mapping might be put into the gap that --memory
 * hole leaves.
 */
static int register_prepare(struct register_job *job, struct mr_error *err)
{
	const struct registrar_request request = { .invocation = job->answer.invocation,
						   .kind = mr_region_kind(job->plan->call),
						   .pd = job->args->pd,
						   .dmah = mr_region_has_dmah(job->plan->call),
						   .via = job->plan->via,
						   .untimed = shows_no_times(job),
						   .room = &job->room->context };
	int rc = registrar_open(&job->registrar, &request, err);

	job->answer.environment = job->registrar.environment;
	job->answer.in_session = context_session(job->answer.invocation) != NULL;
	job->answer.out.usual_columns = register_columns(job);
	job->in_force.uverbs = &job->registrar.uverbs;
	if (rc)
		return rc;
	job->regions = job->plan->memory.count == 1
			       ? &job->room->only
			       : reallocarray(NULL, job->plan->memory.count, sizeof(*job->regions));
	if (!job->regions)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "reallocarray",
			       "cannot keep track of %" PRIu64 " regions", job->plan->memory.count);
	if (job->args->export)
		job->blobs = calloc(job->plan->memory.count, sizeof(*job->blobs));
	if (job->args->export && !job->blobs)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc",
			       "cannot export %" PRIu64 " umems", job->plan->memory.count);
	if (job->registrar.in_session && mr_session_is_private(job->registrar.session)) {
		job->backing = mr_backing_new(job->registrar.session);
		if (!job->backing)
			return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	}
	rc = advise_init(job, err);
	if (!rc)
		rc = map_memory(job, err);
	if (rc)
		return rc;
	if (mr_call_row(job->plan->call)->on != MR_ON_MEMORY)
		job->memory.page_size = 0; /* there is no mapping */
	return mr_region_is_dmabuf(job->plan->call) && !register_plan_exports_dm(job->plan)
		       ? open_dmabuf(job, err)
		       : 0;
}

/*
 * Allocates a DMA handle, if the regions are to have one. In a session the caller must have blocked
 * signals, as for register_allocate_dm().
 */
static int register_allocate_dmah(struct register_job *job, struct mr_error *err)
{
	return mr_region_has_dmah(job->plan->call)
		       ? mr_dmah_alloc(&job->registrar.base, &job->plan->dmah.hints, &job->dmah,
				       err)
		       : 0;
}

/* In a batch the handle stays as long as a region uses it; in a session, dereg frees it with the last one. */
static void register_free_unused_dmah(struct register_job *job)
{
	struct mr_error err;

	for (uint64_t i = 0; i < job->count; i++)
		if (job->regions[i].region.live) {
			if (job->backing)
				mr_backing_keep_dmah(job->backing, job->registrar.session,
						     &job->dmah);
			return;
		}
	if (mr_dmah_free(&job->dmah, &err))
		register_fail(job, &err, 0, 0, NULL);
}

/*
 * Allocates memory on the RDMA device, if the regions are to be on that. In a session the caller must have
 * blocked signals: the memory outlives this process, and after a signal no entry of the session would name
 * it.
 */
static int register_allocate_dm(struct register_job *job, struct mr_error *err)
{
	int rc = 0;

	if (!register_plan_needs_dm(job->plan))
		return 0;
	/* No entry of the session names the memory until a region on it is registered. */
	job->unnamed = job->registrar.in_session;
	if (job->unnamed)
		rc = mr_table_begin_unnamed(&job->registrar.session->table, err);
	if (!rc)
		rc = mr_dm_alloc(&job->registrar.base, job->plan->dm_length, &job->dm, err);
	return rc || !register_plan_exports_dm(job->plan) ? rc : open_dmabuf(job, err);
}

/* The memory stays while a region on it is live: in a session, dereg frees it with the last one. */
static void free_dm(struct register_job *job)
{
	struct mr_error err;

	for (uint64_t i = 0; i < job->count; i++)
		if (job->regions[i].region.live) {
			mr_dm_forget(&job->dm);
			return;
		}
	if (mr_dm_free(&job->registrar.base, &job->dm, &err))
		register_fail(job, &err, 0, 0, NULL);
}

/* Frees memory on the RDMA device, unless a region on it stays. */
static void register_free_unused_dm(struct register_job *job)
{
	free_dm(job);
	if (job->unnamed)
		mr_table_end_unnamed(&job->registrar.session->table);
}

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
