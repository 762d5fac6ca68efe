// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cli/cli.h"
#include "cmd/region/region.h"
#include "lib/session/session.h"
#include "lib/session/table/table.h"
#include "lib/verbs/verbs.h"

/* One run of rereg. */
struct rereg_job {
	struct session_job *in; /* the session and the answer */
	const struct register_args *args;
	enum mr_via via;
	struct mr_session_rereg change;
	struct registrar registrar;
	struct memory_plan plan;
	struct mr_memory memory;
};

/* Reports a refusal, with only those parts of the request that were to change. */
static void rereg_refuse(struct rereg_job *job, struct mr_error *err)
{
	const struct mr_rereg_request *request = &job->change.request;
	const bool memory = request->changes & MR_CHANGE_TRANSLATION;
	const char *kind = job->plan.mapping.kind.text;
	struct answer *answer = &job->in->answer;

	answer->request = (struct request){
		.memory = memory ? kind : NULL,
		.addr = { request->addr, memory },
		.length = { request->length, memory },
		.iova = { job->via == MR_VIA_LIBRARY ? request->addr : request->iova, memory },
		.access = { request->access, request->changes & MR_CHANGE_ACCESS },
		.pd = request->changes & MR_CHANGE_PD ? job->args->pd : NULL,
	};
	answer->refusal = refusal_of_entry(job->in->session, &job->change.before);
	answer->refusal.registrar = &job->change.registrar;
	answer->refusal.context = job->registrar.device.context;
	answer->refusal.library_pd = job->registrar.device.pd;
	answer->refusal.is_own = mr_session_is_private(job->in->session);
	answer->refusal.memory = kind;
	answer->refusal.mapping = job->memory.map ? NULL : &job->plan.mapping;
	answer->refusal.rereg = request;
	answer->refusal.rereg_failure = &job->change.failure;
	answer->tell = job->change.failure.old != MR_OLD_UNTOUCHED;
	answer_fail(answer, err, 1, job->change.before.id, job->via);
}

static void fill_row(const struct rereg_job *job, struct region_row *row,
		     const struct mr_entry *entry, struct mr_table_pd *pd)
{
	region_row_fill(row, entry, &job->in->session->table, pd);
	row->lkey = known(entry->lkey); /* the kernel has just reported them */
	row->rkey = known(entry->rkey);
	row->length = known(entry->length);
	row->iova = known(entry->iova);
	if (job->change.slot == MR_NO_SLOT && entry == &job->change.before) {
		row->via = NULL;
		row->elapsed_ns.known = false;
	}
}

/* Prints the document up to answer_end(). */
static void rereg_print(struct rereg_job *job, bool changed)
{
	const struct mr_held *held = mr_session_held(job->in->session, job->change.slot);
	struct answer *answer = &job->in->answer;
	const struct output_style *style = answer->out.style;
	struct region_row before, after;
	const struct list list = LIST_OF(region_record, &before, changed);
	struct mr_table_pd pds[2];

	answer->lines = false;
	answer_begin(answer);
	if (changed) {
		fill_row(job, &before, &job->change.before, &pds[0]);
		before.state = "replaced";
		fill_row(job, &after, &job->change.after, &pds[1]);
		after.state = job->change.slot == MR_NO_SLOT ? "unlisted"
			      : held && held->broken         ? "broken"
			      : job->change.after.in_doubt   ? "in-doubt"
			      : job->change.after.refused    ? "suspect"
							     : "live";
		/* With --no-headings, print the values after the change. */
		if (!style->json && !style->columns && !style->no_headings)
			answer_row(answer, &before);
		answer_row(answer, &after);
	}
	answer_end_rows(answer);
	output_json_list(&answer->out, "before", &list);
}

static const struct option_spec iova_options[] = {
	REGISTER_OPTION('i', "iova", number, iova, "ADDR",
			"set the address for the HCA and peers (default: that of the memory)"),
	OPTION_END,
};

static const struct option_spec change_options[] = {
	REGISTER_OPTION('a', "access", access, access, "FLAG,...", "set new access flags"),
	REGISTER_OPTION(0, "pd", name, pd, "NAME",
			"set a new protection domain, made on first use"),
	REGISTER_OPTION(0, "via", via, via, "library|kernel",
			"call libibverbs (default), or the kernel directly"),
	REGISTER_OPTION(0, "flags", changes, changes, "CHANGE,...",
			"pass exactly these flags: translation, pd, access, none, N"),
	OPTION_END,
};

static const struct option_spec answer_options[] = {
	REGISTER_OPTION(0, "expect", expect, expect, "ANSWER,...",
			"exit with 0 only for these: ok, errno names"),
	OPTION_END,
};

