// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/output/output.h"
#include "cmd/region/region.h"
#include "lib/base/base.h"
#include "lib/diagnose/diagnose.h"
#include "lib/host/reading.h"
#include "lib/memory/memory.h"
#include "lib/session/session.h"
#include "lib/session/table/table.h"
#include "lib/verbs/verbs.h"

/* A region that the command has registered. */
struct new_region {
	struct mr_region region;
	uint64_t id;
	uint64_t index;           /* which of --count, from 1 */
	enum mr_tristate at_zero; /* what mr_in_force_at_zero() returned */
	bool is_advised;          /* advice was given about it */
	int advice_errnum;        /* 0: the advice was accepted */
	uint64_t advice_ns;
};

/* One run of a registering command. */
struct register_job {
	const struct register_args *args;
	struct register_plan plan;
	struct registrar registrar;
	struct mr_memory memory;
	struct mr_dm dm;
	struct mr_dmah dmah;
	struct mr_dmabuf dmabuf;
	struct mr_backing *backing; /* keeps memory and dma-buf in a private session, or NULL */
	struct mr_in_force in_force;
	struct new_region *regions; /* room for all that are planned */
	char columns[REGISTER_COLUMNS_MAX];
	uint64_t count;              /* regions that are registered so far */
	struct mr_umem_blob *blobs;  /* one for each region, or NULL */
	struct mr_memory prefetched; /* mapped for advice about an implicit region */
	struct answer answer;
	struct verification verification;
	bool unnamed;        /* mr_table_begin_unnamed() was called */
	bool blocks_signals; /* signals are blocked: mr_interrupted() must be checked between regions */
	bool interrupted; /* a signal came before all was done */
};

/* An implicit region covers the whole address space, and has no separate memory. */
static bool is_implicit(const struct mr_region *region)
{
	return !region->addr && region->length == SIZE_MAX;
}

/* Whether memory of a GPU is registered, by its address or as a dma-buf. */
static bool is_on_gpu(const struct register_plan *plan)
{
	return mr_region_is_dmabuf(plan->request.call)
		       ? plan->dmabuf.source.type == MR_DMABUF_CUDA
		       : plan->memory.mapping.kind.type == MR_MEMORY_CUDA;
}

/* Whether the dma-buf is one of memory on the RDMA device. */
static bool exports_dm(const struct register_plan *plan)
{
	return mr_region_is_dmabuf(plan->request.call) && plan->dmabuf.source.type == MR_DMABUF_DM;
}

static bool is_held(const struct register_args *args)
{
	return args->hold || args->hold_for.known;
}

/* Fills the question of mr_in_force_bits() about a region. */
static struct mr_in_force_region flags_query(const struct register_job *job,
					     const struct new_region *new)
{
	return (struct mr_in_force_region){ .call = job->plan.request.call,
					    .via = job->registrar.base.via,
					    .access = job->plan.request.access,
					    .at_zero = new->at_zero };
}

/* The name of a region: --name, or "NAME.INDEX" in @buffer if there are several; NULL without --name. */
static const char *name_of(const struct register_job *job, uint64_t index,
			   char buffer[2 * MR_NAME_SIZE])
{
	if (!job->args->name || job->plan.memory.count == 1)
		return job->args->name;
	snprintf(buffer, 2 * MR_NAME_SIZE, "%s.%" PRIu64, job->args->name, index);
	return buffer;
}

/*
 * Notes the request, for the document and for the diagnosis.
 * @request: of the call that registers; or NULL
 * @place:   has the addresses of the region; NULL: they are not known
 */
