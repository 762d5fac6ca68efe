// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "answer.h"
#include "cuda.h"
#include "hold.h"
#include "place.h"
#include "region_row.h"
#include "register.h"

/* A region of this command. */
struct made {
	struct mr_region region;
	uint64_t id;
	uint64_t index; /* which of --count, from 1 */
};

/* One run of a registering command. */
struct job {
	const struct register_args *args;
	struct mr_region_request pattern; /* without its place in memory */
	enum mr_region_kind kind;
	struct memory_plan plan;
	struct place place;
	struct mr_memory memory;
	struct mr_dmabuf dmabuf;
	struct made *made;
	uint64_t count; /* of those */
	struct answer answer;
};

static struct mr_region_request request_for(const struct job *job, uint64_t index)
{
	uint64_t offset = (index - 1) * job->plan.stride;
	struct mr_region_request request = job->pattern;

	request.addr = job->memory.start + offset;
	request.length = job->plan.size;
	request.iova += offset;
	return request;
}

/* The name of a region: NULL, or --name, with its number where there are several. */
static const char *name_of(const struct job *job, uint64_t index, char *buffer, size_t size)
{
	if (!job->args->name || job->plan.count == 1)
		return job->args->name;
	snprintf(buffer, size, "%s.%" PRIu64, job->args->name, index);
	return buffer;
}

static void fail(struct job *job, struct mr_error *err, uint64_t index, uint64_t id)
{
	answer_fail(&job->answer, err, index, id, job->place.registrar.via);
}

/* A refusal is told with what was asked. */
static void refuse(struct job *job, struct mr_error *err, uint64_t index,
		   const struct mr_region_request *request)
{
	char text[FIELD_TEXT_MAX];

	if (!answer_fail(&job->answer, err, index, 0, job->place.registrar.via))
		return;
	report_detail("asked for %" PRIu64 " bytes at 0x%" PRIx64 " of %s %s, access %s",
		      request->length, request->addr, job->args->dmabuf ? "dma-buf" : "memory",
		      job->plan.request.kind.text, access_text(request->access, text));
	if (job->kind == MR_KIND_MR && request->call != MR_REG_MR)
		report_detail("and the I/O virtual address 0x%" PRIx64, request->iova);
	if (request->call == MR_UMEM_REG_EX)
		report_detail("and the page sizes %s", pages_text(request->page_sizes, text));
	if (job->place.registrar.via == MR_VIA_KERNEL &&
	    !mr_uverbs_knows_driver(job->place.uverbs.driver_id))
		report_detail("without private data of the driver, which mrctl does not know");
}

/* In a session the table keeps the region, and knows what there is to know about it. */
static int register_in_session(struct job *job, const struct mr_region_request *request,
			       struct made *made, struct mr_error *err)
{
	char buffer[2 * MR_NAME_SIZE];
	const char *name = name_of(job, made->index, buffer, sizeof(buffer));
	struct mr_entry entry = { .page_size = job->memory.page_size,
				  .pd = (uint16_t)job->place.pd_place };
	int rc;

	if (name && strlen(name) >= sizeof(entry.name))
		return mr_fail_text(err, MR_ERROR_USAGE, ENAMETOOLONG, "the name '%s' is too long",
				    name);
	snprintf(entry.name, sizeof(entry.name), "%s", name ? name : "");
	snprintf(entry.memory, sizeof(entry.memory), "%s", job->plan.request.kind.text);
	rc = mr_session_register(&job->place.session, &job->place.registrar, request, &entry, err);
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

static int register_one(struct job *job, const struct mr_region_request *request, struct made *made,
			struct mr_error *err)
{
	made->id = job->count + 1;
	if (job->place.in_session)
		return register_in_session(job, request, made, err);
	return mr_region_register(&job->place.registrar, request, &made->region, err);
}

static void fail_interrupted(struct job *job, uint64_t index)
{
	struct mr_error err;

	mr_fail_text(&err, MR_ERROR_HOST, EINTR, "interrupted");
	fail(job, &err, index, 0);
}

static void register_all(struct job *job)
{
	for (uint64_t index = 1; index <= job->plan.count; index++) {
		struct mr_region_request request = request_for(job, index);
		struct made *made = &job->made[job->count];
		struct mr_error err;

		if (job->place.in_session && mr_interrupted()) {
			fail_interrupted(job, index);
			break;
		}
		made->index = index;
		if (!register_one(job, &request, made, &err)) {
			job->count++;
			progress_show(&job->answer.progress, "registered", job->count);
			continue;
		}
		if (err.kind == MR_ERROR_REFUSED)
			refuse(job, &err, index, &request);
		else
			fail(job, &err, index, 0);
		if (!job->args->keep_going)
			break;
	}
	progress_clear(&job->answer.progress);
}

static void deregister_all(struct job *job)
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

static int open_dmabuf(struct job *job, struct mr_error *err)
{
	char *path = job->place.environment.data_direct;
	int rc = mr_dmabuf_open(job->args->dmabuf, &job->dmabuf, err);

	mr_region_data_direct_path(&job->place.registrar, path,
				   sizeof(job->place.environment.data_direct));
	if (rc)
		return rc;
	job->pattern.fd = job->dmabuf.fd;
	job->memory.page_size = job->dmabuf.page_size;
	if (job->dmabuf.cuda && job->answer.invocation->global->verbose)
		report_note(job->answer.invocation->command, "%s", mr_cuda_steps(job->dmabuf.cuda));
	return 0;
}

/* Everything up to the registration.  The gaps of some kinds of memory want it to come last. */
static int prepare(struct job *job, struct mr_error *err)
{
	int rc = place_open(&job->place, job->answer.invocation->global, job->kind, job->args->pd,
			    job->args->via, err);

	job->answer.in_session = place_session(job->answer.invocation->global) != NULL;
	if (job->answer.in_session)
		job->answer.out.usual_columns =
			job->args->dmabuf
				? "id,name,state,lkey,rkey,offset,length,iova,access,pd,elapsed_ns"
			: job->kind == MR_KIND_UMEM
				? "id,name,state,handle,umem_id,addr,length,access,page_sizes,"
				  "elapsed_ns"
				: "id,name,state,lkey,rkey,addr,length,iova,access,pd,elapsed_ns";
	if (rc)
		return rc;
	job->made = calloc(job->plan.count, sizeof(*job->made));
	if (!job->made)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc",
			       "cannot keep track of %" PRIu64 " regions", job->plan.count);
	rc = mr_memory_map(&job->plan.request, &job->memory, err);
	return rc || !job->args->dmabuf ? rc : open_dmabuf(job, err);
}

