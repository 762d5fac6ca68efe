// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "region_row.h"
#include "register.h"

static int run(const struct invocation *invocation, struct mr_error *err)
{
	const struct mr_region_request pattern = { .call = MR_REG_MR };

	return register_run(invocation, invocation->args, &pattern, err);
}

static const struct option_group *const groups[] = { &memory_group, &region_group, &trial_group,
						     NULL };
static const struct help_topic *const topics[] = { &topic_memory, &topic_access, NULL };

const struct command command_reg = {
	.name = "reg",
	.summary = "register a memory region (ibv_reg_mr)",
	.description = "Registers memory with ibv_reg_mr, prints its keys and how long it took, "
		       "and deregisters it. With --hold, or in a session, it stays registered.",
	.groups = groups,
	.args_size = sizeof(struct register_args),
	.record = &region_record,
	.columns = "id,name,lkey,rkey,addr,length,iova,access,elapsed_ns,dereg_elapsed_ns",
	.topics = topics,
	.run = run,
};