static void set_requested(struct register_job *job, const struct mr_region_request *request,
			  const struct mr_region_request *place)
{
	const struct register_plan *plan = &job->plan;
	const struct registrar *registrar = &job->registrar;
	const enum mr_region_call call = plan->request.call;
	bool is_null = mr_region_is_null(call), has_offset = mr_region_has_offset(call);
	bool placed = place && !is_null;

	job->answer.request = (struct request){
		.memory = plan->memory.mapping.kind.text,
		.addr = { place ? place->addr : 0, placed && !has_offset },
		.offset = { place ? place->addr : 0, placed && has_offset },
		.length = { plan->memory.size, !is_null },
		.iova = { place ? place->iova : 0,
			  placed && mr_call_row(call)->iova == MR_IOVA_GIVEN },
		.access = { plan->request.access, !is_null },
		.page_sizes = { plan->request.page_sizes,
				mr_call_row(call)->page_sizes &&
					(place || !job->args->try_page_sizes) },
		.dmah = job->args->dmah.text,
		.pd = job->registrar.pd,
		.count = known(plan->memory.count),
	};
	job->answer.refusal = (struct mr_refusal){
		.registrar = &registrar->base,
		.context = registrar->device.context,
		.library_pd = registrar->device.pd,
		.is_own = registrar_is_own(registrar),
		.uverbs = registrar->base.uverbs || registrar->base.context ? &registrar->uverbs
									    : NULL,
		.mapping = job->memory.map ? NULL : &plan->memory.mapping,
		.dmabuf = mr_region_is_dmabuf(plan->request.call) ? &plan->dmabuf : NULL,
		.request = request,
		.dm_length = plan->dm_length,
		.hints = mr_call_row(plan->request.call)->dmah ? &job->args->dmah.hints : NULL,
		.memory = plan->memory.mapping.kind.text,
		.held = job->count * plan->memory.size,
	};
}

/* Reports a failure with the request; @request: of the call that registers; NULL: another call failed */
static bool register_fail(struct register_job *job, struct mr_error *err, uint64_t index,
			  const struct mr_region_request *request)
{
	struct mr_table_pool pool;

	set_requested(job, request, request);
	job->answer.tell = request && err->kind == MR_ERROR_REFUSED;
	if (job->plan.request.call == MR_REG_MR_RELAXED && job->registrar.session) {
		mr_table_pool(&job->registrar.session->table, &pool);
		job->answer.refusal.pool = &pool;
	}
	return answer_fail(&job->answer, err, index, 0, job->registrar.base.via);
}

/* Returns the entry that the session's table has before the call. */
static struct mr_entry entry_for(const struct register_job *job)
{
	const struct register_plan *plan = &job->plan;
	const char *memory = plan->memory.mapping.kind.text;
	struct mr_entry entry = { .call = (uint8_t)plan->request.call,
				  .memory_of =
					  is_on_gpu(plan) ? MR_MEMORY_OF_GPU : MR_MEMORY_OF_HOST,
				  .page_shift = mr_page_shift(job->memory.page_size),
				  .pd = (uint16_t)job->registrar.pd_slot };

	memcpy(entry.memory, memory, strnlen(memory, sizeof(entry.memory) - 1));
	return entry;
}

/* Returns the entry that describes a region. */
static struct mr_entry entry_of(const struct register_job *job, const struct mr_region *region)
{
	struct mr_region_request request = job->plan.request;
	struct mr_entry entry = entry_for(job);

	request.addr = region->addr;
	mr_entry_fill(&entry, &request, region, job->registrar.base.via);
	return entry;
}

/* Reports a failure about a region that was registered; @advised: or NULL: the failure is not about advice */
static bool fail_region(struct register_job *job, struct mr_error *err,
			const struct new_region *new, const struct mr_advice_range *advised)
{
	const struct mr_region *region = &new->region;
	const struct mr_region_request place = { .addr = region->addr, .iova = region->iova };
	const struct mr_entry entry = entry_of(job, region);
	struct mr_refusal *refusal = &job->answer.refusal;

	set_requested(job, NULL, &place);
	refusal->advice = advised ? &job->args->advise.advice : NULL;
	refusal->advised = advised;
	refusal_set_region(refusal, &entry);
	return answer_fail(&job->answer, err, new->index, new->id, job->registrar.base.via);
}

