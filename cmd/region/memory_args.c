// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <unistd.h>

#include "cmd/cli/option_types.h"
#include "cmd/region/memory_args.h"

/* What all tables say. */
#define PLACE_OPTIONS                                                                              \
	OPTION('m', "memory", OPTION_MEMORY, struct memory_args, memory, "KIND",                   \
	       "where the memory comes from (default: anon)"),                                     \
		OPTION(0, "offset", OPTION_SIZE, struct memory_args, offset, "SIZE",               \
		       "start this far into the mapping"),                                         \
		OPTION(0, "addr", OPTION_NUMBER, struct memory_args, addr, "ADDR",                 \
		       "map it at this address, or fail"),                                         \
		OPTION(0, "populate", OPTION_FLAG, struct memory_args, populate, NULL,             \
		       "fault the pages in before registering"),                                   \
		OPTION(0, "numa", OPTION_NUMBER, struct memory_args, numa, "NODE",                 \
		       "take the pages from this NUMA node")

const struct option_spec memory_options[] = {
	OPTION('s', "size", OPTION_SIZE, struct memory_args, size, "SIZE",
	       "bytes: 4096, 64K, 1G, max (default: one page)"),
	PLACE_OPTIONS,
	OPTION('c', "count", OPTION_NUMBER, struct memory_args, count, "N",
	       "register N regions on one mapping (default: 1)"),
	OPTION(0, "stride", OPTION_SIZE, struct memory_args, stride, "SIZE",
	       "bytes from one to the next (default: whole pages)"),
	OPTION_END,
};

const struct option_spec new_memory_options[] = {
	OPTION('s', "size", OPTION_SIZE, struct memory_args, size, "SIZE",
	       "bytes: 4096, 64K, 1G, max (default: as before)"),
	PLACE_OPTIONS,
	OPTION_END,
};

bool memory_is_given(const struct memory_args *args)
{
	return args->size.known || args->memory.text || args->offset.known || args->addr.known ||
	       args->numa.known || args->populate;
}

int memory_plan_init(struct memory_plan *plan, const struct memory_args *args, struct mr_error *err)
{
	uint64_t page = (uint64_t)getpagesize(), span;

	plan->request.kind = args->memory;
	plan->request.length = 0;
	plan->request.offset = args->offset.value;
	plan->request.addr = args->addr;
	plan->request.node = args->numa;
	plan->request.populate = args->populate;
	plan->size = args->size.known ? args->size.value : page;
	plan->count = args->count.known ? args->count.value : 1;
	plan->stride = args->stride.value;
	if (!plan->request.kind.text)
		plan->request.kind =
			(struct mr_memory_kind){ MR_MEMORY_ANON, "anon", NULL, 0, { 0 } };
	if (args->memory.type == MR_MEMORY_DM || args->memory.type == MR_MEMORY_NULL_MR)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "--memory %s is for reg alone",
				    args->memory.text);
	if (!plan->count)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "--count: give at least 1");
	if (args->stride.known && plan->count == 1)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "--stride needs --count");
	if ((args->populate || args->numa.known) &&
	    (args->memory.type == MR_MEMORY_NONE || args->memory.type == MR_MEMORY_UNMAPPED))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--%s: there are no pages in "
				    "--memory %s",
				    args->populate ? "populate" : "numa", args->memory.text);
	if (!args->stride.known)
		plan->stride = mr_round_up(plan->size, page);
	/* A single range may wrap: that is for the stack to refuse. */
	if ((plan->count > 1 && !args->stride.known && plan->stride < plan->size) ||
	    __builtin_mul_overflow(plan->count - 1, plan->stride, &span) ||
	    __builtin_add_overflow(span, plan->size, &plan->request.length))
		return mr_fail_text(err, MR_ERROR_USAGE, ERANGE,
				    "--count: so many regions do not fit in 64 bits of addresses");
	return 0;
}

int memory_plan_end(const struct memory_args *args, uint64_t *end, struct mr_error *err)
{
	struct memory_plan plan;
	int rc = memory_plan_init(&plan, args, err);

	if (!rc && __builtin_add_overflow(plan.request.offset, plan.request.length, end))
		*end = UINT64_MAX;
	return rc;
}
