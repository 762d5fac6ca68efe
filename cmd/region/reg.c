// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "cmd/cli/cli.h"
#include "cmd/output/output.h"
#include "cmd/region/region.h"

static const struct option_spec reg_options[] = {
	REGISTER_OPTION(0, "relaxed", flag, relaxed, NULL,
			"register whole pages, deregister later (Solaris)"),
	REGISTER_OPTION(0, "dmah", dmah, dmah, "HINTS", "use a DMA handle: cpu=N,mem=KIND,ph=N"),
	OPTION_END,
};

extern const struct command command_reg_iova, command_reg_dmabuf;

/* The call of reg, reg-iova or reg-dmabuf with these options. */
static enum mr_region_call call_of(const struct invocation *invocation)
{
	const struct register_args *args = invocation->args;

	if (invocation->command == &command_reg_iova)
		return MR_REG_MR_IOVA;
	if (invocation->command == &command_reg_dmabuf)
		return args->data_direct ? MR_DV_REG_DMABUF_MR : MR_REG_DMABUF_MR;
	if (args->dmah.text)
		return MR_REG_MR_DMAH;
	switch (args->memory.memory.type) {
	case MR_MEMORY_DM:
		return MR_REG_DM_MR;
	case MR_MEMORY_NULL_MR:
		return MR_ALLOC_NULL_MR;
	default:
		return args->relaxed ? MR_REG_MR_RELAXED : MR_REG_MR;
	}
}

static int check_reg(const struct invocation *invocation, struct mr_error *err)
{
	const struct register_args *args = invocation->args;
	const struct memory_args *memory = &args->memory;
	const enum mr_region_call call = call_of(invocation);
	const bool is_null_mr = mr_region_is_null(call);
	const char *option;

	if (args->dmah.text &&
	    (memory->memory.type == MR_MEMORY_DM || memory->memory.type == MR_MEMORY_NULL_MR))
		return mr_fail_usage(err, "--memory %s does not support --dmah",
				     memory->memory.text);
	if (!is_null_mr && !mr_region_is_dm(call))
		return register_check(invocation, call, err);
	if (args->relaxed)
		return mr_fail_usage(err,
				     "--memory %s does not support --relaxed: it has no "
				     "pages to extend the region to",
				     memory->memory.text);
	/* ibv_alloc_null_mr() has no arguments but the protection domain. */
	option = args->access.given     ? "access"
		 : memory->size.known   ? "size"
		 : memory->offset.known ? "offset"
		 : memory->stride.known ? "stride"
					: NULL;
	if (is_null_mr && option)
		return mr_fail_usage(err,
				     "--memory null-mr does not support --%s: a null MR has "
				     "neither memory nor access flags",
				     option);
	option = memory->addr.known   ? "addr"
		 : memory->populate   ? "populate"
		 : memory->numa.known ? "numa"
				      : NULL;
	if (option)
		return mr_fail_usage(err,
				     "--%s is not available with --memory %s: nothing is mapped",
				     option, memory->memory.text);
	return register_check(invocation, call, err);
}

static int run_reg(const struct invocation *invocation, struct mr_error *err)
{
	const struct register_args *args = invocation->args;
	const struct output_style *style = &invocation->global->style;
	int rc = register_run(invocation, call_of(invocation), err);

	/* Scripts use --no-headings, and read no notes. */
	if (!rc && args->relaxed && !context_session(invocation) && !style->quiet && !style->json &&
	    !style->columns && !style->no_headings)
		report_note(invocation->command->name,
			    "outside a session, a relaxed region ends with the command");
	return rc;
}

static const struct option_group reg_group = { "Region", reg_options };
static const struct option_group *const reg_groups[] = {
	&memory_group, &region_group, &reg_group, &call_group, &advise_group, &lifetime_group, NULL
};

const struct command command_reg = {
	.name = "reg",
	.summary = "register a memory region (ibv_reg_mr)",
	.description = "Registers memory with ibv_reg_mr, prints the keys and the time of the "
		       "call, and deregisters the memory. With --hold, or in a session, the "
		       "memory stays registered.",
	.groups = reg_groups,
	.rules = register_rules,
	.args_size = sizeof(struct register_args),
	.record = &region_record,
	.members = verified_members,
	.fills = FIELDS_OF_MRS FIELDS_OF_REGISTERED FIELDS_OF_ADVICE
	",addr,offset,extended_addr,extended_length" FIELDS_OF_DMAH,
	.topics = TOPIC_MEMORY | TOPIC_ACCESS | TOPIC_ADVICE,
	.examples = (const char *const[]){ "mrctl reg --size 1M --access local-write,remote-read",
					   "mrctl -n -o rkey reg --memory memfd --size 64K", NULL },
	.check = check_reg,
	.run = run_reg,
};