/* Fills a row about a region; without id, index, name, state, PD, and flags in force. */
static void register_describe(const struct register_job *job, const struct mr_region *region,
			      struct region_row *row)
{
	struct mr_entry entry = entry_of(job, region);

	entry.hints = job->args->dmah.hints; /* the handle may be freed already */
	region_row_describe(row, &entry);
	row->memory = job->plan.memory.mapping.kind.text;
	row->dereg_elapsed_ns = (struct mr_opt_u64){ region->dereg_elapsed_ns, !region->live };
}

static void print_region(struct register_job *job, const struct new_region *new)
{
	char name[2 * MR_NAME_SIZE], blob[BLOB_TEXT];
	struct region_row row;

	register_describe(job, &new->region, &row);
	row.id = known(new->id);
	row.index = known(new->index);
	row.name = name_of(job, new->index, name);
	row.state = new->region.live ? "live" : "deregistered";
	row.pd = job->registrar.pd;
	if (!mr_region_is_null(job->plan.request.call)) {
		const struct mr_in_force_region asked = flags_query(job, new);

		region_row_in_force(&row, &job->in_force, &asked, job->answer.invocation->global);
	}
	if (job->blobs) {
		blob_text(&job->blobs[new - job->regions], blob);
		row.export = blob;
	}
	if (new->is_advised) {
		row.advice = job->args->advise.advice.text;
		row.advice_answer = new->advice_errnum ? mr_errno_name(new->advice_errnum) : "ok";
		row.advice_elapsed_ns = known(new->advice_ns);
	}
	answer_row(&job->answer, &row);
}

static void register_fail_interrupted(struct register_job *job, uint64_t index)
{
	struct mr_error err;

	job->interrupted = true;
	mr_fail_text(&err, MR_ERROR_HOST, EINTR, "interrupted");
	answer_fail(&job->answer, &err, index, 0, job->registrar.base.via);
}

/* Prints notes about properties of the regions that users may not expect. */
static void note_facts(struct register_job *job, bool hold)
{
	static bool is_bug_reported;
	const char *command = job->answer.invocation->command->name, *effect;
	const bool quiet = job->answer.out.style->quiet;
	const uint32_t access = job->plan.request.access;
	uint32_t without_effect = 0;
	char text[FIELD_TEXT_MAX];

	for (uint64_t i = 0; i < job->count && !quiet; i++) {
		const struct mr_in_force_region asked = flags_query(job, &job->regions[i]);

		without_effect |=
			access & ~(uint32_t)mr_in_force_bits(&job->in_force, &asked).value;
	}
	for (; without_effect; without_effect &= without_effect - 1)
		report_note(command, "%s has no effect: %s",
			    access_text(without_effect & -without_effect, text),
			    mr_in_force_reason(&job->in_force, without_effect & -without_effect));
	/* On-demand paging faults in pages of the process that registered; memory of a GPU goes with its process. */
	if ((is_on_gpu(&job->plan) || access & MR_ACCESS_ON_DEMAND) && job->count && !hold &&
	    job->registrar.session && !mr_session_is_private(job->registrar.session))
		report_note(command, "%s region is inert once this process has ended: use --hold",
			    is_on_gpu(&job->plan) ? "a cuda" : "an on-demand");
	if (is_bug_reported || !job->count || quiet)
		return;
	effect = mr_kernel_bug(mr_this_host(), job->registrar.uverbs.driver_id, access);
	is_bug_reported = effect;
	if (effect)
		report_note(command, "%s", effect);
}

static void note_interrupted(const struct register_job *job)
{
	bool ends;

	if (!job->interrupted || !job->count || job->answer.out.style->quiet)
		return;
	if (!job->registrar.session) {
		report_detail("these regions were deregistered again");
		return;
	}
	ends = mr_session_is_private(job->registrar.session);
	report_detail("%s, with the ids %" PRIu64 " to %" PRIu64 "%s",
		      ends ? "these regions stay until the batch ends"
			   : "these regions stay in the session",
		      job->regions[0].id, job->regions[job->count - 1].id,
		      ends ? "" : ": mrctl stat shows them, mrctl dereg deregisters them");
}