/* ibv_rereg_mr() is given a PD even if the PD is not to change. */
static int choose_path(struct rereg_job *job, struct mr_error *err)
{
	struct mr_session *session = job->in->session;
	const bool changes_pd = job->change.request.changes & MR_CHANGE_PD;
	struct mr_table_pd old;
	int rc;

	job->registrar.allowed = (struct via_option){ job->via, true };
	job->registrar.pd = job->args->pd;
	if (!job->args->pd && (job->via == MR_VIA_LIBRARY || changes_pd))
		job->registrar.pd = mr_table_pd(&session->table, job->change.before.pd, &old)
					    ? old.name
					    : MR_DEFAULT_PD;
	rc = registrar_choose_path(&job->registrar, job->args->pd, err);
	job->change.registrar = job->registrar.base;
	job->change.registrar.uverbs = &session->uverbs;
	if (changes_pd)
		job->change.after.pd = (uint16_t)job->registrar.pd_slot;
	return rc;
}

/*
 * Maps the new memory, if requested.  A region that was given an I/O virtual address keeps it, except
 * by ibv_rereg_mr(), which always uses the address of the memory.
 */
static int map_new_memory(struct rereg_job *job, struct mr_error *err)
{
	const struct mr_entry *before = &job->change.before;
	struct mr_rereg_request *request = &job->change.request;
	struct mr_entry *after = &job->change.after;
	int rc;

	request->length = before->length;
	request->iova = before->iova;
	if (!memory_is_given(&job->args->memory))
		return 0;
	rc = memory_plan_init(&job->plan, &job->args->memory, before->length, err);
	if (!rc && mr_session_is_private(job->in->session)) {
		request->backing = mr_backing_new();
		if (!request->backing)
			rc = mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	}
	if (!rc)
		rc = mr_memory_map(&job->plan.mapping, &job->memory, err);
	if (rc)
		return rc;
	request->addr = job->memory.start;
	request->length = job->plan.size;
	if (!(request->changes & MR_CHANGE_TRANSLATION))
		return 0;
	if (job->args->iova.known) {
		request->iova = job->args->iova.value;
		after->call = MR_REG_MR_IOVA;
	} else if (before->call != MR_REG_MR_IOVA || job->via == MR_VIA_LIBRARY) {
		request->iova = request->addr;
		after->call = MR_REG_MR;
	}
	after->page_shift = mr_page_shift(job->memory.page_size);
	snprintf(after->memory, sizeof(after->memory), "%s", job->plan.mapping.kind.text);
	return 0;
}

/* --flags is passed on even if it contradicts the other options: the user wants the stack's answer to it. */
static uint32_t changes_for(const struct register_args *args)
{
	if (args->changes.given)
		return args->changes.bits;
	return (memory_is_given(&args->memory) ? (uint32_t)MR_CHANGE_TRANSLATION : 0) |
	       (args->pd ? (uint32_t)MR_CHANGE_PD : 0) |
	       (args->access.given ? (uint32_t)MR_CHANGE_ACCESS : 0);
}

/* The memory is mapped last: a later mapping might be put into the gap that --memory hole leaves. */
static int prepare_change(struct rereg_job *job, struct mr_error *err)
{
	struct mr_session *session = job->in->session;
	struct mr_operand found;
	int rc = mr_operand_find(session, job->in->answer.invocation->operands[0], &found, err);

	if (rc)
		return rc;
	job->change.slot = found.type == MR_OPERAND_ENTRY ? found.slot : MR_NO_SLOT;
	job->change.before.handle = (uint32_t)found.number;
	/* Claims the region, so that no other process changes or deregisters it meanwhile. */
	rc = mr_session_begin_rereg(session, &job->change, found.entry.id, err);
	if (rc) {
		job->change.before.id = found.entry.id;
		return rc;
	}
	job->change.after = job->change.before;
	/* libibverbs changes only regions that it registered in this process, so it is the usual path for those. */
	if (!job->args->via.given && !job->args->iova.known)
		job->via = mr_session_via(session, job->change.slot);
	job->change.request.changes = changes_for(job->args);
	job->change.request.access = job->args->access.bits;
	rc = choose_path(job, err);
	if (!rc)
		rc = map_new_memory(job, err);
	if (rc)
		mr_session_unclaim(session, job->change.slot);
	return rc;
}

