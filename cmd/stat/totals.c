// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdio.h>

#include "cmd/stat/totals.h"
#include "lib/session/session.h"
#include "lib/session/table/table.h"
#include "lib/verbs/uverbs.h"

static const struct field pd_fields[] = {
	FIELD(struct pd_row, name, FIELD_STRING, 0, "name"),
	FIELD(struct pd_row, handle, FIELD_NUMBER, 0, "the kernel's number for it"),
	FIELD_END,
};
REPORTED static const struct record pd_record = { "pd", pd_fields, NULL };

static const struct field totals_fields[] = {
	FIELD(struct totals, regions, FIELD_NUMBER, 0, "regions in the table"),
	FIELD(struct totals, bytes, FIELD_NUMBER, 0, "bytes in them"),
	FIELD(struct totals, deferred, FIELD_NUMBER, 0, "regions of them that are deferred"),
	FIELD(struct totals, unlisted, FIELD_NUMBER, 0, "regions that no entry names"),
	FIELD(struct totals, uars, FIELD_NUMBER, FIELD_DETAIL,
	      "UARs of commands at work, or left by others"),
	FIELD(struct totals, table_bytes, FIELD_NUMBER, FIELD_DETAIL, "bytes of the table"),
	FIELD(struct totals, blocks_removal, FIELD_BOOL, FIELD_DETAIL,
	      "whether removing the device waits for the session's end"),
	FIELD(struct totals, pds, FIELD_LIST, 0, "protection domains"),
	FIELD_END,
};
REPORTED static const struct record totals_record = { "totals", totals_fields, NULL };

void totals_init(struct totals *totals, struct session_job *job)
{
	const struct mr_table *table = &job->session->table;
	struct mr_error ignored;
	struct mr_table_pd pd;

	mr_session_recover_pds(job->session, &ignored);
	*totals = (struct totals){ .regions.known = true, .bytes.known = true };
	totals->deferred.known = totals->unlisted.known = true;
	totals->table_bytes = known(mr_table_size(table));
	totals->blocks_removal = !mr_session_is_private(job->session) &&
				 mr_driver_blocks_removal(job->session->uverbs.driver_id);
	totals->pds = (struct list){ &pd_record, totals->pd_rows, 0, sizeof(struct pd_row) };
	for (uint32_t slot = 0; slot < MR_TABLE_PDS; slot++) {
		struct pd_row *row = &totals->pd_rows[totals->pds.count];

		if (!mr_table_pd(table, slot, &pd))
			continue;
		totals->pds.count++;
		snprintf(row->text, sizeof(row->text), "%s", pd.name);
		row->name = row->text;
		row->handle = known(pd.handle);
	}
}

/* The UARs of a private session, of a batch, are mrctl's own, and are not counted. */
int totals_count_uars(struct totals *totals, struct session_job *job, struct mr_error *err)
{
	uint32_t count;
	int rc;

	if (mr_session_is_private(job->session))
		return 0;
	rc = mr_session_count_uars(job->session, &count, err);
	totals->uars = (struct mr_opt_u64){ count, !rc };
	return rc;
}

void totals_forget(struct totals *totals)
{
	totals->regions.known = totals->bytes.known = totals->deferred.known = false;
}

/* Notes how many UARs there are, and why they may be more than commands at work. */
static void note_uars(const struct totals *totals, const struct session_job *job)
{
	report_note(job->answer.invocation->command->name,
		    "UARs of libmlx5 in the session: %" PRIu64, totals->uars.value);
	report_detail("each running command has one; a command that was killed, or from which the "
		      "kernel did not take it back, has left its own until the session ends");
}

void totals_print(const struct totals *totals, struct session_job *job)
{
	const struct global_args *global = job->answer.invocation->global;

	if (global->style.json || (!global->style.no_headings && !global->style.columns))
		output_object(&job->answer.out, "totals", &totals_record, totals);
	if (global->style.quiet || global->style.json || global->style.no_headings)
		return;
	if (totals->uars.value)
		note_uars(totals, job);
	if (totals->blocks_removal)
		report_note(job->answer.invocation->command->name,
			    "removing %s or its driver waits until this session ends",
			    job->environment->device);
}