static uint64_t advised_size(const struct advise_args *advise, uint64_t otherwise)
{
	return advise->size.known ? advise->size.value : otherwise;
}

static void advise_one(struct register_job *job, struct new_region *new)
{
	const struct mr_advice *advice = &job->args->advise.advice;
	const struct advise_args *advise = &job->args->advise;
	const struct mr_region *region = &new->region;
	const bool implicit = is_implicit(region);
	const uint64_t offset = advise->offset.value;
	const uint64_t rest = implicit                  ? (uint64_t)sysconf(_SC_PAGESIZE)
			      : region->length > offset ? region->length - offset
							: 0;
	const struct mr_advice_range range = {
		.addr = (implicit ? job->prefetched.start : region->iova) + offset,
		.length = advised_size(advise, rest),
		.lkey = region->lkey,
	};
	struct mr_error err;

	proof_mark(job->answer.invocation, job->registrar.environment.device);
	new->is_advised = true;
	new->advice_errnum =
		-mr_advise(&job->registrar.base, advice, &range, &new->advice_ns, &err);
	if (new->advice_errnum && fail_region(job, &err, new, &range))
		report_detail("advised %s of %" PRIu64 " bytes at 0x%" PRIx64, advice->text,
			      range.length, range.addr);
}

/* Gives the advice of --advise about each region, and reports refusals. */
static void advise_all(struct register_job *job)
{
	const struct advise_args *advise = &job->args->advise;
	const struct mr_memory_request request = {
		.kind = { .type = MR_MEMORY_ANON, .text = "anon" },
		.length = advised_size(advise, (uint64_t)sysconf(_SC_PAGESIZE)),
	};
	struct mr_error err;

	if (!advise->advice.text)
		return;
	/*
	 * Pages of an implicit region can only be prefetched where memory is mapped.  Without --advise-offset, memory
	 * is mapped for this.
	 */
	if (job->count && is_implicit(&job->regions[0].region) && !advise->offset.known &&
	    mr_memory_map(&request, &job->prefetched, &err)) {
		register_fail(job, &err, 0, NULL);
		return;
	}
	for (uint64_t i = 0; i < job->count; i++) {
		if (job->blocks_signals && context_is_interrupted(job->answer.invocation, !i)) {
			register_fail_interrupted(job, job->regions[i].index);
			return;
		}
		advise_one(job, &job->regions[i]);
		if (job->regions[i].advice_errnum && !job->args->keep_going)
			return;
	}
}

static void report_steps(const struct register_job *job, const struct mr_cuda *cuda)
{
	if (cuda && job->answer.out.style->verbose)
		report_note(job->answer.invocation->command->name, "%s", mr_cuda_steps(cuda));
}

static int open_dmabuf(struct register_job *job, struct mr_error *err)
{
	struct mr_environment *environment = &job->registrar.environment;
	int rc = exports_dm(&job->plan) ? mr_dm_export(&job->dm, &job->dmabuf, err)
					: mr_dmabuf_open(&job->plan.dmabuf, &job->dmabuf, err);

	/* Only dma-bufs can be registered by way of the Data Direct device, so it is looked up here. */
	mr_data_direct_path(&job->registrar.base, environment->data_direct,
			    sizeof(environment->data_direct));
	if (rc)
		return rc;
	job->memory.page_size = job->dmabuf.page_size;
	report_steps(job, job->dmabuf.cuda);
	return 0;
}

/*
 * The memory is mapped after all else is allocated: a later mapping might be put into the gap that --memory
 * hole leaves.
 */
