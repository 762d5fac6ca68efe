// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "cmd/cli/help_topics.h"
#include "cmd/cli/option_types.h"
#include "cmd/output/messages.h"
#include "cmd/region/row.h"
#include "cmd/register/register.h"
#include "cmd/register/registrar.h"
#include "lib/verbs/access.h"

struct reg_args {
	struct register_args common;
	bool relaxed;
};

static const struct option_spec options[] = {
	OPTION(0, "relaxed", OPTION_FLAG, struct reg_args, relaxed, NULL,
	       "deferred deregistration, as on Solaris"),
	OPTION_END,
};

/* What is not in the process is not mapped, and cannot be placed. */
static int check_nowhere(const struct memory_args *memory, struct mr_error *err)
{
	if (memory->addr.known || memory->populate || memory->numa.known)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--%s: nothing is mapped of --memory %s",
				    memory->addr.known ? "addr"
				    : memory->populate ? "populate"
						       : "numa",
				    memory->memory.text);
	return 0;
}

/* ibv_alloc_null_mr() has no arguments but the protection domain. */
static int check_null_mr(const struct register_args *args, struct mr_error *err)
{
	const struct memory_args *memory = &args->memory;

	if (args->access.given || memory->size.known || memory->offset.known ||
	    memory->stride.known)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--%s: a null MR has neither memory nor access flags",
				    args->access.given     ? "access"
				    : memory->size.known   ? "size"
				    : memory->offset.known ? "offset"
							   : "stride");
	return 0;
}

static int run_dm(const struct invocation *invocation, struct mr_error *err)
{
	const struct mr_region_request pattern = { .call = MR_REG_DM_MR };
	struct register_args args = ((const struct reg_args *)invocation->args)->common;
	const struct mr_memory_kind kind = args.memory.memory;
	struct mr_dm_request request = { .length = kind.dm_size.value };
	int rc = 0;

	args.memory.memory = (struct mr_memory_kind){ .type = MR_MEMORY_NONE, .text = kind.text };
	if (!kind.dm_size.known)
		rc = memory_plan_end(&args.memory, &request.length, err);
	if (rc)
		return rc;
	/* Without this flag the library refuses each such region: "user must set" it. */
	if (!args.access.given)
		args.access = (struct access_option){ MR_ACCESS_LOCAL_WRITE | MR_ACCESS_ZERO_BASED,
						      true };
	args.dm = &request;
	return register_run(invocation, &args, &pattern, err);
}

static int run_null_mr(const struct invocation *invocation, struct mr_error *err)
{
	const struct mr_region_request pattern = { .call = MR_ALLOC_NULL_MR };
	struct register_args args = ((const struct reg_args *)invocation->args)->common;

	args.memory.memory =
		(struct mr_memory_kind){ .type = MR_MEMORY_NONE, .text = args.memory.memory.text };
	args.access = (struct access_option){ 0, true };
	return register_run(invocation, &args, &pattern, err);
}

static enum mr_region_call call_of(const struct reg_args *args)
{
	return args->relaxed ? MR_REG_MR_RELAXED : MR_REG_MR;
}

static int run_memory(const struct invocation *invocation, struct mr_error *err)
{
	const struct reg_args *args = invocation->args;
	const struct global_args *global = invocation->global;
	const struct mr_region_request pattern = { .call = call_of(args) };
	int rc = register_run(invocation, &args->common, &pattern, err);

	if (args->relaxed && !rc && !context_session(invocation) && !global->style.quiet &&
	    !global->style.json && !global->style.columns && !global->style.no_headings)
		report_note(invocation->command->name, "outside a session the end of the command "
						       "invalidates a relaxed region");
	return rc;
}

/* Memory that is not the process's: the rest is as for none. */
static int check_elsewhere(const struct invocation *invocation, enum mr_region_call call,
			   struct mr_error *err)
{
	struct reg_args args = *(const struct reg_args *)invocation->args;
	struct mr_memory_kind *kind = &args.common.memory.memory;
	struct invocation elsewhere = *invocation;
	int rc = 0;

	if (args.relaxed)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--relaxed: --memory %s has no pages to extend it to",
				    kind->text);
	if (mr_region_is_null(call))
		rc = check_null_mr(&args.common, err);
	if (!rc)
		rc = check_nowhere(&args.common.memory, err);
	if (rc)
		return rc;
	kind->type = MR_MEMORY_NONE;
	elsewhere.args = &args;
	return register_check(&elsewhere, call, err);
}

static int check(const struct invocation *invocation, struct mr_error *err)
{
	const struct reg_args *args = invocation->args;

	switch (args->common.memory.memory.type) {
	case MR_MEMORY_DM:
		return check_elsewhere(invocation, MR_REG_DM_MR, err);
	case MR_MEMORY_NULL_MR:
		return check_elsewhere(invocation, MR_ALLOC_NULL_MR, err);
	default:
		return register_check(invocation, call_of(args), err);
	}
}

static int run(const struct invocation *invocation, struct mr_error *err)
{
	const struct reg_args *args = invocation->args;

	switch (args->common.memory.memory.type) {
	case MR_MEMORY_DM:
		return run_dm(invocation, err);
	case MR_MEMORY_NULL_MR:
		return run_null_mr(invocation, err);
	default:
		return run_memory(invocation, err);
	}
}

static const struct option_group group = { "Region", options, 0 };
static const struct option_group *const groups[] = { &memory_group, &region_group, &group,
						     &call_group,   &advise_group, &trial_group,
						     NULL };
static const struct option_rule rules[] = { REGISTER_RULES, ADVISE_RULES, OPTION_RULES_END };
static const struct help_topic *const topics[] = { &topic_memory, &topic_access, &topic_advice,
						   NULL };

const struct command command_reg = {
	.name = "reg",
	.summary = "register a memory region (ibv_reg_mr)",
	.description = "Registers memory with ibv_reg_mr, prints its keys and how long it took, "
		       "and deregisters it. With --hold, or in a session, it stays registered.",
	.groups = groups,
	.rules = rules,
	.args_size = sizeof(struct reg_args),
	.record = &region_record,
	.columns = "id,name,lkey,rkey,addr,length,iova,access,elapsed_ns,dereg_elapsed_ns",
	.fills =
		MR_COLUMNS MADE_COLUMNS ADVICE_COLUMNS ",addr,offset,extended_addr,extended_length",
	.topics = topics,
	.examples = (const char *const[]){ "mrctl reg --size 1M --access local-write,remote-read",
					   "mrctl -n -o rkey reg --memory memfd --size 64K", NULL },
	.check = check,
	.run = run,
};
