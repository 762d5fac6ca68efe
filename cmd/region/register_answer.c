// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "cmd/region/region.h"
#include "cmd/region/register.h"
#include "lib/base/base.h"
#include "lib/diagnose/diagnose.h"
#include "lib/host/reading.h"
#include "lib/session/session.h"
#include "lib/session/table/table.h"
#include "lib/verbs/verbs.h"

/* register_flags_query() - what mr_in_force_bits() needs to know of a region */
static inline struct mr_in_force_region register_flags_query(const struct register_job *job,
							     const struct new_region *new)
{
	return (struct mr_in_force_region){ .call = job->plan->call,
					    .via = job->registrar.base.via,
					    .access = job->plan->access,
					    .at_zero = new->at_zero };
}

const char *register_name(const struct register_job *job, uint64_t index, char *buffer, size_t size)
{
	if (!job->args->name || job->plan->memory.count == 1)
		return job->args->name;
	snprintf(buffer, size, "%s.%" PRIu64, job->args->name, index);
	return buffer;
}

/* The table of new regions: in a session they stay, outside of one they are deregistered at once. */
struct usual_columns {
	const char *in_session;
	const char *outside; /* NULL: the command's own */
};

static const struct usual_columns relaxed_columns = {
	REGION_COLUMNS(id, name, state, lkey, rkey, addr, length, extended_addr, extended_length,
		       access, pd, elapsed_ns),
	REGION_COLUMNS(id, name, lkey, rkey, addr, length, extended_addr, extended_length, access,
		       elapsed_ns, dereg_elapsed_ns),
};

/* Of MRs and of umems: on memory, and on what has offsets in place of addresses. */
static const struct usual_columns mr_columns[] = {
	[false] = { REGION_COLUMNS(id, name, state, lkey, rkey, addr, length, iova, access, pd,
				   elapsed_ns),
		    NULL },
	[true] = { REGION_COLUMNS(id, name, state, lkey, rkey, offset, length, iova, access, pd,
				  elapsed_ns),
		   REGION_COLUMNS(id, name, lkey, rkey, offset, length, iova, access, elapsed_ns,
				  dereg_elapsed_ns) },
};
static const struct usual_columns umem_columns[] = {
	[false] = { REGION_COLUMNS(id, name, state, handle, umem_id, addr, length, access,
				   page_sizes, elapsed_ns),
		    NULL },
	[true] = { REGION_COLUMNS(id, name, state, handle, umem_id, offset, length, access,
				  page_sizes, elapsed_ns),
		   REGION_COLUMNS(id, name, umem_id, offset, length, access, page_sizes, elapsed_ns,
				  dereg_elapsed_ns) },
};

static const char *usual_columns(const struct register_job *job)
{
	const bool has_offset = mr_region_has_offset(job->plan->call);
	const struct usual_columns *columns = &mr_columns[has_offset];

	if (job->plan->call == MR_REG_MR_RELAXED)
		columns = &relaxed_columns;
	else if (mr_region_kind(job->plan->call) == MR_KIND_UMEM)
		columns = &umem_columns[has_offset];
	if (job->answer.in_session)
		return columns->in_session;
	return columns->outside ?: job->answer.invocation->command->columns;
}

/* Whether the call is given an I/O virtual address. */
static bool has_iova(enum mr_region_call call)
{
	return mr_call_row(call)->iova == MR_IOVA_GIVEN;
}

static void report_extended(const struct mr_region_request *request)
{
	uint64_t addr = request->addr, length = request->length;

	mr_extend_to_pages(request->page_size, &addr, &length);
	if (length != request->length)
		report_detail("extended to whole pages: %" PRIu64 " bytes at 0x%" PRIx64, length,
			      addr);
}

const char *register_columns(struct register_job *job)
{
	const char *usual = usual_columns(job);
	bool advice = job->args->advise.advice.text;

	if (!advice && !job->args->export)
		return usual;
	snprintf(job->room->columns, sizeof(job->room->columns), "%s%s%s%s%s", usual,
		 advice ? "," : "", advice ? REGION_COLUMNS(advice_answer, advice_elapsed_ns) : "",
		 job->args->export ? "," : "", job->args->export ? REGION_COLUMNS(export) : "");
	return job->room->columns;
}

static void fill_advice(const struct register_job *job, const struct new_region *new,
			struct region_row *row)
{
	const struct advice_answer *answer =
		job->advice_answers ? &job->advice_answers[new - job->regions] : NULL;

	if (!answer || !answer->known)
		return;
	row->advice = job->args->advise.advice.text;
	row->advice_answer = answer->errnum ? mr_errno_name(answer->errnum) : "ok";
	row->advice_elapsed_ns = known(answer->elapsed_ns);
}