static int register_prepare(struct register_job *job, struct mr_error *err)
{
	const struct mr_memory_request *mapping = &job->plan.memory.mapping;
	const struct field *const *columns = job->answer.out.columns;
	const struct output_style *style = job->answer.out.style;
	int rc;

	/* The answer does not show how long calls took. */
	job->registrar.untimed = (style->quiet && !style->json) ||
				 (*columns && !columns_find(columns, "elapsed_ns") &&
				  !columns_find(columns, "advice_elapsed_ns") &&
				  !columns_find(columns, "dereg_elapsed_ns"));
	rc = registrar_open(&job->registrar, err);
	job->answer.environment = &job->registrar.environment;
	job->answer.in_session = context_session(job->answer.invocation) != NULL;
	register_columns(&job->plan, job->args, job->answer.in_session, job->columns);
	job->answer.out.usual_columns = job->columns;
	job->in_force.uverbs = &job->registrar.uverbs;
	if (rc)
		return rc;
	job->regions = reallocarray(NULL, job->plan.memory.count, sizeof(*job->regions));
	if (!job->regions)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "reallocarray",
			       "cannot store the list of %" PRIu64 " regions",
			       job->plan.memory.count);
	if (job->args->export)
		job->blobs = calloc(job->plan.memory.count, sizeof(*job->blobs));
	if (job->args->export && !job->blobs)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc",
			       "cannot export %" PRIu64 " umems", job->plan.memory.count);
	if (job->registrar.session && mr_session_is_private(job->registrar.session)) {
		job->backing = mr_backing_new();
		if (!job->backing)
			return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	}
	if (mapping->populate)
		progress_wait(&job->answer.progress, "populating", mapping->length);
	rc = mr_memory_map(mapping, &job->memory, err);
	progress_clear(&job->answer.progress);
	report_steps(job, job->memory.cuda);
	if (rc)
		return rc;
	if (mr_call_row(job->plan.request.call)->on != MR_ON_MEMORY)
		job->memory.page_size = 0; /* there is no mapping */
	return mr_region_is_dmabuf(job->plan.request.call) && !exports_dm(&job->plan)
		       ? open_dmabuf(job, err)
		       : 0;
}

/*
 * Allocates what the regions use of the device: memory there, or a DMA handle.  In a session the caller must have blocked
 * signals: after one no entry of the session would name the objects.
 */
static int register_allocate(struct register_job *job, struct mr_error *err)
{
	const struct register_plan *plan = &job->plan;
	const bool dm = mr_region_is_dm(plan->request.call) || exports_dm(plan);
	int rc = 0;

	/* No entry of the session names the objects, or none until a region on the memory is registered. */
	job->unnamed = job->registrar.session && (dm || job->args->try_page_sizes);
	if (job->unnamed)
		rc = mr_table_begin_unnamed(&job->registrar.session->table, err);
	if (!rc && dm)
		rc = mr_dm_alloc(&job->registrar.base, plan->dm_length, &job->dm, err);
	if (!rc && exports_dm(plan))
		rc = open_dmabuf(job, err);
	if (!rc && mr_call_row(plan->request.call)->dmah)
		rc = mr_dmah_alloc(&job->registrar.base, &job->args->dmah.hints, &job->dmah, err);
	return rc;
}

/* In a session, dereg frees what the regions use with the last of them; in a batch their backing has the DMA handle. */
static void register_free_unused(struct register_job *job)
{
	bool used = false;
	struct mr_error err;

	for (uint64_t i = 0; i < job->count && !used; i++)
		used = job->regions[i].region.live;
	if (used)
		mr_dm_forget(&job->dm);
	else if (mr_dm_free(&job->registrar.base, &job->dm, &err))
		register_fail(job, &err, 0, NULL);
	if (job->unnamed)
		mr_table_end_unnamed(&job->registrar.session->table);
	if (used && job->backing)
		mr_backing_keep_dmah(job->backing, job->registrar.session, &job->dmah);
	else if (!used && mr_dmah_free(&job->dmah, &err))
		register_fail(job, &err, 0, NULL);
}

