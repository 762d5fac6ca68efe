// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "cmd/output/output.h"
#include "cmd/register/advise.h"
#include "cmd/register/answer.h"
#include "cmd/register/prepare.h"
#include "lib/memory/memory.h"
#include "lib/session/session.h"
#include "lib/session/table/table.h"
#include "lib/verbs/device.h"

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
int register_prepare(struct register_job *job, struct mr_error *err)
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

int register_allocate_dmah(struct register_job *job, struct mr_error *err)
{
	return mr_region_has_dmah(job->plan->call)
		       ? mr_dmah_alloc(&job->registrar.base, &job->plan->dmah.hints, &job->dmah,
				       err)
		       : 0;
}

/* In a batch the handle stays as long as a region uses it; in a session, dereg frees it with the last one. */
void register_free_unused_dmah(struct register_job *job)
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

int register_allocate_dm(struct register_job *job, struct mr_error *err)
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

void register_free_unused_dm(struct register_job *job)
{
	free_dm(job);
	if (job->unnamed)
		mr_table_end_unnamed(&job->registrar.session->table);
}
