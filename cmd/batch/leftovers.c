// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdio.h>

#include "cmd/batch/leftovers.h"
#include "cmd/region/region.h"
#include "lib/session/session.h"
#include "lib/session/table/table.h"

/* How many regions are named one by one; of further ones only the number is printed. */
#define NAMED_MAX 8

/* The ids and names of regions: "1 buf, 2, 3" */
struct names {
	char text[NAMED_MAX * (MR_NAME_SIZE + 24) + 40];
	size_t used;
	uint64_t count;
};

static void add_name(struct names *names, const struct mr_entry *entry)
{
	if (names->count++ < NAMED_MAX)
		names->used += (size_t)snprintf(names->text + names->used,
						sizeof(names->text) - names->used,
						"%s%" PRIu64 "%s%s", names->used ? ", " : "",
						entry->id, entry->name[0] ? " " : "", entry->name);
}

static void deregister_leftover(struct batch_answer *batch, struct mr_session *session,
				uint32_t slot, struct names *names)
{
	struct output *out = &batch->answer.out;
	struct region_row row;
	struct mr_table_pd pd;
	struct mr_entry entry;
	struct mr_error err;
	enum mr_via via = mr_session_via(session, slot);
	uint64_t ns;
	int rc;

	if (!mr_table_get(&session->table, slot, &entry))
		return;
	rc = mr_session_deregister(session, slot, entry.id, &entry, &ns, &err);
	if (rc < 0)
		mr_wrap(&err, "region %" PRIu64 " was left registered", entry.id);
	if (rc)
		batch_answer_fail(batch, &err, entry.id, via);
	if (rc < 0)
		return;
	add_name(names, &entry);
	region_row_fill(&row, &entry, &session->table, &pd);
	row.state = "deregistered";
	row.dereg_elapsed_ns = known(ns);
	if (out->style->json)
		output_row(out, &region_record, &row);
}

void batch_deregister_leftovers(struct batch_answer *batch, struct mr_session *session)
{
	struct output *out = &batch->answer.out;
	struct names names = { .count = 0 };

	output_list_begin(out, "regions", &region_record, true);
	for (uint32_t slot = 0; mr_session_is_private(session) && slot < session->table.capacity;
	     slot++)
		if (mr_table_is_used(&session->table, slot))
			deregister_leftover(batch, session, slot, &names);
	output_list_end(out);
	if (names.count > NAMED_MAX)
		snprintf(names.text + names.used, sizeof(names.text) - names.used,
			 ", and %" PRIu64 " more", names.count - NAMED_MAX);
	if (names.count && !out->style->quiet)
		report_note(batch->answer.invocation->command->name,
			    "left registered, and deregistered now: %s", names.text);
}