static struct mr_region_request register_request(const struct register_job *job, uint64_t index)
{
	const uint64_t offset = (index - 1) * job->plan.memory.stride;
	struct mr_region_request request = job->plan.request;

	request.addr = job->memory.start + offset;
	request.iova += offset;
	request.page_size = job->memory.page_size;
	request.fd = job->dmabuf.fd;
	request.dm = &job->dm;
	request.dmah = mr_call_row(request.call)->dmah ? &job->dmah : NULL;
	request.export = job->blobs ? &job->blobs[job->count] : NULL;
	request.backing = job->backing;
	return request;
}

/* Registers a region that stays, with an entry in the session's table that describes it. */
static int register_in_session(struct register_job *job, const struct mr_region_request *request,
			       struct new_region *new, struct mr_error *err)
{
	char buffer[2 * MR_NAME_SIZE];
	const char *name = name_of(job, new->index, buffer);
	struct mr_entry entry = entry_for(job);
	int rc;

	if (name && strlen(name) >= sizeof(entry.name))
		return mr_fail_text(err, MR_ERROR_USAGE, ENAMETOOLONG, "the name '%s' is too long",
				    name);
	if (name)
		memcpy(entry.name, name, strlen(name));
	rc = (request->call == MR_REG_MR_RELAXED ? mr_reg_mr_relaxed : mr_session_register)(
		job->registrar.session, &job->registrar.base, request, &entry, err);
	if (rc)
		return rc;
	new->id = entry.id;
	new->region = mr_entry_region(&entry);
	return 0;
}

static void register_all(struct register_job *job)
{
	for (uint64_t index = 1; index <= job->plan.memory.count; index++) {
		struct mr_region_request request = register_request(job, index);
		struct new_region *new = &job->regions[job->count];
		struct mr_error err;
		int rc;

		if (job->blocks_signals &&
		    context_is_interrupted(job->answer.invocation, index == 1)) {
			register_fail_interrupted(job, index);
			break;
		}
		new->index = index;
		new->is_advised = false;
		progress_wait(&job->answer.progress, "registering", request.length);
		proof_mark(job->answer.invocation, job->registrar.environment.device);
		new->id = job->count + 1;
		rc = job->registrar.session ? register_in_session(job, &request, new, &err)
					    : mr_region_register(&job->registrar.base, &request,
								 &new->region, &err);
		if (!rc) {
			new->at_zero = mr_in_force_at_zero(&job->registrar.uverbs, request.access,
							   &new->region);
			job->count++;
			mr_memory_keep_file(&job->memory);
			progress_show(&job->answer.progress, "registered", job->count);
			continue;
		}
		register_fail(job, &err, index, &request);
		/* Where the table's lock could not be had, each further region would wait for it and fail as well. */
		if (!job->args->keep_going ||
		    (job->registrar.session && job->registrar.session->table.gave_up))
			break;
	}
	progress_clear(&job->answer.progress);
}

static void deregister_all(struct register_job *job)
{
	struct mr_error err;

	for (uint64_t i = 0; i < job->count; i++) {
		struct new_region *new = &job->regions[i];

		proof_mark(job->answer.invocation, job->registrar.environment.device);
		if (mr_region_deregister(&job->registrar.base, &new->region, &err))
			fail_region(job, &err, new, NULL);
		progress_show(&job->answer.progress, "deregistered", i + 1);
	}
	progress_clear(&job->answer.progress);
}

static void verify_regions(struct register_job *job)
{
	char name[2 * MR_NAME_SIZE];

	verification_begin(&job->verification, &job->args->verify, &job->answer, &job->registrar);
	for (uint64_t i = 0; i < job->count && !job->verification.stops; i++) {
		const struct new_region *new = &job->regions[i];
		struct verify_target target = { .entry = entry_of(job, &new->region),
						.index = new->index,
						.name = name_of(job, new->index, name),
						.is_own = true,
						.is_inert = MR_NO,
						.uverbs = &job->registrar.uverbs };

		target.entry.id = new->id;
		verification_add(&job->verification, &job->registrar.device, &target);
	}
	job->interrupted |= job->verification.interrupted;
}