static const struct option_spec reg_iova_options[] = {
	REGISTER_OPTION('i', "iova", number, iova, "ADDR",
			"set the address for the HCA and peers (required)"),
	OPTION_END,
};

static const struct option_group iova_group = { "Memory", reg_iova_options };
static const struct option_group *const reg_iova_groups[] = {
	&iova_group, &memory_group, &region_group, &call_group, &advise_group, &lifetime_group, NULL
};

const struct command command_reg_iova = {
	.name = "reg-iova",
	.summary = "register memory for a chosen address (ibv_reg_mr_iova)",
	.description = "Registers memory with ibv_reg_mr_iova, prints the keys and the time of "
		       "the call, and deregisters the memory. The HCA and peers address the "
		       "memory from --iova on. With --hold, or in a session, it stays registered.",
	.groups = reg_iova_groups,
	.rules = register_rules,
	.args_size = sizeof(struct register_args),
	.record = &region_record,
	.members = verified_members,
	.fills = FIELDS_OF_MRS FIELDS_OF_REGISTERED FIELDS_OF_ADVICE ",addr",
	.topics = TOPIC_MEMORY | TOPIC_ACCESS | TOPIC_ADVICE,
	.examples = (const char *const[]){ "mrctl reg-iova --iova 0x10000 --size 64K",
					   "mrctl reg-iova --iova 0 --count 4 -o name,iova,rkey",
					   NULL },
	.check = check_reg,
	.run = run_reg,
};

static const struct option_spec reg_dmabuf_options[] = {
	REGISTER_OPTION('f', "from", dmabuf, dmabuf, "SOURCE",
			"take the dma-buf from SOURCE (required)"),
	REGISTER_OPTION(0, "buffer", size, buffer, "SIZE", DMABUF_BUFFER_HELP),
	REGISTER_OPTION('s', "size", size, memory.size, "SIZE",
			"register SIZE bytes (default: one page; for fd:N the rest of it)"),
	REGISTER_OPTION(0, "offset", size, memory.offset, "SIZE",
			"start this far into the dma-buf (default: 0)"),
	REGISTER_OPTION('i', "iova", number, iova, "ADDR",
			"set the address for the HCA and peers (default: the offset)"),
	REGISTER_OPTION('c', "count", number, memory.count, "N",
			"register N regions on one dma-buf (default: 1)"),
	REGISTER_OPTION(
		0, "stride", size, memory.stride, "SIZE",
		"start the next region after SIZE bytes (default: the size, in whole pages)"),
	REGISTER_OPTION(0, "data-direct", flag, data_direct, NULL,
			"call mlx5dv_reg_dmabuf_mr, for Data Direct"),
	OPTION_END,
};

static const struct option_group reg_dmabuf_group = { "Dma-buf", reg_dmabuf_options };
static const struct option_group *const reg_dmabuf_groups[] = { &reg_dmabuf_group, &region_group,
								&call_group,       &advise_group,
								&lifetime_group,   NULL };

const struct command command_reg_dmabuf = {
	.name = "reg-dmabuf",
	.summary = "register a region of a dma-buf (ibv_reg_dmabuf_mr)",
	.description = "Registers memory of a dma-buf with ibv_reg_dmabuf_mr, prints the keys and "
		       "the time of the call, and deregisters the memory. With --hold, or in a "
		       "session, it stays registered.",
	.groups = reg_dmabuf_groups,
	.rules = register_rules,
	.args_size = sizeof(struct register_args),
	.record = &region_record,
	.members = verified_members,
	.fills = FIELDS_OF_MRS FIELDS_OF_REGISTERED FIELDS_OF_ADVICE ",offset",
	.topics = TOPIC_DMABUF | TOPIC_ACCESS | TOPIC_ADVICE,
	.examples =
		(const char *const[]){ "mrctl reg-dmabuf --from udmabuf --size 1M",
				       "mrctl reg-dmabuf --from fd:3 3<>/dev/my-dma-buf", NULL },
	.check = check_reg,
	.run = run_reg,
};