static void print_region(struct job *job, const struct made *made)
{
	const struct mr_region *region = &made->region;
	bool is_umem = job->kind == MR_KIND_UMEM;
	char name[2 * MR_NAME_SIZE];

	answer_row(&job->answer,
		   &(struct region_row){
			   .id = known(made->id),
			   .index = known(made->index),
			   .name = name_of(job, made->index, name, sizeof(name)),
			   .kind = mr_region_kind_name(job->kind),
			   .state = region->live ? "live" : "deregistered",
			   .handle = { region->handle, region->handle != MR_NO_HANDLE },
			   .lkey = { region->lkey, !is_umem },
			   .rkey = { region->rkey, !is_umem },
			   .umem_id = { region->umem_id, is_umem },
			   .addr = { region->addr, !job->args->dmabuf },
			   .offset = { region->addr, job->args->dmabuf != NULL },
			   .length = known(region->length),
			   .iova = { region->iova, !is_umem },
			   .access = known(job->pattern.access),
			   .access_bits = known(job->pattern.access),
			   .pd = job->place.pd,
			   .memory = job->plan.request.kind.text,
			   .page_size = { job->memory.page_size, job->memory.page_size != 0 },
			   .page_sizes = { job->pattern.page_sizes,
					   job->pattern.call == MR_UMEM_REG_EX },
			   .via = mr_via_name(job->place.registrar.via),
			   .elapsed_ns = known(region->elapsed_ns),
			   .dereg_elapsed_ns = { region->dereg_elapsed_ns, !region->live },
		   });
}

/* On-demand paging needs the process that registered, and memory of a GPU the one that has it. */
static void warn_of_death(const struct job *job, bool hold)
{
	bool cuda = job->dmabuf.cuda != NULL, on_demand = job->pattern.access & MR_ACCESS_ON_DEMAND;

	if (job->place.in_session && (cuda || on_demand) && job->count && !hold)
		report_note(job->answer.invocation->command,
			    "%s region is dead once this process has ended: use --hold",
			    cuda ? "a cuda" : "an on-demand");
}

static int print_document(struct job *job, struct mr_error *err)
{
	answer_begin(&job->answer);
	for (uint64_t i = 0; i < job->count; i++)
		print_region(job, &job->made[i]);
	answer_end_rows(&job->answer);
	return answer_end(&job->answer, job->count, err);
}

static void release(struct job *job)
{
	mr_dmabuf_close(&job->dmabuf);
	mr_memory_unmap(&job->memory);
	place_close(&job->place);
	answer_release(&job->answer);
	free(job->made);
}

static int run(struct job *job, struct mr_error *err)
{
	bool hold = job->args->hold || job->args->hold_for.known, trial;
	int rc = prepare(job, err);

	if (rc && err->kind == MR_ERROR_USAGE)
		return rc;
	/* In a session a region is either not there or in the table: signals wait in between. */
	if (hold || job->place.in_session)
		mr_hold_block();
	if (rc) {
		fail(job, err, 0, 0);
		err->text[0] = '\0'; /* told */
	} else {
		register_all(job);
	}
	/* What the session holds stays. */
	trial = !job->place.in_session;
	if (trial && !hold)
		deregister_all(job);
	warn_of_death(job, hold);
	rc = print_document(job, err);
	if (hold && job->count && !rc)
		mr_hold(job->args->hold_for);
	if (trial && hold)
		deregister_all(job);
	return rc ? rc : answer_status(&job->answer, job->count, "registered");
}

int register_run(const struct invocation *invocation, const struct register_args *args,
		 const struct mr_region_request *pattern, struct mr_error *err)
{
	struct job job = {
		.args = args,
		.pattern = *pattern,
		.kind = mr_region_kind(pattern->call),
		.place = { .session = { .uverbs = { .fd = -1 }, .table = { .fd = -1 } } },
	};
	int rc = memory_plan_init(&job.plan, &args->memory, err);

	job.pattern.access = register_access(args);
	if (rc)
		return rc;
	rc = answer_init(&job.answer, invocation, &args->expect, &job.place.environment,
			 job.plan.count, err);
	if (!rc)
		rc = run(&job, err);
	release(&job);
	return rc;
}