/* Ends what the regions are held for.  In a session they stay, with the memory on the device. */
static void register_leave(struct register_job *job)
{
	if (!job->registrar.session)
		deregister_all(job);
	register_free_unused(job);
}

static int register_regions(struct register_job *job, bool is_ready, struct mr_error *err)
{
	const bool stays = job->registrar.session;
	const bool hold = is_held(job->args);
	const struct output_style *style = job->answer.out.style;
	bool prints_rows;
	int rc;

	if (is_ready) {
		register_all(job);
		if (!job->interrupted)
			advise_all(job);
		if (job->args->verify.wanted && job->count && !job->interrupted)
			verify_regions(job);
		registrar_leave_pd(&job->registrar, job->count > 0);
	}
	if (stays || !hold)
		register_leave(job);
	note_facts(job, hold);
	answer_begin(&job->answer);
	/*
	 * After an interrupt, people do not want the list of all regions registered until then.
	 * Scripts with --no-headings get it.
	 */
	prints_rows = answer_has_rows(&job->answer) &&
		      (!job->interrupted || job->answer.lines || style->json || style->columns ||
		       style->no_headings);
	for (uint64_t i = 0; i < job->count && prints_rows; i++)
		print_region(job, &job->regions[i]);
	answer_end_rows(&job->answer);
	verification_print(&job->verification);
	rc = answer_end(&job->answer, job->count, err);
	if (rc && job->count && stays && !mr_session_is_private(job->registrar.session))
		mr_hint(err,
			"%" PRIu64 " region%s registered nonetheless and stay%s in the session: "
			"mrctl stat shows %s",
			job->count, job->count == 1 ? " is" : "s are", job->count == 1 ? "s" : "",
			job->count == 1 ? "it" : "them");
	else if (rc && job->count && !stays)
		mr_hint(err, "%" PRIu64 " region%s registered nonetheless, and deregistered again",
			job->count, job->count == 1 ? " was" : "s were");
	if (hold && job->count && !job->interrupted && !rc)
		context_hold(job->answer.invocation, job->count, job->args->hold_for,
			     job->registrar.session);
	if (!stays && hold)
		register_leave(job);
	if (!rc)
		rc = answer_status(&job->answer, job->count, "registered");
	note_interrupted(job);
	if (stays)
		overdue_report(job->answer.invocation, job->registrar.session);
	return rc;
}

/* ---- page sizes of a umem ---- */

/* The page sizes that are tried: these and the powers of two between them, in bytes. */
#define FIRST_SIZE 4096u
#define LAST_SIZE  (1u << 30)

/*
 * The driver considers no page larger than the umem needs (devx.c devx_umem_find_best_pgsize()).
 *
 * The refusal of a size is a result here, and no failure.  If all sizes are refused, the reason is another one,
 * as 4 KiB always fit: then the command has failed, and reports the refusal of 4 KiB.
 */