static int change_region(struct session_job *in, struct mr_error *err)
{
	struct rereg_job job = { .in = in,
				 .args = in->answer.invocation->args,
				 .registrar = { .invocation = in->answer.invocation,
						.session = in->session,
						.pd_slot = MR_TABLE_PDS } };
	struct mr_error refusal;
	bool changed;
	int rc;

	job.via = via_allows(job.args->via, MR_VIA_KERNEL) ? MR_VIA_KERNEL : MR_VIA_LIBRARY;
	/* A signal between the call and the change of the entry would leave the region in doubt. */
	mr_signals_block();
	mr_relaxed_expire(in->session);
	rc = prepare_change(&job, &refusal);
	if (!rc) {
		proof_mark(in->answer.invocation, in->answer.environment->device);
		rc = mr_session_rereg(in->session, &job.change, &refusal);
	}
	changed = !rc || job.change.failure.old == MR_OLD_REPLACED;
	registrar_leave_pd(&job.registrar, changed);
	if (changed || job.change.failure.old == MR_OLD_UNKNOWN)
		mr_memory_keep_file(&job.memory);
	if (rc)
		rereg_refuse(&job, &refusal);
	if (changed && job.change.request.changes & MR_CHANGE_TRANSLATION &&
	    !mr_session_is_private(in->session) &&
	    (job.change.after.access & MR_ACCESS_ON_DEMAND || job.memory.cuda))
		report_note(in->answer.invocation->command->name,
			    "%s region is inert once this process has ended",
			    job.memory.cuda ? "a cuda" : "an on-demand");
	rereg_print(&job, changed);
	rc = answer_end(&in->answer, changed, err);
	if (rc && changed)
		mr_hint(err, "the region was changed nonetheless; mrctl stat shows it");
	mr_backing_hand_over(job.change.request.backing, &job.memory, NULL);
	mr_session_release_device(in->session, &job.registrar.device);
	return rc ? rc : answer_status(&in->answer, changed, NULL);
}

static int check_rereg(const struct invocation *invocation, struct mr_error *err)
{
	const struct register_args *args = invocation->args;
	char **operands = invocation->operands;
	struct mr_operand operand;
	struct memory_plan plan;

	if (!operands[0] || operands[1])
		return mr_fail_usage(err, "rereg requires one region");
	if (!strncmp(operands[0], "pd:", 3) || !strncmp(operands[0], "umem:", 5) ||
	    !strncmp(operands[0], "dm:", 3))
		return mr_fail_usage(err, "rereg changes only regions: '%s' is not one",
				     operands[0]);
	if (mr_operand_parse(operands[0], &operand, err))
		return -EINVAL;
	if (args->iova.known && !memory_is_given(&args->memory))
		return mr_fail_usage(err, "--iova requires --memory or --size");
	if (args->iova.known && !via_allows(args->via, MR_VIA_KERNEL))
		return mr_fail_usage(err, "--iova requires --via kernel: ibv_rereg_mr has no "
					  "such argument");
	if (!args->changes.given && !changes_for(args))
		return mr_fail_usage(
			err, "rereg requires a change: --size, --memory, ..., --pd or --access");
	return memory_plan_init(&plan, &args->memory, 0, err);
}

static int run_rereg(const struct invocation *invocation, struct mr_error *err)
{
	const struct register_args *args = invocation->args;

	if (context_session(invocation))
		return session_job_run(invocation, &args->expect, change_region, err);
	mr_fail_text(err, MR_ERROR_ABSENT, ENOTCONN, "rereg works only in a session or batch");
	mr_hint(err, "open a session with mrctl session, or name one with --session");
	return answer_error(invocation, &args->expect, err);
}

static const struct option_group memory = { "New memory", new_memory_options };
static const struct option_group iova = { "New memory", iova_options };
static const struct option_group change = { "Change", change_options };
static const struct option_group answer = { "Life and answer", answer_options };
static const struct option_group *const groups[] = { &memory, &iova, &change, &answer, NULL };

const struct command command_rereg = {
	.name = "rereg",
	.operands = "REGION",
	.summary = "change a region of the session (ibv_rereg_mr)",
	.description = "Changes the memory, the protection domain or the access flags of a "
		       "region, alone or together. Shows the region before and after: its keys "
		       "may change. A "
		       "REGION is an id, a name, lkey:KEY, rkey:KEY or mr:HANDLE.",
	.groups = groups,
	.args_size = sizeof(struct register_args),
	.record = &region_record,
	.members = (const struct field[]){ DOCUMENT_LIST("before", &region_record,
							 "the regions before the change"),
					   FIELD_END },
	.columns = "id,name,state,lkey,rkey,addr,length,iova,access,pd,elapsed_ns",
	.fills = FIELDS_OF_MRS ",addr,offset",
	.topics = TOPIC_MEMORY | TOPIC_ACCESS,
	.examples = (const char *const[]){ "mrctl rereg buf --size 1M --access local-write",
					   "mrctl rereg 1 --pd other --expect ok,EINVAL", NULL },
	.check = check_rereg,
	.run = run_rereg,
};
