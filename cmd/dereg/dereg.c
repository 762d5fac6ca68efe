// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>

#include "cmd/dereg/args.h"
#include "cmd/dereg/operand.h"
#include "cmd/dereg/region.h"
#include "cmd/dereg/unlisted.h"
#include "cmd/region/context.h"
#include "cmd/region/refusal.h"
#include "cmd/region/row.h"
#include "lib/session/changes.h"
#include "lib/session/session.h"
#include "lib/session/table/table.h"

static const struct option_spec options[] = {
	OPTION(0, "all", flag, struct dereg_args, all, NULL, "all regions of the session"),
	OPTION(0, "listed", flag, struct dereg_args, listed, NULL,
	       "with --all: leave what stat shows as unlisted"),
	OPTION(0, "flush", flag, struct dereg_args, flush, NULL,
	       "then invalidate the deferred regions (mr_flush_relaxed_mr)"),
	OPTION(0, "pd", name, struct dereg_args, pd, "NAME",
	       "with --flush: those of this protection domain"),
	OPTION(0, "defer-for", seconds, struct dereg_args, defer_for, "SECONDS",
	       "how long relaxed regions are deferred (default: 1)"),
	OPTION(0, "expect", expect, struct dereg_args, expect, "ANSWER,...",
	       "exit with 0 only for these: ok, errno names"),
	OPTION_END,
};

/* Whether the table could not be locked: the other regions would fail by the same lock. */
static bool is_locked_out(const struct session_job *job)
{
	return mr_table_gave_up(&job->session->table);
}

static void fail_interrupted(struct session_job *job, uint64_t left, const char *noun)
{
	struct mr_error err;

	mr_fail_text(&err, MR_ERROR_HOST, EINTR, "interrupted: %" PRIu64 " %s%s left", left, noun,
		     left == 1 ? " is" : "s are");
	answer_fail(&job->answer, &err, 0, 0, MR_VIA_KERNEL);
}

static uint64_t count_from(const struct mr_table *table, uint32_t slot)
{
	uint64_t count = 0;

	for (; slot < table->capacity; slot++)
		count += mr_table_is_used(table, slot);
	return count;
}

static void dereg_all(struct session_job *job)
{
	const struct mr_table *table = &job->session->table;
	struct dereg_progress progress = { .most = 1 };
	uint32_t slot = 0;

	while (slot < table->capacity && !is_locked_out(job)) {
		if (!mr_table_is_used(table, slot)) {
			slot++;
			continue;
		}
		if (context_is_interrupted(job->answer.invocation, !progress.index)) {
			fail_interrupted(job, count_from(table, slot), "region");
			break;
		}
		slot += dereg_run(job, slot, &progress);
	}
	progress_clear(&job->answer.progress);
}

static void dereg_operands(struct session_job *job, char **words)
{
	uint64_t left = 0;

	for (uint64_t i = 0; words[i] && !is_locked_out(job); i++) {
		if (!left && !context_is_interrupted(job->answer.invocation, !i))
			dereg_operand(job, words[i], i + 1);
		else
			left++;
	}
	if (left)
		fail_interrupted(job, left, "operand");
}

/* Warns that deferred regions, though deregistered, can still be reached by their keys. */
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
	char **words = job->answer.invocation->operands;
	struct unlisted unlisted = { .deregistered.known = !args->listed };
	int rc;

	if (args->all)
		answer_expect_total(&job->answer, mr_table_count(&job->session->table));
	job->answer.lines = false;
	context_block_signals(job->answer.invocation);
	if (!args->flush) /* dereg_flush() invalidates the expired ones, and prints them */
		mr_relaxed_expire(job->session);
	answer_begin(&job->answer);
	if (args->all)
		dereg_all(job);
	else
		dereg_operands(job, words);
	if (args->flush && !is_locked_out(job)) /* after a signal too: it reports what is left */
		dereg_flush(job, args->pd);
	if (args->all && !args->listed && !is_locked_out(job))
		dereg_unlisted(job, &unlisted);
	answer_end_rows(&job->answer);
	if (args->all)
		dereg_unlisted_count(job, &unlisted);
	rc = answer_end(&job->answer, job->done + unlisted.deregistered.value, err);
	if (rc && job->done)
		mr_hint(err, "%" PRIu64 " region%s deregistered all the same", job->done,
			job->done == 1 ? " was" : "s were");
	note_deferred(job);
	dereg_unlisted_note(job, &unlisted);
	return rc ? rc : answer_status(&job->answer, job->done, "deregistered");
}

static int check_dereg(const struct invocation *invocation, struct mr_error *err)
{
	const struct dereg_args *args = invocation->args;
	bool operands = invocation->operands[0] != NULL;

	if (args->flush && !args->pd && args->defer_for.known)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--flush invalidates at once, so it excludes --defer-for");
	if (args->all ? operands : !operands && !args->flush)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    args->all ? "--all excludes naming regions"
					      : "name the regions, or give --all or --flush");
	for (char **word = invocation->operands; *word; word++)
		if (mr_operand_check(*word, err))
			return -EINVAL;
	return 0;
}

static int run_dereg(const struct invocation *invocation, struct mr_error *err)
{
	const struct dereg_args *args = invocation->args;

	return session_job_run(invocation, &args->expect, deregister_and_answer, NULL, err);
}

static const struct option_rule rules[] = {
	{ "pd", OPTION_NEEDS, "flush" },
	{ "listed", OPTION_NEEDS, "all" },
	OPTION_RULES_END,
};
static const struct option_group group = { "Regions", options, 0 };
static const struct option_group *const groups[] = { &group, NULL };

const struct command command_dereg = {
	.name = "dereg",
	.operands = "[REGION...]",
	.summary = "deregister regions of the session (ibv_dereg_mr)",
	.description =
		"Deregisters regions. A REGION is an id, a name, lkey:KEY, rkey:KEY, "
		"mr:HANDLE, umem:HANDLE, dm:HANDLE, or pd:NAME for an empty protection domain. "
		"A relaxed region is only marked, which leaves its keys working for a while; "
		"--flush invalidates the marked ones.",
	.groups = groups,
	.rules = rules,
	.args_size = sizeof(struct dereg_args),
	.record = &region_record,
	.columns = REGION_COLUMNS(id, name, state, lkey, length, dereg_elapsed_ns),
	.fills = REGION_COLUMNS(FIELDS_OF_MRS, dereg_elapsed_ns, umem_id, addr, offset,
				extended_addr, extended_length, page_sizes, FIELDS_OF_DMAH,
				deferred_ns, deferred_answer),
	.examples = (const char *const[]){ "mrctl dereg buf 1", "mrctl dereg --all --flush", NULL },
	.check = check_dereg,
	.run = run_dereg,
};