/* Without a request the addresses of the region are not known. */
static void set_request(struct register_job *job, const struct mr_region_request *request)
{
	const struct register_plan *plan = job->plan;
	bool is_null = mr_region_is_null(plan->call);
	bool has_offset = mr_region_has_offset(plan->call), placed = request && !is_null;

	job->answer.request = (struct request){
		.memory = plan->memory.mapping.kind.text,
		.addr = { placed ? request->addr : 0, placed && !has_offset },
		.offset = { placed ? request->addr : 0, placed && has_offset },
		.length = { plan->memory.size, !is_null },
		.iova = { placed ? request->iova : 0, placed && has_iova(plan->call) },
		.access = { plan->access, !is_null },
		.access_bits = { plan->access, !is_null },
		.page_sizes = { plan->page_sizes, mr_region_has_page_sizes(plan->call) },
		.dmah = plan->dmah.text,
		.pd = job->registrar.pd,
		.count = known(plan->memory.count),
	};
}

static void set_refusal(struct register_job *job, const struct mr_region_request *request)
{
	const struct registrar *registrar = &job->registrar;
	const struct register_plan *plan = job->plan;

	job->answer.refusal = (struct mr_refusal){
		.registrar = &registrar->base,
		.context = registrar->device.context,
		.library_pd = registrar->device.pd,
		.is_own = registrar_is_own(registrar),
		.uverbs = registrar_is_open(registrar) ? &registrar->uverbs : NULL,
		.mapping = job->memory.map ? NULL : &plan->memory.mapping,
		.dmabuf = mr_region_is_dmabuf(plan->call) ? &plan->dmabuf : NULL,
		.request = request,
		.dm_length = plan->dm_length,
		.hints = mr_region_has_dmah(plan->call) ? &plan->dmah.hints : NULL,
		.memory = plan->memory.mapping.kind.text,
		.held = job->count * plan->memory.size,
	};
}

bool register_fail(struct register_job *job, struct mr_error *err, uint64_t index, uint64_t id,
		   const struct mr_region_request *request)
{
	struct mr_table_pool pool;

	set_request(job, request);
	set_refusal(job, request);
	if (job->plan->call == MR_REG_MR_RELAXED && job->registrar.in_session) {
		mr_table_pool(&job->registrar.session->table, &pool);
		job->answer.refusal.pool = &pool;
	}
	return answer_fail(&job->answer, err, index, id, job->registrar.base.via);
}

bool register_fail_region(struct register_job *job, struct mr_error *err,
			  const struct new_region *new, const struct mr_advice_range *advised)
{
	const struct mr_region *region = &new->region;
	const struct mr_region_request place = { .addr = region->addr, .iova = region->iova };
	struct mr_refusal *refusal = &job->answer.refusal;

	set_request(job, &place);
	set_refusal(job, NULL);
	refusal->advice = advised ? &job->args->advise.advice : NULL;
	refusal->advised = advised;
	refusal->handle_known = region->handle != MR_NO_HANDLE;
	refusal->handle_kind = region->kind;
	refusal->handle = region->handle;
	refusal->region_known = true;
	refusal->region_call = job->plan->call;
	refusal->region_access = job->plan->access;
	refusal->region_addr = region->addr;
	refusal->region_length = region->length;
	refusal->region_iova = region->iova;
	return answer_fail(&job->answer, err, new->index, new->id, job->registrar.base.via);
}

/* What is told of a refusal. */
struct refused {
	const struct register_job *job;
	const struct mr_region_request *request;
};

static void report_request(const void *data)
{
	const struct register_job *job = ((const struct refused *)data)->job;
	const struct mr_region_request *request = ((const struct refused *)data)->request;
	char text[FIELD_TEXT_MAX];

	if (!mr_region_is_null(request->call))
		report_detail("asked for %" PRIu64 " bytes at 0x%" PRIx64 " of %s %s, access %s",
			      request->length, request->addr,
			      mr_region_is_dmabuf(request->call) ? "dma-buf" : "memory",
			      job->plan->memory.mapping.kind.text,
			      access_text(request->access, text));
	if (request->call == MR_REG_MR_RELAXED)
		report_extended(request);
	else if (has_iova(request->call))
		report_detail("and the I/O virtual address 0x%" PRIx64, request->iova);
	if (job->plan->dmah.text)
		report_detail("and the DMA handle %s", job->plan->dmah.text);
	if (mr_region_has_page_sizes(request->call))
		report_detail("and the page sizes %s", pages_text(request->page_sizes, text));
}

void register_refuse(struct register_job *job, struct mr_error *err, uint64_t index,
		     const struct mr_region_request *request)
{
	const struct refused refused = { job, request };

	job->answer.tell = report_request;
	job->answer.tell_data = &refused;
	register_fail(job, err, index, 0, request);
}

void register_row(struct register_job *job, const struct new_region *new)
{
	const struct register_plan *plan = job->plan;
	const struct region_facts facts = {
		.region = &new->region,
		.call = plan->call,
		.via = job->registrar.base.via,
		.access = plan->access,
		.memory = plan->memory.mapping.kind.text,
		.page_size = job->memory.page_size,
		.page_sizes = plan->page_sizes,
		.hints = plan->dmah.hints,
		.on_gpu = register_plan_is_on_gpu(plan),
	};
	char name[2 * MR_NAME_SIZE], blob[BLOB_TEXT];
	struct region_row row;

	region_row_describe(&row, &facts);
	row.id = known(new->id);
	row.index = known(new->index);
	row.name = register_name(job, new->index, name, sizeof(name));
	row.state = new->region.live ? "live" : "deregistered";
	row.pd = job->registrar.pd;
	if (!mr_region_is_null(plan->call)) {
		const struct mr_in_force_region asked = register_flags_query(job, new);

		region_row_in_force(&row, &job->in_force, &asked, job->answer.invocation->global);
	}
	if (job->blobs) {
		blob_text(&job->blobs[new - job->regions], blob);
		row.export = blob;
	}
	fill_advice(job, new, &row);
	answer_row(&job->answer, &row);
}

