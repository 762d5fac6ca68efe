// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "cmd/region/row.h"
#include "cmd/register/answer.h"
#include "lib/base/signals.h"
#include "lib/session/library.h"
#include "lib/verbs/access.h"
#include "lib/verbs/drivers.h"

const char *register_name(const struct register_job *job, uint64_t index, char *buffer, size_t size)
{
	if (!job->args->name || job->plan->memory.count == 1)
		return job->args->name;
	snprintf(buffer, size, "%s.%" PRIu64, job->args->name, index);
	return buffer;
}

static const char *usual_columns(const struct register_job *job)
{
	const bool stays = job->answer.in_session, dmabuf = register_plan_has_offset(job->plan);

	if (job->plan->row->kind == MR_KIND_UMEM && stays)
		return dmabuf ? REGION_COLUMNS(id, name, state, handle, umem_id, offset, length,
					       access, page_sizes, elapsed_ns)
			      : REGION_COLUMNS(id, name, state, handle, umem_id, addr, length,
					       access, page_sizes, elapsed_ns);
	if (job->plan->row->kind == MR_KIND_UMEM && dmabuf)
		return REGION_COLUMNS(id, name, umem_id, offset, length, access, page_sizes,
				      elapsed_ns, dereg_elapsed_ns);
	if (job->plan->call == MR_REG_MR_RELAXED)
		return stays ? REGION_COLUMNS(id, name, state, lkey, rkey, addr, length,
					      extended_addr, extended_length, access, pd,
					      elapsed_ns)
			     : REGION_COLUMNS(id, name, lkey, rkey, addr, length, extended_addr,
					      extended_length, access, elapsed_ns,
					      dereg_elapsed_ns);
	if (!stays && job->plan->row->on == MR_ON_DM)
		return REGION_COLUMNS(id, name, lkey, rkey, offset, length, iova, access,
				      elapsed_ns, dereg_elapsed_ns);
	if (!stays)
		return job->answer.invocation->command->columns;
	return dmabuf ? REGION_COLUMNS(id, name, state, lkey, rkey, offset, length, iova, access,
				       pd, elapsed_ns)
		      : REGION_COLUMNS(id, name, state, lkey, rkey, addr, length, iova, access, pd,
				       elapsed_ns);
}

/* Whether the call is told an I/O virtual address. */
static bool has_iova(enum mr_region_call call)
{
	return mr_call_row(call)->iova == MR_IOVA_GIVEN;
}

static void tell_extended(const struct mr_region_request *request)
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
	const struct advised *advised = job->advised ? &job->advised[new - job->regions] : NULL;

	if (!advised || !advised->known)
		return;
	row->advice = job->args->advise.advice.text;
	row->advice_answer = advised->errnum ? mr_errno_name(advised->errnum) : "ok";
	row->advice_elapsed_ns = known(advised->elapsed_ns);
}

/* Of a region that there is no request of yet the place in memory is not known. */
bool register_fail(struct register_job *job, struct mr_error *err, uint64_t index, uint64_t id,
		   const struct mr_region_request *request)
{
	const struct register_plan *plan = job->plan;
	bool is_null = plan->row->on == MR_ON_NOTHING;
	bool has_offset = register_plan_has_offset(plan), placed = request && !is_null;

	job->answer.request = (struct request){
		.memory = plan->memory.mapping.kind.text,
		.addr = { placed ? request->addr : 0, placed && !has_offset },
		.offset = { placed ? request->addr : 0, placed && has_offset },
		.length = { plan->memory.size, !is_null },
		.iova = { placed ? request->iova : 0, placed && has_iova(plan->call) },
		.access = { plan->access, !is_null },
		.access_bits = { plan->access, !is_null },
		.page_sizes = { plan->page_sizes, mr_region_has_page_sizes(plan->call) },
		.pd = job->registrar.pd,
		.count = known(plan->memory.count),
	};
	return answer_fail(&job->answer, err, index, id, job->registrar.base.via);
}

static void tell_request(const struct register_job *job, const struct mr_region_request *request)
{
	char text[FIELD_TEXT_MAX];

	if (!mr_region_is_null(request->call))
		report_detail("asked for %" PRIu64 " bytes at 0x%" PRIx64 " of %s %s, access %s",
			      request->length, request->addr,
			      job->plan->row->on == MR_ON_DMABUF ? "dma-buf" : "memory",
			      job->plan->memory.mapping.kind.text,
			      access_text(request->access, text));
	if (request->call == MR_REG_MR_RELAXED)
		tell_extended(request);
	else if (has_iova(request->call))
		report_detail("and the I/O virtual address 0x%" PRIx64, request->iova);
	if (mr_region_has_page_sizes(request->call))
		report_detail("and the page sizes %s", pages_text(request->page_sizes, text));
}

void register_refuse(struct register_job *job, struct mr_error *err, uint64_t index,
		     const struct mr_region_request *request)
{
	if (!register_fail(job, err, index, 0, request))
		return;
	if (!job->answer.invocation->global->style.verbose) /* which has told all of it */
		tell_request(job, request);
	if (job->registrar.base.via == MR_VIA_KERNEL &&
	    !mr_driver_is_known(job->registrar.uverbs.driver_id))
		report_detail("without private data of the driver, which mrctl does not know");
}

