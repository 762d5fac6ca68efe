// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "cmd/cli/help_topics.h"
#include "cmd/cli/option_types.h"
#include "cmd/region/row.h"
#include "cmd/register/register.h"

struct reg_dmabuf_args {
	struct register_args common;
	struct dmabuf_args from;
	struct mr_opt_u64 iova;
	bool data_direct;
};

static const struct option_spec options[] = {
	OPTION('f', "from", dmabuf, struct reg_dmabuf_args, from.source, "SOURCE",
	       "where the dma-buf comes from (required)"),
	OPTION(0, "buffer", size, struct reg_dmabuf_args, from.buffer, "SIZE", DMABUF_BUFFER_HELP),
	OPTION('s', "size", size, struct reg_dmabuf_args, common.memory.size, "SIZE",
	       "bytes (default: one page; of fd:N its rest)"),
	OPTION(0, "offset", size, struct reg_dmabuf_args, common.memory.offset, "SIZE",
	       "start this far into the dma-buf (default: 0)"),
	OPTION('i', "iova", number, struct reg_dmabuf_args, iova, "ADDR",
	       "address for the HCA and peers (default: offset)"),
	OPTION('c', "count", number, struct reg_dmabuf_args, common.memory.count, "N",
	       "register N regions on one dma-buf (default: 1)"),
	OPTION(0, "stride", size, struct reg_dmabuf_args, common.memory.stride, "SIZE",
	       "bytes from one to the next (default: the size, in whole pages)"),
	OPTION(0, "data-direct", flag, struct reg_dmabuf_args, data_direct, NULL,
	       "by mlx5dv_reg_dmabuf_mr, for Data Direct"),
	OPTION_END,
};

static struct register_call call_of_reg_dmabuf(const struct invocation *invocation)
{
	const struct reg_dmabuf_args *args = invocation->args;

	return (struct register_call){
		.call = args->data_direct ? MR_DV_REG_DMABUF_MR : MR_REG_DMABUF_MR,
		.iova = args->iova.known ? args->iova.value : args->common.memory.offset.value,
		.dmabuf = &args->from,
		.dmabuf_option = "from",
	};
}

static int check_reg_dmabuf(const struct invocation *invocation, struct mr_error *err)
{
	const struct reg_dmabuf_args *args = invocation->args;
	const struct register_call call = call_of_reg_dmabuf(invocation);

	if (!args->from.source.text)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "--from is required");
	return register_check(invocation, &call, err);
}

static int run_reg_dmabuf(const struct invocation *invocation, struct mr_error *err)
{
	const struct register_call call = call_of_reg_dmabuf(invocation);

	return register_run(invocation, &call, err);
}

static const struct option_group group = { "Dma-buf", options, 0 };
static const struct option_group *const groups[] = { &group,        &region_group,   &call_group,
						     &advise_group, &lifetime_group, NULL };
static const struct help_topic *const topics[] = { &topic_dmabuf, &topic_access, &topic_advice,
						   NULL };

const struct command command_reg_dmabuf = {
	.name = "reg-dmabuf",
	.summary = "register a region of a dma-buf (ibv_reg_dmabuf_mr)",
	.description = "Registers memory of a dma-buf with ibv_reg_dmabuf_mr, prints its keys and "
		       "how long it took, and deregisters it. With --hold, or in a session, it "
		       "stays registered.",
	.groups = groups,
	.rules = register_rules,
	.args_size = sizeof(struct reg_dmabuf_args),
	.record = &region_record,
	.columns = REGION_COLUMNS(id, name, lkey, rkey, offset, length, iova, access, elapsed_ns,
				  dereg_elapsed_ns),
	.fills = REGION_COLUMNS(FIELDS_OF_MRS, FIELDS_OF_REGISTERED, FIELDS_OF_ADVICE, offset),
	.topics = topics,
	.examples =
		(const char *const[]){ "mrctl reg-dmabuf --from udmabuf --size 1M",
				       "mrctl reg-dmabuf --from fd:3 3<>/dev/my-dma-buf", NULL },
	.check = check_reg_dmabuf,
	.run = run_reg_dmabuf,
};