void register_fail_interrupted(struct register_job *job, uint64_t index)
{
	struct mr_error err;

	job->interrupted = true;
	mr_fail_text(&err, MR_ERROR_HOST, EINTR, "interrupted");
	answer_fail(&job->answer, &err, index, 0, job->registrar.base.via);
}

/*
 * A person who has interrupted a long registration does not want to read all that was registered until
 * then.  A script that has asked for values gets them.
 */
bool register_prints_rows(const struct register_job *job)
{
	const struct global_args *global = job->answer.invocation->global;

	return answer_has_rows(&job->answer) &&
	       (!job->interrupted || job->answer.lines || global->style.json ||
		global->style.columns || global->style.no_headings);
}

void register_note_flags_without_effect(struct register_job *job)
{
	char text[FIELD_TEXT_MAX];
	uint32_t without_effect = 0;

	if (job->answer.invocation->global->style.quiet)
		return;
	for (uint64_t i = 0; i < job->count; i++) {
		const struct mr_in_force_region asked = register_flags_query(job, &job->regions[i]);

		without_effect |=
			asked.access & ~(uint32_t)mr_in_force_bits(&job->in_force, &asked).value;
	}
	for (; without_effect; without_effect &= without_effect - 1) {
		uint32_t flag = without_effect & -without_effect;

		report_note(job->answer.invocation->command->name, "%s has no effect: %s",
			    access_text(flag, text), mr_in_force_reason(&job->in_force, flag));
	}
}

/* On-demand paging faults in pages of the process that registered; memory of a GPU goes with its process. */
void register_note_needs_process(const struct register_job *job, bool hold)
{
	bool cuda = register_plan_is_on_gpu(job->plan),
	     on_demand = job->plan->access & MR_ACCESS_ON_DEMAND;

	if (!job->registrar.in_session || mr_session_is_private(job->registrar.session))
		return;
	if ((cuda || on_demand) && job->count && !hold)
		report_note(job->answer.invocation->command->name,
			    "%s region is inert once this process has ended: use --hold",
			    cuda ? "a cuda" : "an on-demand");
}

void register_note_kernel_bug(const struct register_job *job)
{
	static bool told;
	const char *effect;

	if (told || !job->count || job->answer.invocation->global->style.quiet)
		return;
	effect = mr_kernel_bug(mr_this_host(), job->registrar.uverbs.driver_id, job->plan->access);
	told = effect;
	if (effect)
		report_note(job->answer.invocation->command->name, "%s", effect);
}

void register_note_interrupted(const struct register_job *job)
{
	bool ends;

	if (!job->interrupted || !job->count || job->answer.invocation->global->style.quiet)
		return;
	if (!job->registrar.in_session) {
		report_detail("they were deregistered again");
		return;
	}
	ends = mr_session_is_private(job->registrar.session);
	report_detail("%s, with the ids %" PRIu64 " to %" PRIu64 "%s",
		      ends ? "they stay until the batch ends" : "they stay in the session",
		      job->regions[0].id, job->regions[job->count - 1].id,
		      ends ? "" : ": mrctl stat shows them, mrctl dereg deregisters them");
}

void register_note_hold(const struct register_job *job)
{
	const struct mr_opt_u64 time = job->args->hold_for;
	char seconds[48] = "";

	if (job->answer.invocation->global->style.quiet || (time.known && !time.value))
		return;
	if (time.known)
		snprintf(seconds, sizeof(seconds), "for %g s, or ", (double)time.value / 1e9);
	report_note(job->answer.invocation->command->name,
		    "holding %" PRIu64 " region%s %suntil Ctrl-C%s%s; pid %d", job->count,
		    job->count == 1 ? "" : "s", seconds,
		    mr_signals_include_hangup() ? ", SIGTERM or SIGHUP" : " or SIGTERM",
		    job->registrar.in_session ? ", then left to the session (mrctl dereg)" : "",
		    (int)getpid());
}

void register_hint_unprinted(const struct register_job *job, struct mr_error *err)
{
	const bool one = job->count == 1;

	if (!job->count ||
	    (job->registrar.in_session && mr_session_is_private(job->registrar.session)))
		return;
	if (job->registrar.in_session)
		mr_hint(err,
			"%" PRIu64 " region%s registered all the same and stay%s in the "
			"session: mrctl stat shows %s",
			job->count, one ? " is" : "s are", one ? "s" : "", one ? "it" : "them");
	else
		mr_hint(err, "%" PRIu64 " region%s registered all the same, and deregistered again",
			job->count, one ? " was" : "s were");
}