static struct mr_in_force_region region_asked(const struct register_job *job,
					      const struct new_region *new)
{
	return (struct mr_in_force_region){ .call = job->plan->call,
					    .via = job->registrar.base.via,
					    .access = job->plan->access,
					    .at_zero = new->at_zero };
}

void register_row(struct register_job *job, const struct new_region *new)
{
	const struct mr_region *region = &new->region;
	const struct register_plan *plan = job->plan;
	const enum mr_region_call call = plan->call;
	const enum mr_via via = job->registrar.base.via;
	bool is_umem = plan->row->kind == MR_KIND_UMEM, is_null = plan->row->on == MR_ON_NOTHING;
	bool has_offset = register_plan_has_offset(plan);
	char name[2 * MR_NAME_SIZE], blob[BLOB_TEXT];
	struct region_row row = {
		.id = known(new->id),
		.index = known(new->index),
		.name = register_name(job, new->index, name, sizeof(name)),
		.kind = mr_region_kind_name(job->plan->row->kind),
		.state = region->live ? "live" : "deregistered",
		.handle = { region->handle, region->handle != MR_NO_HANDLE },
		.lkey = { region->lkey, !is_umem },
		.rkey = { region->rkey, !is_umem && !is_null },
		.umem_id = { region->umem_id, is_umem },
		.addr = { region->addr, !has_offset && !is_null },
		.offset = { region->addr, has_offset },
		.length = known(region->length),
		.iova = { region->iova, !is_umem && !is_null },
		.access = { job->plan->access, !is_null },
		.access_bits = { job->plan->access, !is_null },
		.pd = job->registrar.pd,
		.memory = plan->memory.mapping.kind.text,
		.page_size = { job->memory.page_size, job->memory.page_size != 0 },
		.page_sizes = { job->plan->page_sizes, mr_region_has_page_sizes(call) },
		.call = mr_region_call_name(call, via),
		.via = mr_via_name(via),
		.needs_process =
			region_needs_process(job->plan->access, plan->memory.mapping.kind.text),
		.elapsed_ns = known(region->elapsed_ns),
		.dereg_elapsed_ns = { region->dereg_elapsed_ns, !region->live },
	};

	if (call == MR_REG_MR_RELAXED)
		region_row_extend(&row);
	if (!is_null) {
		const struct mr_in_force_region asked = region_asked(job, new);

		region_row_in_force(&row, &job->in_force, &asked, job->answer.invocation->global);
	}
	if (job->blobs) {
		blob_text(&job->blobs[new - job->regions], blob);
		row.export = blob;
	}
	fill_advice(job, new, &row);
	answer_row(&job->answer, &row);
}

void register_warn_of_flags(struct register_job *job)
{
	char text[FIELD_TEXT_MAX];
	uint32_t left = 0;

	if (job->answer.invocation->global->style.quiet)
		return;
	for (uint64_t i = 0; i < job->count; i++) {
		const struct mr_in_force_region asked = region_asked(job, &job->regions[i]);

		left |= asked.access & ~(uint32_t)mr_in_force_bits(&job->in_force, &asked).value;
	}
	for (; left; left &= left - 1) {
		uint32_t flag = left & -left;

		report_note(job->answer.invocation->command->name, "%s has no effect: %s",
			    access_text(flag, text), mr_in_force_reason(&job->in_force, flag));
	}
}

/* On-demand paging needs the process that registered, and memory of a GPU the one that has it. */
void register_warn_of_death(const struct register_job *job, bool hold)
{
	bool cuda = job->dmabuf.cuda != NULL, on_demand = job->plan->access & MR_ACCESS_ON_DEMAND;

	if (!job->registrar.in_session || mr_session_is_private(job->registrar.session))
		return;
	if ((cuda || on_demand) && job->count && !hold)
		report_note(job->answer.invocation->command->name,
			    "%s region is inert once this process has ended: use --hold",
			    cuda ? "a cuda" : "an on-demand");
}

void register_interrupt(struct register_job *job, uint64_t index)
{
	struct mr_error err;

	job->interrupted = true;
	mr_fail_text(&err, MR_ERROR_HOST, EINTR, "interrupted");
	answer_fail(&job->answer, &err, index, 0, job->registrar.base.via);
}

/*
 * Who has interrupted a long registration does not want to read all that was registered until then;
 * but a script that has asked for values gets them.
 */
bool register_prints_rows(const struct register_job *job)
{
	const struct global_args *global = job->answer.invocation->global;

	return answer_has_rows(&job->answer) &&
	       (!job->interrupted || job->answer.lines || global->style.json ||
		global->style.columns || global->style.no_headings);
}

void register_tell_interrupted(const struct register_job *job)
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

void register_tell_hold(const struct register_job *job)
{
	const struct mr_opt_u64 time = job->args->hold_for;
	char seconds[48] = "";

	if (job->answer.invocation->global->style.quiet || (time.known && !time.value))
		return;
	if (time.known)
		snprintf(seconds, sizeof(seconds), "for %g s, or ", (double)time.value / 1e9);
	report_note(job->answer.invocation->command->name,
		    "holding %" PRIu64 " region%s %suntil Ctrl-C%s; pid %d", job->count,
		    job->count == 1 ? "" : "s", seconds,
		    mr_signals_include_hangup() ? ", SIGTERM or SIGHUP" : " or SIGTERM",
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
