// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdio.h>

#include "batch_rest.h"
#include "region_row.h"
#include "session_library.h"

/* So many are named one by one. */
#define NAMED_MAX 8

/* "1 buf, 2, 3" */
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

static bool fail(const struct batch_rest *rest, uint32_t slot, const struct mr_entry *entry,
		 struct mr_error *err)
{
	mr_wrap(err, "region %" PRIu64 " was left registered", entry->id);
	report_note(rest->command, "%s", err->text);
	if (err->hint[0])
		report_detail("%s", err->hint);
	failures_add(rest->failures, err, 0, entry->id,
		     mr_via_name(mr_session_via(rest->session, slot)));
	return true;
}

static bool deregister(const struct batch_rest *rest, uint32_t slot, struct names *names)
{
	struct mr_session *session = rest->session;
	struct region_row row;
	struct mr_table_pd pd;
	struct mr_entry entry;
	struct mr_error err;
	uint64_t ns;

	if (!mr_table_get(&session->table, slot, &entry))
		return false;
	if (mr_session_deregister(session, slot, entry.id, &ns, &err))
		return fail(rest, slot, &entry, &err);
	add_name(names, &entry);
	region_row_fill(&row, &entry, &session->table, &pd);
	row.state = "deregistered";
	row.dereg_elapsed_ns = known(ns);
	if (rest->out->global->json)
		output_row(rest->out, &region_record, &row);
	return false;
}

bool batch_rest_deregister(const struct batch_rest *rest)
{
	struct names names = { .count = 0 };
	bool failed = false;

	output_list_begin(rest->out, "regions", &region_record, true);
	for (uint32_t slot = 0;
	     mr_session_is_private(rest->session) && slot < rest->session->table.capacity; slot++)
		if (mr_table_is_used(&rest->session->table, slot))
			failed |= deregister(rest, slot, &names);
	output_list_end(rest->out);
	if (names.count > NAMED_MAX)
		snprintf(names.text + names.used, sizeof(names.text) - names.used,
			 ", and %" PRIu64 " more", names.count - NAMED_MAX);
	if (names.count && !rest->out->global->quiet)
		report_note(rest->command, "left registered, and deregistered now: %s", names.text);
	return failed;
}
