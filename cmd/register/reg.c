// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "cmd/cli/help_topics.h"
#include "cmd/cli/option_types.h"
#include "cmd/cli/options.h"
#include "cmd/output/output.h"
#include "cmd/region/context.h"
#include "cmd/region/row.h"
#include "cmd/register/register.h"

struct reg_args {
	struct register_args common;
	bool relaxed;
	struct dmah_option dmah;
};

static const struct option_spec options[] = {
	OPTION(0, "relaxed", flag, struct reg_args, relaxed, NULL,
	       "whole pages, and deferred deregistration (Solaris)"),
	OPTION(0, "dmah", dmah, struct reg_args, dmah, "HINTS",
	       "with a DMA handle: cpu=N,mem=KIND,ph=N"),
	OPTION_END,
};

/* Of memory on the device and of the null MR nothing is mapped, and there are no pages to fault in. */
static int check_unmapped(const struct memory_args *memory, struct mr_error *err)
{
	const struct given_option mapping[] = { { "addr", memory->addr.known },
						{ "populate", memory->populate },
						{ "numa", memory->numa.known },
						{ NULL, false } };
	const char *option = options_first_given(mapping);

	return option ? mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				     "--%s: nothing is mapped of --memory %s", option,
				     memory->memory.text)
		      : 0;
}

/* ibv_alloc_null_mr() has no arguments but the protection domain. */
static int check_null_mr(const struct register_args *args, struct mr_error *err)
{
	const struct given_option arguments[] = { { "access", args->access.given },
						  { "size", args->memory.size.known },
						  { "offset", args->memory.offset.known },
						  { "stride", args->memory.stride.known },
						  { NULL, false } };
	const char *option = options_first_given(arguments);

	return option ? mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				     "--%s: a null MR has neither memory nor access flags", option)
		      : 0;
}

static struct register_call call_of_reg(const struct invocation *invocation)
{
	const struct reg_args *args = invocation->args;

	if (args->dmah.text)
		return (struct register_call){ .call = MR_REG_MR_DMAH, .dmah = args->dmah };
	switch (args->common.memory.memory.type) {
	case MR_MEMORY_DM:
		return (struct register_call){ .call = MR_REG_DM_MR };
	case MR_MEMORY_NULL_MR:
		return (struct register_call){ .call = MR_ALLOC_NULL_MR };
	default:
		return (struct register_call){ .call = args->relaxed ? MR_REG_MR_RELAXED
								     : MR_REG_MR };
	}
}

static int check_reg(const struct invocation *invocation, struct mr_error *err)
{
	const struct reg_args *args = invocation->args;
	const struct memory_args *memory = &args->common.memory;
	const struct register_call call = call_of_reg(invocation);
	const bool is_null_mr = mr_region_is_null(call.call);
	int rc = 0;

	if (args->dmah.text &&
	    (memory->memory.type == MR_MEMORY_DM || memory->memory.type == MR_MEMORY_NULL_MR))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--dmah: --memory %s takes no DMA handle", memory->memory.text);
	if (is_null_mr || mr_region_is_dm(call.call)) {
		if (args->relaxed)
			return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
					    "--relaxed: --memory %s has no pages to extend it to",
					    memory->memory.text);
		rc = is_null_mr ? check_null_mr(&args->common, err) : 0;
		if (!rc)
			rc = check_unmapped(memory, err);
	}
	return rc ? rc : register_check(invocation, &call, err);
}

/* A script asks for values alone, and reads no notes. */
static bool is_for_person(const struct output_style *style)
{
	return !style->quiet && !style->json && !style->columns && !style->no_headings;
}

static int run_reg(const struct invocation *invocation, struct mr_error *err)
{
	const struct reg_args *args = invocation->args;
	const struct register_call call = call_of_reg(invocation);
	int rc = register_run(invocation, &call, err);

	if (!rc && args->relaxed && !context_session(invocation) &&
	    is_for_person(&invocation->global->style))
		report_note(invocation->command->name, "outside a session the end of the command "
						       "invalidates a relaxed region");
	return rc;
}

static const struct option_rule rules[] = {
	REGISTER_RULES,
	{ "dmah", OPTION_EXCLUDES, "relaxed" },
	OPTION_RULES_END,
};
static const struct option_group group = { "Region", options, 0 };
static const struct option_group *const groups[] = { &memory_group, &region_group, &group,
						     &call_group,   &advise_group, &lifetime_group,
						     NULL };
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
	.columns = REGION_COLUMNS(id, name, lkey, rkey, addr, length, iova, access, elapsed_ns,
				  dereg_elapsed_ns),
	.fills = REGION_COLUMNS(FIELDS_OF_MRS, FIELDS_OF_REGISTERED, FIELDS_OF_ADVICE, addr, offset,
				extended_addr, extended_length, FIELDS_OF_DMAH),
	.topics = topics,
	.examples = (const char *const[]){ "mrctl reg --size 1M --access local-write,remote-read",
					   "mrctl -n -o rkey reg --memory memfd --size 64K", NULL },
	.check = check_reg,
	.run = run_reg,
};
