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

/** The options with all defaults filled in. */
struct memory_plan {
	struct mr_memory_request mapping; /**< one for all regions */
	uint64_t size;                    /**< bytes of each region */
	uint64_t count;
	uint64_t stride; /**< bytes from one region's start to the next one's */
};

/**
 * memory_plan_init() - fill in the defaults
 * @default_size: bytes of a region where --size does not say
 *
 * Return: 0, or -EINVAL or -ERANGE with MR_ERROR_USAGE where the options make no sense together.
 */
int memory_plan_init(struct memory_plan *plan, const struct memory_args *args,
		     uint64_t default_size, struct mr_error *err);

/**
 * memory_plan_init_unmapped() - the same for regions on what is not the process's memory
 * @text: what they are on, as it is to be shown; nothing is mapped
 *
 * Options about a mapping have no effect.
 */
int memory_plan_init_unmapped(struct memory_plan *plan, const struct memory_args *args,
			      const char *text, uint64_t default_size, struct mr_error *err);

/**
 * memory_plan_end() - bytes that what the regions are on must have
 * Return: where the last region ends; UINT64_MAX where that is beyond 64 bits.
 */
uint64_t memory_plan_end(const struct memory_plan *plan);

#endif
