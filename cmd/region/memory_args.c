// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <unistd.h>

#include "cmd/cli/option_types.h"
#include "cmd/cli/options.h"
#include "cmd/region/memory_args.h"

/* The options for the mapping, which both tables have. */
#define MAPPING_OPTIONS                                                                            \
	OPTION('m', "memory", memory, struct memory_args, memory, "KIND",                          \
	       "where the memory comes from (default: anon)"),                                     \
		OPTION(0, "offset", size, struct memory_args, offset, "SIZE",                      \
		       "start this far into the mapping"),                                         \
		OPTION(0, "addr", number, struct memory_args, addr, "ADDR",                        \
		       "map it at this address, or fail"),                                         \
		OPTION(0, "populate", flag, struct memory_args, populate, NULL,                    \
		       "fault the pages in before registering"),                                   \
		OPTION(0, "numa", number, struct memory_args, numa, "NODE",                        \
		       "take the pages from this NUMA node")

const struct option_spec memory_options[] = {
	OPTION('s', "size", size, struct memory_args, size, "SIZE",
	       "bytes: 4096, 64K, 1G, max (default: one page)"),
	MAPPING_OPTIONS,
	OPTION('c', "count", number, struct memory_args, count, "N",
	       "register N regions on one mapping (default: 1)"),
	OPTION(0, "stride", size, struct memory_args, stride, "SIZE",
	       "bytes from one to the next (default: the size, in whole pages)"),
	OPTION_END,
};

const struct option_spec new_memory_options[] = {
	OPTION('s', "size", size, struct memory_args, size, "SIZE",
	       "bytes: 4096, 64K, 1G, max (default: as before)"),
	MAPPING_OPTIONS,
	OPTION_END,
};

bool memory_is_given(const struct memory_args *args)
{
	return args->size.known || args->memory.text || args->offset.known || args->addr.known ||
	       args->numa.known || args->populate;
}

/* Fills in the size, count and stride of the regions, and the length of the mapping in which they lie. */
static int plan_sizes(struct memory_plan *plan, const struct memory_args *args,
		      uint64_t default_size, struct mr_error *err)
{
	uint64_t span;

	plan->size = args->size.known ? args->size.value : default_size;
	plan->count = args->count.known ? args->count.value : 1;
	plan->stride = args->stride.value;
	plan->mapping.length = plan->size;
	if (!plan->count)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "--count: give at least 1");
	if (args->stride.known && plan->count == 1)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "--stride needs --count");
	/* A single range may reach beyond the address space: refusing that is left to the stack. */
	if (plan->count == 1)
		return 0;
	if (!args->stride.known)
		plan->stride = mr_round_up(plan->size, (uint64_t)getpagesize());
	if ((!args->stride.known && plan->stride < plan->size) ||
	    __builtin_mul_overflow(plan->count - 1, plan->stride, &span) ||
	    __builtin_add_overflow(span, plan->size, &plan->mapping.length))
		return mr_fail_text(
			err, MR_ERROR_USAGE, ERANGE,
			"--count: the last of the regions would end beyond 64 bits of addresses");
	return 0;
}

/* Only memory of the host has pages to fault in, or to place on a node. */
static int check_pages(const struct memory_args *args, struct mr_error *err)
{
	const enum mr_memory_type type = args->memory.type;
	const struct given_option about_pages[] = { { "populate", args->populate },
						    { "numa", args->numa.known },
						    { NULL, false } };
	const char *option;

	if (type == MR_MEMORY_CUDA && args->addr.known)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--addr: the CUDA driver chooses the address of --memory %s",
				    args->memory.text);
	if (type != MR_MEMORY_NONE && type != MR_MEMORY_UNMAPPED && type != MR_MEMORY_CUDA)
		return 0;
	option = options_first_given(about_pages);
	return option ? mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				     "--%s: --memory %s has no pages of the kernel", option,
				     args->memory.text)
		      : 0;
}

int memory_plan_init(struct memory_plan *plan, const struct memory_args *args,
		     uint64_t default_size, struct mr_error *err)
{
	static const struct mr_memory_kind anonymous = { .type = MR_MEMORY_ANON, .text = "anon" };
	int rc;

	plan->mapping.kind = args->memory.text ? args->memory : anonymous;
	plan->mapping.length = 0;
	plan->mapping.offset = args->offset.value;
	plan->mapping.addr = args->addr;
	plan->mapping.node = args->numa;
	plan->mapping.populate = args->populate;
	if (args->memory.type == MR_MEMORY_DM || args->memory.type == MR_MEMORY_NULL_MR)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "--memory %s is for reg alone",
				    args->memory.text);
	rc = check_pages(args, err);
	return rc ? rc : plan_sizes(plan, args, default_size, err);
}

int memory_plan_init_unmapped(struct memory_plan *plan, const struct memory_args *args,
			      const char *text, uint64_t default_size, struct mr_error *err)
{
	plan->mapping = (struct mr_memory_request){
		.kind = { .type = MR_MEMORY_NONE, .text = text },
		.offset = args->offset.value,
	};
	return plan_sizes(plan, args, default_size, err);
}

uint64_t memory_plan_end(const struct memory_plan *plan)
{
	uint64_t end;

	if (__builtin_add_overflow(plan->mapping.offset, plan->mapping.length, &end))
		return UINT64_MAX;
	return end;
}
