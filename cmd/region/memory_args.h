/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options that describe the memory of regions, for every command that takes memory. */
#ifndef CMD_REGION_MEMORY_ARGS_H
#define CMD_REGION_MEMORY_ARGS_H

#include "cmd/cli/options.h"
#include "lib/memory/mapping.h"

struct memory_args {
	struct mr_opt_u64 size;
	struct mr_memory_kind memory;
	struct mr_opt_u64 offset;
	struct mr_opt_u64 addr;
	struct mr_opt_u64 numa;
	struct mr_opt_u64 count;
	struct mr_opt_u64 stride;
	bool populate;
};

extern const struct option_spec memory_options[];
/** The same for the new memory of one region. */
extern const struct option_spec new_memory_options[];

/** memory_is_given() - whether there was one of new_memory_options */
bool memory_is_given(const struct memory_args *args);

/** What the options come to. */
struct memory_plan {
	struct mr_memory_request request; /**< one mapping for all regions */
	uint64_t size;                    /**< bytes of each region */
	uint64_t count;
	uint64_t stride; /**< bytes from one region's start to the next one's */
};

/**
 * memory_plan_init() - fill in the defaults
 * Return: 0, or -EINVAL with MR_ERROR_USAGE where the options make no sense together.
 */
int memory_plan_init(struct memory_plan *plan, const struct memory_args *args,
		     struct mr_error *err);

/**
 * memory_plan_end() - where the last region ends: bytes that what they are on must have
 * @end: set; where it is beyond 64 bits, as many as can be said
 *
 * Return: as memory_plan_init().
 */
int memory_plan_end(const struct memory_args *args, uint64_t *end, struct mr_error *err);

#endif
