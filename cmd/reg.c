// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "place.h"
#include "region_row.h"
#include "register.h"
#include "report.h"

struct reg_args {
	struct register_args common;
	bool relaxed;
};

static const struct option_spec options[] = {
	OPTION(0, "relaxed", OPTION_FLAG, struct reg_args, relaxed, NULL,
	       "extend it to whole pages, and let dereg only mark it (mr_reg_mr_relaxed)"),
	OPTION_END,
};

static int run(const struct invocation *invocation, struct mr_error *err)
{
	const struct reg_args *args = invocation->args;
	const struct global_args *global = invocation->global;
	const struct mr_region_request pattern = { .call = args->relaxed ? MR_REG_MR_RELAXED
									 : MR_REG_MR };

	int rc = register_run(invocation, &args->common, &pattern, err);

	if (args->relaxed && !rc && !place_session(global) && !global->quiet && !global->json &&
	    !global->columns && !global->no_headings)
		report_note(invocation->command, "outside a session the end of the command "
						 "invalidates a relaxed region");
	return rc;
}

static const struct option_group group = { "Mode", options, 0 };
static const struct option_group *const groups[] = { &memory_group, &region_group, &group,
						     &advise_group, &trial_group,  NULL };
static const struct help_topic *const topics[] = { &topic_memory, &topic_access, &topic_advice,
						   NULL };

const struct command command_reg = {
	.name = "reg",
	.summary = "register a memory region (ibv_reg_mr)",
	.description = "Registers memory with ibv_reg_mr, prints its keys and how long it took, "
		       "and deregisters it. With --hold, or in a session, it stays registered. "
		       "With --relaxed dereg only marks it, and it is invalidated later.",
	.groups = groups,
	.args_size = sizeof(struct reg_args),
	.record = &region_record,
	.columns = "id,name,lkey,rkey,addr,length,iova,access,elapsed_ns,dereg_elapsed_ns",
	.topics = topics,
	.run = run,
};
