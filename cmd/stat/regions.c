// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cmd/stat/stat.h"
#include "lib/session/table/table.h"
#include "lib/verbs/verbs.h"

/* Sums over a session. */
struct totals {
	struct mr_opt_u64 regions;
	struct mr_opt_u64 bytes;
	struct mr_opt_u64 deferred;
	struct mr_opt_u64 unlisted;
	struct mr_opt_u64 uars;
	struct mr_opt_u64 table_bytes;
	bool blocks_removal;
	struct list pds;
	struct mr_table_pd pd_rows[MR_TABLE_PDS]; /* those of pds */
};

static const struct field pd_fields[] = {
	FIELD(struct mr_table_pd, name, FIELD_TEXT, FIELD_KNOWN, "name"),
	FIELD(struct mr_table_pd, handle, FIELD_NUMBER, FIELD_KNOWN,
	      "handle: the kernel's number for the object"),
	FIELD_END,
};
REPORTED static const struct record pd_record = { "pd", pd_fields, NULL };

static const struct field totals_fields[] = {
	FIELD(struct totals, regions, FIELD_NUMBER, 0, "regions in the table"),
	FIELD(struct totals, bytes, FIELD_NUMBER, 0, "bytes of these regions"),
	FIELD(struct totals, deferred, FIELD_NUMBER, 0, "deferred regions"),
	FIELD(struct totals, unlisted, FIELD_NUMBER, 0, "unlisted regions"),
	FIELD(struct totals, uars, FIELD_NUMBER, FIELD_DETAIL,
	      "UARs of running commands, or left by killed ones"),
	FIELD(struct totals, table_bytes, FIELD_NUMBER, FIELD_DETAIL | FIELD_KNOWN,
	      "bytes of the session's table"),
	FIELD(struct totals, blocks_removal, FIELD_BOOL, FIELD_DETAIL,
	      "whether removing the device waits for the session's end"),
	FIELD(struct totals, pds, FIELD_LIST, FIELD_KNOWN, "protection domains",
	      .record = &pd_record),
	FIELD_END,
};
REPORTED static const struct record totals_record = { "totals", totals_fields, NULL };

const struct field stat_region_members[] = {
	DOCUMENT_OBJECT("totals", &totals_record, "contents of the session"),
	FIELD_END,
};

/* Fills in the totals that are known before the regions are queried. */
static void totals_init(struct totals *totals, struct session_job *job)
{
	const struct mr_table *table = &job->session->table;
	struct mr_error ignored;

	mr_session_recover_pds(job->session, &ignored);
	*totals = (struct totals){ .regions.known = true, .bytes.known = true };
	totals->deferred.known = totals->unlisted.known = true;
	totals->table_bytes = known(table->mapped);
	totals->blocks_removal = !mr_session_is_private(job->session) &&
				 mr_driver_find(job->session->uverbs.driver_id)->blocks_removal;
	totals->pds = LIST_OF(pd_record, totals->pd_rows, 0);
	for (uint32_t slot = 0; slot < MR_TABLE_PDS; slot++) {
		struct mr_table_pd *row = &totals->pd_rows[totals->pds.count];

		totals->pds.count += mr_table_pd(table, slot, row);
	}
}

/* Prints the totals, and notes about UARs and about removing the device. */
static void totals_print(const struct totals *totals, struct session_job *job)
{
	const struct global_args *global = job->answer.invocation->global;
	const char *command = job->answer.invocation->command->name;

	if (global->style.json || (!global->style.no_headings && !global->style.columns))
		output_object(&job->answer.out, "totals", &totals_record, totals);
	if (global->style.quiet || global->style.json || global->style.no_headings)
		return;
	if (totals->uars.value) {
		report_note(command, "UARs of libmlx5 in the session: %" PRIu64,
			    totals->uars.value);
		report_detail("each running command has one; a killed command may leave one "
			      "until the session ends");
	}
	if (totals->blocks_removal)
		report_note(command, "removing %s or its driver waits until this session ends",
			    job->answer.environment->device);
}

/* Regions that are queried under one lock of the table. */
#define REGIONS_AT_ONCE 64

/* A run of stat: a job in a session, and what stat itself keeps. */
struct stat_job {
	struct session_job *base;
	struct totals totals;
	struct mr_in_force in_force;
	struct mr_registrant registrant; /**< the process that was looked for last */
	enum mr_tristate lives;          /**< that process */
	uint64_t unseen;                 /**< regions whose process cannot be seen */
	uint64_t revoked;                /**< regions of a Data Direct function that was unbound */
	bool removed; /**< the kernel answers EIO: the device was removed (note_unknown()) */
};

