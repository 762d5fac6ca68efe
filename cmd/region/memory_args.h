/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options that describe the memory of regions, for each command that registers memory or changes it. */
#ifndef CMD_REGION_MEMORY_ARGS_H
#define CMD_REGION_MEMORY_ARGS_H

#include "cmd/cli/options.h"
#include "lib/memory/memory.h"

/** What the options fill. */
struct memory_args {
	struct mr_opt_u64 size; /**< bytes of each region */
	struct mr_memory_kind memory;
	struct mr_opt_u64 offset; /**< bytes from the start of the mapping to the first region */
	struct mr_opt_u64 addr;   /**< where to map it */
	struct mr_opt_u64 numa;   /**< node to take the pages from */
	struct mr_opt_u64 count;  /**< regions on one mapping */
	struct mr_opt_u64 stride; /**< bytes from one region's start to the next one's */
	bool populate;
};

/** The options for the memory of new regions. */
extern const struct option_spec memory_options[];
/** The options for the new memory of one region. */
extern const struct option_spec new_memory_options[];

/** memory_is_given() - whether one of new_memory_options was given */
bool memory_is_given(const struct memory_args *args);

/** The options with all defaults filled in. */
struct memory_plan {
	struct mr_memory_request mapping; /**< in which all regions lie */
	uint64_t size;                    /**< bytes of each region */
	uint64_t count;
	uint64_t stride; /**< bytes from one region's start to the next one's */
};

/**
 * memory_plan_init() - fill in the defaults
 * @default_size: bytes of a region without --size
 *
 * Return: 0, or -EINVAL or -ERANGE with MR_ERROR_USAGE if the options make no sense together.
 */
int memory_plan_init(struct memory_plan *plan, const struct memory_args *args,
		     uint64_t default_size, struct mr_error *err);

/**
 * memory_plan_init_unmapped() - fill in the defaults for regions on no memory of the process
 * @text:         what they are on, as it is to be shown
 * @default_size: bytes of a region without --size
 *
 * Nothing is to be mapped, so options about the mapping are not looked at.
 *
 * Return: as memory_plan_init().
 */
int memory_plan_init_unmapped(struct memory_plan *plan, const struct memory_args *args,
			      const char *text, uint64_t default_size, struct mr_error *err);

/**
 * memory_plan_end() - where the last region ends: bytes that a dma-buf or DM below the regions must have
 * Return: UINT64_MAX if that is beyond 64 bits.
 */
uint64_t memory_plan_end(const struct memory_plan *plan);

#endif
