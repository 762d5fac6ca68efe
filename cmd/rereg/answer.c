// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>

#include "cmd/region/refusal.h"
#include "cmd/region/row.h"
#include "cmd/rereg/answer.h"
#include "lib/session/session.h"
#include "lib/session/table/table.h"

static void report_memory(const struct rereg_job *job)
{
	const struct mr_rereg_request *request = &job->request;
	const char *kind = job->plan.mapping.kind.text;
	uint64_t iova = job->via == MR_VIA_LIBRARY ? request->addr : request->iova;

	report_detail("asked for %" PRIu64 " bytes at 0x%" PRIx64 "%s%s, with the I/O virtual "
		      "address 0x%" PRIx64,
		      request->length, request->addr, kind ? " of memory " : " and no memory",
		      kind ? kind : "", iova);
}

static void report_pd(const struct rereg_job *job)
{
	struct mr_table_pd old;
	bool known = mr_table_pd(&job->in->session->table, job->before.pd, &old);

	report_detail("asked for protection domain %s", job->args->pd ? job->args->pd
							: known       ? "as before"
								      : MR_DEFAULT_PD);
}

/* What was asked for, as the document has it: nothing about what was not to change. */
static struct request request_of(const struct rereg_job *job)
{
	const struct mr_rereg_request *request = &job->request;
	const bool memory = request->changes & MR_CHANGE_TRANSLATION;
	const bool access = request->changes & MR_CHANGE_ACCESS;

	return (struct request){
		.memory = memory ? job->plan.mapping.kind.text : NULL,
		.addr = { request->addr, memory },
		.length = { request->length, memory },
		.iova = { job->via == MR_VIA_LIBRARY ? request->addr : request->iova, memory },
		.access = { request->access, access },
		.access_bits = { request->access, access },
		.pd = request->changes & MR_CHANGE_PD ? job->args->pd : NULL,
	};
}

static void report_request(const void *data)
{
	const struct rereg_job *job = data;
	const struct mr_rereg_request *request = &job->request;
	char access[FIELD_TEXT_MAX];

	if (request->changes & MR_CHANGE_TRANSLATION)
		report_memory(job);
	if (request->changes & MR_CHANGE_PD)
		report_pd(job);
	if (request->changes & MR_CHANGE_ACCESS)
		report_detail("asked for access %s", access_text(request->access, access));
	if (job->args->flags.given)
		report_detail("asked for the flags 0x%" PRIx32, request->changes);
}

void rereg_refuse(struct rereg_job *job, struct mr_error *err)
{
	struct answer *answer = &job->in->answer;

	answer->request = request_of(job);
	answer->refusal = refusal_of_entry(job->in->session, &job->before);
	answer->refusal.registrar = &job->registrar;
	answer->refusal.context = job->device.context;
	answer->refusal.library_pd = job->device.pd;
	answer->refusal.is_own = mr_session_is_private(job->in->session);
	answer->refusal.memory = job->plan.mapping.kind.text;
	answer->refusal.mapping = job->memory.map ? NULL : &job->plan.mapping;
	answer->refusal.rereg = &job->request;
	answer->refusal.rereg_failure = &job->failure;
	answer->tell = job->failure.old == MR_OLD_UNTOUCHED ? NULL : report_request;
	answer->tell_data = job;
	answer_fail(answer, err, 1, job->before.id, job->via);
	failures_set_rereg(&answer->failures, &job->failure);
}

/* A member of the document beside the regions: the region as it was. */
struct changes {
	struct list before;
};

static const struct field changes_fields[] = {
	FIELD(struct changes, before, FIELD_LIST, 0, ""),
	FIELD_END,
};
REPORTED static const struct record changes_record = { "changes", changes_fields, NULL };

static const char *state_of(const struct rereg_job *job)
{
	const struct mr_held *held;

	if (job->slot == MR_NO_SLOT)
		return "unlisted";
	held = mr_session_held(job->in->session, job->slot);
	if (held && held->broken)
		return "broken";
	if (job->after.unsure)
		return "in-doubt";
	return job->after.refused ? "suspect" : "live";
}

static void fill_row(const struct rereg_job *job, struct region_row *row,
		     const struct mr_entry *entry, struct mr_table_pd *pd)
{
	region_row_fill(row, entry, &job->in->session->table, pd);
	row->lkey = known(entry->lkey); /* the kernel has just reported them */
	row->rkey = known(entry->rkey);
	row->length = known(entry->length);
	row->iova = known(entry->iova);
	if (job->slot == MR_NO_SLOT && entry == &job->before) {
		row->via = NULL;
		row->elapsed_ns.known = false;
	}
}

void rereg_print(struct rereg_job *job, bool changed)
{
	const struct global_args *global = job->in->answer.invocation->global;
	struct changes changes = { { &region_record, NULL, 0, sizeof(struct region_row) } };
	struct answer *answer = &job->in->answer;
	struct region_row before, after;
	struct mr_table_pd pds[2];

	answer->lines = false;
	answer_begin(answer);
	if (changed) {
		fill_row(job, &before, &job->before, &pds[0]);
		before.state = "replaced";
		fill_row(job, &after, &job->after, &pds[1]);
		after.state = state_of(job);
		changes.before.rows = &before;
		changes.before.count = 1;
		/* A script that asks for values gets those that hold now. */
		if (!global->style.json && !global->style.columns && !global->style.no_headings)
			answer_row(answer, &before);
		answer_row(answer, &after);
	}
	answer_end_rows(answer);
	output_members(&answer->out, &changes_record, &changes);
}