static const char *const state_names[] = {
	[MR_STATE_LIVE] = "live",         [MR_STATE_PENDING] = "pending",
	[MR_STATE_IN_DOUBT] = "in-doubt", [MR_STATE_SUSPECT] = "suspect",
	[MR_STATE_GONE] = "gone",         [MR_STATE_UNKNOWN] = "unknown",
	[MR_STATE_DEFERRED] = "deferred", [MR_STATE_BROKEN] = "broken",
};

/* Replaces the table's facts about a region by the kernel's answer. */
static void prefer_kernel(struct region_row *row, const struct mr_uverbs_mr *kernel)
{
	row->lkey = known(kernel->lkey);
	row->rkey = known(kernel->rkey);
	row->iova = known(kernel->iova);
	if (row->extended_length.known) { /* the kernel knows the extended region alone */
		row->extended_length = known(kernel->length);
		row->iova.value += row->addr.value - row->extended_addr.value;
	} else {
		row->length = known(kernel->length);
	}
}

/* The last process is remembered: neighbouring regions are often of the same one. */
static enum mr_tristate has_its_process(struct stat_job *job, const struct mr_entry *entry)
{
	struct mr_session *session = job->base->session;

	if (mr_session_is_private(session) || !mr_registrant_needed(entry))
		return MR_YES;
	if (!job->registrant.start ||
	    memcmp(&job->registrant, &entry->registrant, sizeof(job->registrant)) != 0)
		job->lives = mr_registrant_lives(session, entry);
	job->registrant = entry->registrant;
	job->unseen += job->lives == MR_UNKNOWN;
	return job->lives;
}

/*
 * The state as it is printed.  A region that takes its pages from a process is inert once that process has
 * ended, and one of Data Direct once it was revoked, though the kernel answers as before.
 */
static const char *name_state(struct stat_job *job, const struct mr_entry *entry,
			      enum mr_session_state state)
{
	enum mr_tristate lives, revoked;

	if (state != MR_STATE_LIVE)
		return state_names[state];
	lives = has_its_process(job, entry);
	revoked = mr_session_is_revoked(job->base->session, entry);
	job->revoked += revoked == MR_YES;
	return lives == MR_NO || revoked == MR_YES   ? "inert"
	       : lives == MR_YES && revoked == MR_NO ? state_names[state]
						     : "unknown";
}

/* @err: why the state is UNKNOWN, where it is */
static void print_region(struct stat_job *job, const struct mr_session_region *region,
			 struct mr_error *err)
{
	const struct mr_entry *entry = &region->entry;
	const uint64_t iova = region->kernel.length ? region->kernel.iova : entry->iova;
	const struct mr_in_force_region asked = { .call = (enum mr_region_call)entry->call,
						  .via = (enum mr_via)entry->via,
						  .access = entry->access,
						  .at_zero = iova ? MR_NO : MR_YES };
	bool is_null = mr_region_is_null(entry->call);
	struct region_row row;
	struct mr_table_pd pd;

	region_row_fill(&row, entry, &job->base->session->table, &pd);
	row.state = name_state(job, entry, region->state);
	if (mr_region_kind(entry->call) == MR_KIND_MR && !is_null &&
	    (region->state == MR_STATE_LIVE || region->state == MR_STATE_DEFERRED ||
	     region->state == MR_STATE_SUSPECT ||
	     (region->state == MR_STATE_IN_DOUBT && row.handle.known)))
		prefer_kernel(&row, &region->kernel);
	/* For device memory QUERY_MR returns an offset as IOVA; use the table's. */
	if (mr_region_is_dm(entry->call))
		row.iova = known(entry->iova);
	if (row.access.known)
		region_row_in_force(&row, &job->in_force, &asked,
				    job->base->answer.invocation->global);
	answer_row(&job->base->answer, &row);
	job->base->done++;
	job->totals.regions.value++;
	if (!is_null) /* a null MR has no memory */
		job->totals.bytes.value +=
			row.extended_length.known ? row.extended_length.value : row.length.value;
	job->totals.deferred.value += region->state == MR_STATE_DEFERRED;
	job->removed |= region->state == MR_STATE_UNKNOWN && err->errnum == EIO;
	if (region->state == MR_STATE_UNKNOWN && err->errnum != EIO) /* EIO: see note_unknown() */
		answer_fail(&job->base->answer, err, 0, entry->id, MR_VIA_KERNEL);
}

static void print_unlisted(void *data, enum mr_region_kind kind, const struct mr_uverbs_mr *mr)
{
	struct stat_job *job = data;
	const struct region_row row = region_row_of_object(kind, mr, "unlisted");

	answer_row(&job->base->answer, &row);
	job->base->done++;
	job->totals.unlisted.value++;
}

