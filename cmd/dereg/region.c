// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>

#include "cmd/dereg/args.h"
#include "cmd/dereg/region.h"
#include "cmd/region/proof.h"
#include "cmd/region/refusal.h"
#include "cmd/region/row.h"
#include "lib/base/base.h"
#include "lib/session/changes.h"
#include "lib/session/session.h"
#include "lib/session/table/table.h"

static void print_region(struct session_job *job, const struct mr_entry *entry, const char *state,
			 uint64_t ns)
{
	struct region_row row;
	struct mr_table_pd pd;

	job->done++;
	if (!answer_has_rows(&job->answer))
		return;
	region_row_fill(&row, entry, &job->session->table, &pd);
	row.state = state;
	row.dereg_elapsed_ns = known(ns);
	answer_row(&job->answer, &row);
}

/* Whether dereg_flush() will print the region. */
static bool will_be_flushed(const struct session_job *job, const struct mr_entry *entry)
{
	const struct dereg_args *args = job->answer.invocation->args;

	return args->flush &&
	       (!args->pd || mr_table_find_pd(&job->session->table, args->pd) == entry->pd);
}

static int dereg_relaxed(struct session_job *job, uint32_t slot, struct mr_entry *entry,
			 struct mr_error *err)
{
	const struct dereg_args *args = job->answer.invocation->args;
	uint64_t defer = args->defer_for.known ? args->defer_for.value : MR_RELAXED_DEFER_NS;
	uint64_t start = mr_now_ns();
	bool deferred = true;
	struct mr_entry now;
	int rc = mr_dereg_mr_relaxed(job->session, slot, entry->id, defer, &deferred, err);
	uint64_t ns = mr_now_ns() - start;

	if (deferred && (!rc || rc == -EALREADY) && will_be_flushed(job, entry)) {
		job->answer.total--;
		return 0;
	}
	if (rc)
		return rc;
	/*
	 * The entry now has the time of marking, from which the row's deferred_ns is made.  By now another
	 * region may have taken the slot.
	 */
	if (deferred && mr_table_get(&job->session->table, slot, &now) && now.id == entry->id)
		*entry = now;
	print_region(job, entry, deferred ? "deferred" : "deregistered", ns);
	return 0;
}

int dereg_region(struct session_job *job, uint32_t slot, struct mr_entry *entry,
		 struct mr_error *err)
{
	uint64_t ns = 0;
	int rc;

	proof_mark(job->answer.invocation, job->environment->device);
	if (entry->call == MR_REG_MR_RELAXED)
		return dereg_relaxed(job, slot, entry, err);
	rc = mr_session_deregister(job->session, slot, entry->id, entry,
				   answer_has_rows(&job->answer) ? &ns : NULL, err);
	if (rc >= 0)
		print_region(job, entry, "deregistered", ns);
	return rc;
}

/* ---- runs of regions ---- */

/* The most regions of a run: others find them claimed. */
#define RUN 16

struct run {
	struct mr_removal removals[RUN];
	struct mr_entry entries[RUN];
	struct mr_error errors[RUN];
	uint64_t ns[RUN];
};

/* The kernel tells an MR from another one that has its handle. */
static bool may_be_in_run(const struct mr_entry *entry)
{
	return entry->call != MR_REG_MR_RELAXED && mr_region_kind(entry->call) == MR_KIND_MR;
}

/* Return: how many entries, at most @most; 0: there is none in @slot any more. */
static uint32_t find_run(const struct session_job *job, uint32_t slot, uint32_t most,
			 struct run *run)
{
	const struct mr_table *table = &job->session->table;
	bool timed = answer_has_rows(&job->answer);
	uint32_t count = 0;

	while (count < most && mr_table_get(table, slot + count, &run->entries[count])) {
		if (count && !may_be_in_run(&run->entries[count]))
			break;
		run->removals[count] = (struct mr_removal){
			.slot = slot + count,
			.id = run->entries[count].id,
			.entry = &run->entries[count],
			.ns = timed ? &run->ns[count] : NULL,
			.err = &run->errors[count],
		};
		if (!may_be_in_run(&run->entries[count++]))
			break;
	}
	return count;
}

/* Whether --all may pass over the failure: the region has gone, or another process is changing it. */
static bool may_pass_over(const struct mr_error *err)
{
	return err->kind == MR_ERROR_ABSENT || err->kind == MR_ERROR_RELAXED ||
	       (err->kind == MR_ERROR_HOST && err->errnum == EBUSY);
}

uint32_t dereg_run(struct session_job *job, uint32_t slot, struct dereg_progress *progress)
{
	/* What is proven is proven of the only call since proof_mark(). */
	bool single = job->answer.invocation->global->why == WHY_PROVE;
	struct run run;
	uint32_t count = find_run(job, slot, single ? 1 : progress->most, &run), done = 1;

	if (!count)
		return 1;
	if (may_be_in_run(&run.entries[0])) {
		proof_mark(job->answer.invocation, job->environment->device);
		done = mr_session_deregister_run(job->session, run.removals, count);
		if (done < count)
			progress->most = 1;
		else if (progress->most < RUN)
			progress->most *= 2;
	} else {
		run.removals[0].rc = dereg_region(job, slot, &run.entries[0], &run.errors[0]);
	}
	for (uint32_t i = 0; i < done; i++) {
		const struct mr_removal *removal = &run.removals[i];

		progress_show(&job->answer.progress, "deregistered", ++progress->index);
		if (removal->rc >= 0 && may_be_in_run(removal->entry))
			print_region(job, removal->entry, "deregistered", run.ns[i]);
		if (!removal->rc || may_pass_over(removal->err))
			continue;
		job->answer.refusal = refusal_of_entry(job->session, removal->entry);
		answer_fail(&job->answer, removal->err, progress->index, removal->id,
			    mr_session_via(job->session, removal->slot));
	}
	return done;
}

/* ---- deferred regions ---- */

static void print_flushed(void *data, const struct mr_entry *entry, uint64_t ns,
			  struct mr_error *err)
{
	struct session_job *job = data;

	job->answer.total += entry != NULL;
	if (err && entry)
		mr_wrap(err, "cannot invalidate region %" PRIu64, entry->id);
	if (!err) {
		print_region(job, entry, "deregistered", ns);
		return;
	}
	if (entry)
		job->answer.refusal = refusal_of_entry(job->session, entry);
	answer_fail(&job->answer, err, 0, entry ? entry->id : 0, MR_VIA_KERNEL);
}

bool dereg_flush_pd(struct session_job *job, uint32_t pd_slot)
{
	struct mr_error reported; /* print_flushed() has printed it */
	uint64_t left;

	mr_flush_relaxed_mr(job->session, pd_slot, print_flushed, job, &left, &reported);
	job->answer.total += left;
	return left;
}

void dereg_flush(struct session_job *job, const char *pd_name)
{
	struct mr_table_pd pd;
	struct mr_error err;
	uint32_t pd_slot = MR_ALL_PDS;

	if (pd_name && mr_session_pd(job->session, pd_name, NULL, &pd_slot, &pd, &err))
		answer_fail(&job->answer, &err, 0, 0, MR_VIA_KERNEL);
	else
		dereg_flush_pd(job, pd_slot);
	mr_session_leave_pd(job->session, pd_slot);
	mr_relaxed_expire(job->session);
}
