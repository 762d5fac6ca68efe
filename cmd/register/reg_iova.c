// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "cmd/cli/help_topics.h"
#include "cmd/cli/option_types.h"
#include "cmd/region/row.h"
#include "cmd/register/register.h"

struct reg_iova_args {
	struct register_args common;
	struct mr_opt_u64 iova;
};

static const struct option_spec options[] = {
	OPTION('i', "iova", number, struct reg_iova_args, iova, "ADDR",
	       "address for the HCA and peers (required)"),
	OPTION_END,
};

static struct register_call call_of_reg_iova(const struct invocation *invocation)
{
	const struct reg_iova_args *args = invocation->args;

	return (struct register_call){ .call = MR_REG_MR_IOVA, .iova = args->iova.value };
}

static int check_reg_iova(const struct invocation *invocation, struct mr_error *err)
{
	const struct reg_iova_args *args = invocation->args;
	const struct register_call call = call_of_reg_iova(invocation);

	if (!args->iova.known)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "--iova is required");
	return register_check(invocation, &call, err);
}

static int run_reg_iova(const struct invocation *invocation, struct mr_error *err)
{
	const struct register_call call = call_of_reg_iova(invocation);

	return register_run(invocation, &call, err);
}

static const struct option_group iova_group = { "Memory", options, 0 };
static const struct option_group *const groups[] = { &iova_group, &memory_group, &region_group,
						     &call_group, &advise_group, &lifetime_group,
						     NULL };
static const struct help_topic *const topics[] = { &topic_memory, &topic_access, &topic_advice,
						   NULL };

const struct command command_reg_iova = {
	.name = "reg-iova",
	.summary = "register memory for a chosen address (ibv_reg_mr_iova)",
	.description = "Registers memory with ibv_reg_mr_iova, so that the HCA and peers address "
		       "it from --iova on, prints its keys and how long it took, and deregisters "
		       "it. With --hold, or in a session, it stays registered.",
	.groups = groups,
	.rules = register_rules,
	.args_size = sizeof(struct reg_iova_args),
	.record = &region_record,
	.columns = REGION_COLUMNS(id, name, lkey, rkey, addr, length, iova, access, elapsed_ns,
				  dereg_elapsed_ns),
	.fills = REGION_COLUMNS(FIELDS_OF_MRS, FIELDS_OF_REGISTERED, FIELDS_OF_ADVICE, addr),
	.topics = topics,
	.examples = (const char *const[]){ "mrctl reg-iova --iova 0x10000 --size 64K",
					   "mrctl reg-iova --iova 0 --count 4 -o name,iova,rkey",
					   NULL },
	.check = check_reg_iova,
	.run = run_reg_iova,
};