static void try_sizes(struct register_job *job)
{
	const struct mr_registrar *registrar = &job->registrar.base;
	struct mr_region_request request = register_request(job, 1);
	struct mr_error first = { .kind = MR_ERROR_REFUSED }, err;
	uint64_t size = FIRST_SIZE;
	struct region_row row;
	int rc;

	do {
		struct mr_region region = { .kind = MR_KIND_UMEM,
					    .addr = request.addr,
					    .length = request.length };

		if (mr_interrupted()) {
			register_fail_interrupted(job, 0);
			return;
		}
		job->plan.request.page_sizes = request.page_sizes = size;
		rc = mr_region_register(registrar, &request, &region,
					size == FIRST_SIZE ? &first : &err);
		if (rc)
			region.handle = MR_NO_HANDLE;
		else
			mr_memory_keep_file(&job->memory);
		if (!rc && mr_region_deregister(registrar, &region, &err))
			answer_fail(&job->answer, &err, 0, 0, registrar->via);
		register_describe(job, &region, &row);
		row.state = rc ? "refused" : region.live ? "live" : "deregistered";
		row.answer = rc ? mr_errno_name(-rc) : "ok";
		if (rc) {
			row.umem_id.known = row.elapsed_ns.known = row.dereg_elapsed_ns.known =
				false;
			row.needs_process = MR_UNKNOWN;
		}
		answer_row(&job->answer, &row);
		job->count += !rc;
		size *= 2;
	} while (size <= LAST_SIZE && size / 2 < request.length);
	if (job->count)
		return;
	job->plan.request.page_sizes = request.page_sizes = FIRST_SIZE;
	register_fail(job, &first, 0, &request);
}

/* Registers a umem with each page size alone, one after the other, and lists the answers. */
static int try_page_sizes(struct register_job *job, bool is_ready, struct mr_error *err)
{
	struct answer *answer = &job->answer;
	const struct output_style *style = answer->out.style;
	uint64_t accepted;
	int rc;

	answer->lines = false;
	answer->out.usual_columns = "page_sizes,answer,elapsed_ns,dereg_elapsed_ns";
	answer_begin(answer);
	if (is_ready)
		try_sizes(job);
	accepted = job->count;
	job->count = 0; /* none of them stays */
	register_free_unused(job);
	answer_end_rows(answer);
	rc = answer_end(answer, accepted, err);
	if (rc)
		return rc;
	if (accepted && !style->quiet && !style->json && !style->no_headings)
		report_note(answer->invocation->command->name,
			    "an accepted size does not prove that the HCA uses it: for "
			    "contiguous memory the driver may use a smaller size");
	if (job->registrar.session)
		overdue_report(answer->invocation, job->registrar.session);
	return answer_status(answer, accepted, NULL);
}

int register_run(const struct invocation *invocation, enum mr_region_call call,
		 struct mr_error *err)
{
	const struct register_args *args = invocation->args;
	struct register_job job = { .args = args };
	int rc = register_plan_init(&job.plan, args, call, err);

	if (rc)
		return rc;
	job.registrar = (struct registrar){ .invocation = invocation,
					    .kind = mr_region_kind(job.plan.request.call),
					    .dmah = mr_call_row(job.plan.request.call)->dmah,
					    .pd = args->pd,
					    .allowed = job.plan.via };
	rc = answer_init(&job.answer, invocation, &args->expect, NULL, job.plan.memory.count, err);
	if (!rc)
		rc = register_prepare(&job, err);
	if (!rc || err->kind != MR_ERROR_USAGE) {
		/*
		 * A signal between a call and its entry in the table, or between the two calls for a umem, would leave an
		 * unknown region.  A signal that ends the tries for a refusal must not hide the refusal.
		 */
		job.blocks_signals = is_held(args) || job.registrar.session ||
				     invocation->global->why == WHY_TRY || args->verify.wanted ||
				     args->try_page_sizes;
		if (job.blocks_signals && !invocation->enclosing) /* a batch has blocked them */
			mr_signals_block();
		if (!rc)
			rc = register_allocate(&job, err);
		if (rc)
			register_fail(&job, err, 0, NULL);
		mr_error_clear(err); /* it is in the answer */
		rc = (args->try_page_sizes ? try_page_sizes : register_regions)(&job, !rc, err);
	}
	mr_backing_hand_over(job.backing, &job.memory, &job.dmabuf);
	registrar_close(&job.registrar);
	answer_release(&job.answer);
	verification_release(&job.verification);
	free(job.blobs);
	free(job.regions);
	mr_memory_unmap(&job.prefetched);
	return rc;
}