/* @listed: set to the MRs among them */
static int print_listed(struct stat_job *job, struct mr_handle_set *listed, struct mr_error *err)
{
	struct mr_session_region regions[REGIONS_AT_ONCE];
	uint32_t slot = 0;
	int count, rc = 0;

	do {
		count = mr_session_query_next(job->base->session, &slot, regions, REGIONS_AT_ONCE,
					      err);
		for (int i = 0; i < count; i++)
			print_region(job, &regions[i], err);
		for (int i = 0; !rc && i < count; i++)
			rc = mr_session_note_listed(listed, &regions[i], err);
	} while (!rc && count > 0);
	return rc ? rc : count;
}

static void print_all(struct stat_job *job)
{
	struct mr_session *session = job->base->session;
	struct mr_handle_set listed = { .words = NULL };
	struct totals *totals = &job->totals;
	struct mr_error err;
	uint32_t uars = 0;
	int rc = print_listed(job, &listed, &err);

	if (rc) /* not all regions could be read */
		totals->regions.known = totals->bytes.known = totals->deferred.known = false;
	else
		rc = mr_session_each_unlisted(session, &listed, print_unlisted, job, &err);
	mr_handle_set_release(&listed);
	if (rc) {
		totals->unlisted.known = false;
	} else if (!mr_session_is_private(session)) {
		/* The UARs of a private session, of a batch, are mrctl's own, and are not counted. */
		rc = mr_session_count_uars(session, &uars, &err);
		totals->uars = (struct mr_opt_u64){ uars, !rc };
	}
	if (rc && rc != -EIO) /* EIO: the device was removed, and the states show this */
		answer_fail(&job->base->answer, &err, 0, 0, MR_VIA_KERNEL);
}

static void print_operand(struct stat_job *job, const char *word, uint64_t index)
{
	struct mr_session_region region = { 0 }; /* an analyser does not see that it is set */
	struct mr_operand operand;
	struct mr_uverbs_mr mr;
	struct mr_error err;
	int rc = mr_operand_find(job->base->session, word, &operand, &err);

	if (!rc && operand.type == MR_OPERAND_OBJECT) {
		rc = mr_session_find_object(job->base->session, operand.kind,
					    (uint32_t)operand.number, &mr, &err);
		if (!rc)
			print_unlisted(job, operand.kind, &mr);
	} else if (!rc) {
		rc = mr_session_query(job->base->session, operand.slot, &region, &err);
	}
	if (rc > 0)
		print_region(job, &region, &err);
	else if (rc)
		answer_fail(&job->base->answer, &err, index, 0, MR_VIA_KERNEL);
}

/* Once the kernel has disassociated the session from its device, it answers EIO to all calls but destroying. */
static void note_unknown(const struct stat_job *job)
{
	const char *command = job->base->answer.invocation->command->name;

	if (job->base->answer.invocation->global->style.quiet)
		return;
	if (job->removed)
		report_note(
			command,
			"the states are unknown, and no region works: the kernel answers EIO, so "
			"%s was removed or its driver unbound",
			job->base->answer.environment->device);
	if (job->revoked)
		report_note(command,
			    "%" PRIu64
			    " region%s inert: the driver of the Data Direct function was unbound, "
			    "and the kernel has revoked the keys; deregister, and register again",
			    job->revoked, job->revoked == 1 ? " is" : "s are");
	if (job->unseen)
		report_note(
			command,
			"the state of %" PRIu64
			" region%s is unknown: the process that registered %s is not visible here",
			job->unseen, job->unseen == 1 ? "" : "s", job->unseen == 1 ? "it" : "them");
}

/* Whether there are umems, for which the table needs the columns kind and umem_id. */
static bool has_umems(const struct mr_table *table)
{
	struct mr_entry entry;

	for (uint32_t slot = 0; slot < table->capacity; slot++)
		if (mr_table_get(table, slot, &entry) && mr_region_kind(entry.call) == MR_KIND_UMEM)
			return true;
	return false;
}

static int compare_and_answer(struct session_job *base, struct mr_error *err)
{
	char **words = base->answer.invocation->operands;
	const struct global_args *global = base->answer.invocation->global;
	struct stat_job job = { .base = base, .in_force = { .uverbs = &base->session->uverbs } };
	int rc;

	totals_init(&job.totals, base);
	if (!base->answer.lines && !global->style.json && has_umems(&base->session->table))
		base->answer.out.usual_columns =
			"id,name,kind,state,handle,lkey,rkey,umem_id,addr,length,iova,access,pd";
	answer_begin(&base->answer);
	for (uint64_t i = 0; words[i]; i++) {
		print_operand(&job, words[i], i + 1);
		if (base->session->table.gave_up)
			break;
	}
	if (!words[0])
		print_all(&job);
	answer_end_rows(&base->answer);
	if (!words[0])
		totals_print(&job.totals, base);
	rc = answer_end(&base->answer, base->done, err);
	note_unknown(&job);
	return rc ? rc : answer_status(&base->answer, base->done, NULL);
}

int stat_regions(const struct invocation *invocation, struct mr_error *err)
{
	return session_job_run(invocation, NULL, compare_and_answer, err);
}
