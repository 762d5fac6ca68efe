// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cmd/region/region.h"
#include "lib/base/base.h"
#include "lib/session/session.h"
#include "lib/session/table/table.h"
#include "lib/verbs/verbs.h"

/* The options of dereg. */
struct dereg_args {
	bool all;
	bool listed;
	bool flush;
	const char *pd;
	struct mr_opt_u64 defer_for;
	struct expect_option expect;
};

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

static int dereg_relaxed(struct session_job *job, uint32_t slot, struct mr_entry *entry,
			 struct mr_error *err)
{
	const struct dereg_args *args = job->answer.invocation->args;
	const bool is_flushed =
		args->flush &&
		(!args->pd || mr_table_find_pd(&job->session->table, args->pd) == entry->pd);
	uint64_t defer = args->defer_for.known ? args->defer_for.value : MR_RELAXED_DEFER_NS;
	uint64_t start = mr_now_ns();
	bool deferred = true;
	struct mr_entry now;
	int rc = mr_dereg_mr_relaxed(job->session, slot, entry->id, defer, &deferred, err);
	uint64_t ns = mr_now_ns() - start;

	if (deferred && (!rc || rc == -EALREADY) && is_flushed) { /* flush_pd() prints it */
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

/*
 * Deregisters a region, or defers it if it is relaxed; prints it unless that fails. With --flush a relaxed
 * region that becomes deferred is not printed: flush_pd() will do that. Return: as
 * mr_session_deregister(), or as mr_dereg_mr_relaxed().
 */
static int dereg_region(struct session_job *job, uint32_t slot, struct mr_entry *entry,
			struct mr_error *err)
{
	uint64_t ns = 0;
	int rc;

	proof_mark(job->answer.invocation, job->answer.environment->device);
	if (entry->call == MR_REG_MR_RELAXED)
		return dereg_relaxed(job, slot, entry, err);
	rc = mr_session_deregister(job->session, slot, entry->id, false, entry,
				   answer_has_rows(&job->answer) ? &ns : NULL, err);
	if (rc >= 0)
		print_region(job, entry, "deregistered", ns);
	return rc;
}

/*
 * Deregisters the region of a slot, one of many.  A failure is reported, except that the region no longer exists, or
 * that another process is using it.
 */
static void dereg_slot(struct session_job *job, uint32_t slot, uint64_t index)
{
	enum mr_via via = mr_session_via(job->session, slot);
	struct mr_entry entry;
	struct mr_error err;

	if (!mr_table_get(&job->session->table, slot, &entry))
		return;
	progress_show(&job->answer.progress, "deregistered", index);
	if (!dereg_region(job, slot, &entry, &err) || err.kind == MR_ERROR_ABSENT ||
	    err.kind == MR_ERROR_RELAXED || (err.kind == MR_ERROR_HOST && err.errnum == EBUSY))
		return;
	job->answer.refusal = refusal_of_entry(job->session, &entry);
	answer_fail(&job->answer, &err, index, entry.id, via);
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

/*
 * Invalidates deferred regions, of all protection domains or of one, and prints each, or why it failed.  If two commands
 * deallocated the PD while both still used it, each would find it busy, so it is let go.
 * @left: set to the regions that a signal has left
 */
static int flush_pd(struct session_job *job, const char *pd_name, uint64_t *left,
		    struct mr_error *err)
{
	struct mr_table_pd pd;
	uint32_t pd_slot = MR_ALL_PDS;
	struct mr_error reported; /* print_flushed() has printed it */
	const int rc = pd_name ? mr_session_pd(job->session, pd_name, NULL, &pd_slot, &pd, err) : 0;

	*left = 0;
	if (!rc)
		mr_flush_relaxed_mr(job->session, pd_slot, print_flushed, job, left, &reported);
	job->answer.total += *left;
	mr_table_unlock_pd(&job->session->table, pd_slot);
	return rc;
}

/*
 * Deferred regions are deregistered for the user, but the kernel still has them, and would answer EBUSY to
 * the PD's deallocation.  So they are invalidated first.
 */
static int dealloc_pd(struct session_job *job, const char *name, struct mr_error *err)
{
	uint64_t left;

	if (!flush_pd(job, name, &left, err) && left)
		return mr_fail_text(err, MR_ERROR_HOST, EINTR,
				    "interrupted: the protection domain '%s' is not deallocated",
				    name);
	return mr_session_dealloc_pd(job->session, name, err);
}

/*
 * Destroys an object that no entry names.  The kernel refuses a handle of another kind of object.  After the device
 * was removed, it answers a query with EIO, but destroys: then only the handle is known, as of a DM.
 */
static int dereg_object(struct session_job *job, enum mr_region_kind kind, uint32_t handle,
			struct mr_error *err)
{
	bool is_mr = kind == MR_KIND_MR;
	struct mr_uverbs_mr mr = { .handle = handle };
	struct region_row row;
	int query_rc = is_mr ? mr_uverbs_query_mr(&job->session->uverbs, handle, &mr, err) : 0;
	int rc = query_rc == -EIO ? 0 : query_rc;

	if (!rc)
		rc = mr_uverbs_destroy(&job->session->uverbs, kind, handle, err);
	if (rc)
		return mr_session_blame_object(job->session, kind, handle, err);
	row = region_row_of_object(query_rc ? MR_KIND_DM : kind, &mr, "deregistered");
	row.kind = mr_region_kind_name(kind);
	row.via = mr_via_name(MR_VIA_KERNEL);
	answer_row(&job->answer, &row);
	job->done++;
	return 0;
}

/* Regions in a PD, or on memory of the device. */
static uint64_t count_users(const struct mr_table *table, const struct mr_operand *operand)
{
	const bool is_pd = operand->type == MR_OPERAND_PD;
	const uint32_t pd = is_pd ? mr_table_find_pd(table, operand->name) : MR_NO_SLOT;
	struct mr_entry entry;
	uint64_t count = 0;

	for (uint32_t slot = 0; slot < table->capacity; slot++)
		if (mr_table_get(table, slot, &entry))
			count += is_pd ? entry.pd == pd
				       : entry.memory_of == MR_MEMORY_OF_RDMA_DEVICE &&
						 entry.dm == (uint32_t)operand->number;
	return count;
}

/* Deregisters the object that @word names, and prints it or the failure. */
static void dereg_operand(struct session_job *job, const char *word, uint64_t index)
{
	struct mr_operand operand;
	struct mr_error err;
	int rc = mr_operand_find(job->session, word, &operand, &err);
	struct mr_refusal *refusal = &job->answer.refusal;
	enum mr_via via = MR_VIA_KERNEL;

	if (rc) {
		if (!strcmp(word, "all"))
			mr_hint(&err, "did you mean 'mrctl dereg --all'?");
		answer_fail(&job->answer, &err, index, operand.entry.id, MR_VIA_KERNEL);
		return;
	}
	if (operand.type == MR_OPERAND_PD) {
		via = mr_session_is_private(job->session) ? MR_VIA_LIBRARY : MR_VIA_KERNEL;
		rc = dealloc_pd(job, operand.name, &err);
	} else if (operand.type == MR_OPERAND_OBJECT) {
		rc = dereg_object(job, operand.kind, (uint32_t)operand.number, &err);
	} else {
		via = mr_session_via(job->session, operand.slot);
		rc = dereg_region(job, operand.slot, &operand.entry, &err);
	}
	if (!rc)
		return;
	*refusal = (struct mr_refusal){ .uverbs = &job->session->uverbs, .pd = operand.name };
	if (operand.type == MR_OPERAND_ENTRY)
		*refusal = refusal_of_entry(job->session, &operand.entry);
	else if (operand.type == MR_OPERAND_OBJECT)
		*refusal = refusal_of_object(job->session, operand.kind, (uint32_t)operand.number);
	if (operand.type == MR_OPERAND_PD ||
	    (operand.type == MR_OPERAND_OBJECT && operand.kind == MR_KIND_DM))
		refusal->users = known(count_users(&job->session->table, &operand));
	answer_fail(&job->answer, &err, index, operand.entry.id, via);
}

static void fail_interrupted(struct session_job *job, uint64_t left, const char *noun)
{
	struct mr_error err;

	mr_fail_text(&err, MR_ERROR_HOST, EINTR, "interrupted: %" PRIu64 " %s%s left", left, noun,
		     left == 1 ? " is" : "s are");
	answer_fail(&job->answer, &err, 0, 0, MR_VIA_KERNEL);
}

/* State of deregistering unlisted objects; the numbers are members of the document. */
struct sweep {
	struct session_job *job;
	struct mr_opt_u64 deregistered;
	struct mr_opt_u64 left;
	bool busy; /* they were left because another command is registering */
};

static const struct field unlisted_fields[] = {
	FIELD(struct sweep, deregistered, FIELD_NUMBER, 0,
	      "unlisted objects that were deregistered"),
	FIELD(struct sweep, left, FIELD_NUMBER, 0, "unlisted objects that were left"),
	FIELD_END,
};
REPORTED static const struct record unlisted_record = { "unlisted", unlisted_fields, NULL };

static void print_deregistered(void *data, enum mr_region_kind kind,
			       const struct mr_uverbs_mr *object, struct mr_error *err)
{
	struct sweep *sweep = data;
	struct answer *answer = &sweep->job->answer;
	struct region_row row;

	if (err) {
		mr_wrap(err, "%s:%" PRIu32, mr_region_kind_name(kind), object->handle);
		answer->refusal = refusal_of_object(sweep->job->session, kind, object->handle);
		answer_fail(answer, err, 0, 0, MR_VIA_KERNEL);
		sweep->left.value++;
		return;
	}
	sweep->deregistered.value++;
	row = region_row_of_object(kind, object, "deregistered");
	row.via = mr_via_name(MR_VIA_KERNEL);
	if (answer_has_rows(answer))
		answer_row(answer, &row);
}

/* Deregisters unlisted objects, and prints a row for each. */
static void dereg_unlisted(struct sweep *sweep)
{
	struct session_job *job = sweep->job;
	struct mr_unlisted_left left = { 0 };
	struct mr_error err;
	int rc;

	if (mr_interrupted()) /* dereg_each() has reported it, or the signal ends mrctl after its answer */
		return;
	rc = mr_session_deregister_unlisted(job->session, print_deregistered, sweep, &left, &err);
	sweep->left.value += left.busy + left.interrupted;
	sweep->left.known = !rc;
	sweep->busy = left.busy;
	/* uverbs_destroy_ufile_hw(): the kernel has destroyed all objects, and still accepts to destroy their handles. */
	if (rc == -EIO && !job->answer.out.style->quiet)
		report_note(job->answer.invocation->command->name,
			    "the kernel answers EIO: %s was removed or its driver was unbound, "
			    "and its regions no longer exist",
			    job->answer.environment->device);
	else if (rc && rc != -EIO)
		answer_fail(&job->answer, &err, 0, 0, MR_VIA_KERNEL);
	if (left.interrupted)
		fail_interrupted(job, left.interrupted, "unlisted region");
}

/* Prints the counts on standard error, unless they are 0. */
static void note_unlisted(const struct sweep *sweep)
{
	const char *command = sweep->job->answer.invocation->command->name;
	uint64_t count = sweep->deregistered.value;

	if (count)
		report_note(command, "%" PRIu64 " unlisted region%s also deregistered", count,
			    count == 1 ? " was" : "s were");
	if (!sweep->busy)
		return;
	count = sweep->left.value;
	report_note(command,
		    "%" PRIu64 " unlisted region%s left: another command is registering, and may "
		    "be about to record %s",
		    count, count == 1 ? " is" : "s are", count == 1 ? "it" : "them");
	report_detail("repeat mrctl dereg --all when that command has ended");
}

static const struct option_spec options[] = {
	OPTION(0, "all", flag, struct dereg_args, all, NULL,
	       "deregister all regions of the session"),
	OPTION(0, "listed", flag, struct dereg_args, listed, NULL,
	       "with --all: keep unlisted regions"),
	OPTION(0, "flush", flag, struct dereg_args, flush, NULL,
	       "also invalidate deferred regions (mr_flush_relaxed_mr)"),
	OPTION(0, "pd", name, struct dereg_args, pd, "NAME",
	       "with --flush: only regions of this protection domain"),
	OPTION(0, "defer-for", seconds, struct dereg_args, defer_for, "SECONDS",
	       "defer relaxed regions for SECONDS (default: 1)"),
	OPTION(0, "expect", expect, struct dereg_args, expect, "ANSWER,...",
	       "exit with 0 only for these: ok, errno names"),
	OPTION_END,
};

/* Deregisters the operands, or with --all the regions of all slots, up to a signal. */
static void dereg_each(struct session_job *job, bool all)
{
	const struct mr_table *table = &job->session->table;
	char **words = job->answer.invocation->operands;
	uint64_t index = 0, left = 0;

	/* Where the table's lock could not be had, the other regions would fail as well. */
	for (uint32_t i = 0; (all ? i < table->capacity : words[i] != NULL) && !table->gave_up;
	     i++) {
		if (all && !mr_table_is_used(table, i))
			continue;
		if (left || context_is_interrupted(job->answer.invocation, !index))
			left++;
		else if (all)
			dereg_slot(job, i, ++index);
		else
			dereg_operand(job, words[i], ++index);
	}
	if (left)
		fail_interrupted(job, left, all ? "region" : "operand");
	progress_clear(&job->answer.progress);
}

/* Warns that the keys of deferred regions still work. */
static void note_deferred(const struct session_job *job)
{
	const struct invocation *invocation = job->answer.invocation;
	const struct global_args *global = invocation->global;
	struct mr_table_pool pool;

	mr_table_pool(&job->session->table, &pool);
	if (pool.marked && !global->style.quiet && !global->style.json &&
	    !global->style.no_headings)
		report_note(invocation->command->name,
			    "%u relaxed region%s deferred, and reachable by %s keys; mrctl dereg "
			    "--flush invalidates %s now",
			    pool.marked, pool.marked == 1 ? " is" : "s are",
			    pool.marked == 1 ? "its" : "their", pool.marked == 1 ? "it" : "them");
}

static int deregister_and_answer(struct session_job *job, struct mr_error *err)
{
	const struct dereg_args *args = job->answer.invocation->args;
	const struct mr_table *table = &job->session->table;
	struct sweep sweep = { .job = job, .deregistered.known = !args->listed };
	struct mr_error failure;
	uint64_t left;
	int rc;

	if (args->all) {
		job->answer.total = mr_table_count(&job->session->table);
		progress_init(&job->answer.progress, job->answer.total,
			      job->answer.out.style->quiet);
	}
	job->answer.lines = false;
	mr_signals_block();
	if (!args->flush) /* flush_pd() invalidates the expired ones, and prints them */
		mr_relaxed_expire(job->session);
	answer_begin(&job->answer);
	dereg_each(job, args->all);
	if (args->flush && !table->gave_up) { /* after a signal too: it reports what is left */
		if (flush_pd(job, args->pd, &left, &failure))
			answer_fail(&job->answer, &failure, 0, 0, MR_VIA_KERNEL);
		mr_relaxed_expire(job->session);
	}
	if (args->all && !args->listed && !table->gave_up)
		dereg_unlisted(&sweep);
	answer_end_rows(&job->answer);
	if (args->all && job->answer.out.style->json)
		output_object(&job->answer.out, "unlisted", &unlisted_record, &sweep);
	rc = answer_end(&job->answer, job->done + sweep.deregistered.value, err);
	if (rc && job->done)
		mr_hint(err, "%" PRIu64 " region%s deregistered nonetheless", job->done,
			job->done == 1 ? " was" : "s were");
	note_deferred(job);
	if (!job->answer.out.style->quiet)
		note_unlisted(&sweep);
	return rc ? rc : answer_status(&job->answer, job->done, "deregistered");
}

static int check_dereg(const struct invocation *invocation, struct mr_error *err)
{
	const struct dereg_args *args = invocation->args;
	bool operands = invocation->operands[0] != NULL;

	if (args->flush && !args->pd && args->defer_for.known)
		return mr_fail_usage(err, "--flush invalidates at once: omit --defer-for");
	if (args->all ? operands : !operands && !args->flush)
		return mr_fail_usage(err, args->all ? "--all deregisters all regions: name none"
						    : "name the regions, or give --all or --flush");
	return context_check_operands(invocation, NULL, err);
}

static int run_dereg(const struct invocation *invocation, struct mr_error *err)
{
	const struct dereg_args *args = invocation->args;

	return session_job_run(invocation, &args->expect, deregister_and_answer, err);
}

static const struct option_rule rules[] = {
	{ "pd", OPTION_NEEDS, "flush" },
	{ "listed", OPTION_NEEDS, "all" },
	OPTION_RULES_END,
};
static const struct option_group group = { "Regions", options };

const struct command command_dereg = {
	.name = "dereg",
	.operands = "[REGION...]",
	.summary = "deregister regions of the session (ibv_dereg_mr)",
	.description =
		"Deregisters regions. A REGION is an id, a name, lkey:KEY, rkey:KEY, "
		"mr:HANDLE, umem:HANDLE, dm:HANDLE, or pd:NAME for an empty protection domain. "
		"A relaxed region is deferred: its keys work for a while. --flush invalidates "
		"deferred regions.",
	.groups = (const struct option_group *const[]){ &group, NULL },
	.rules = rules,
	.args_size = sizeof(struct dereg_args),
	.record = &region_record,
	.members = (const struct field[]){ DOCUMENT_OBJECT("unlisted", &unlisted_record,
							   "with --all: unlisted objects"),
					   FIELD_END },
	.columns = "id,name,state,lkey,length,dereg_elapsed_ns",
	.fills = FIELDS_OF_MRS
	",dereg_elapsed_ns,umem_id,addr,offset,extended_addr,extended_length,page_sizes" FIELDS_OF_DMAH
	",deferred_ns,deferred_answer",
	.examples = (const char *const[]){ "mrctl dereg buf 1", "mrctl dereg --all --flush", NULL },
	.check = check_dereg,
	.run = run_dereg,
};
