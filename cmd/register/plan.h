/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the options of a registering command come to, once all defaults are filled in. */
#ifndef CMD_REGISTER_PLAN_H
#define CMD_REGISTER_PLAN_H

#include "cmd/register/args.h"
#include "lib/memory/dmabuf.h"
#include "lib/verbs/calls.h"

/** The call of a command, and what the command's own options say about it. */
struct register_call {
	enum mr_region_call call;         /**< without --call */
	uint64_t iova;                    /**< of the first region, where the call takes one */
	uint64_t page_sizes;              /**< the pgsz_bitmap, where the call takes one */
	const struct dmabuf_args *dmabuf; /**< of calls for dma-bufs, else NULL */
	const char *dmabuf_option;        /**< that names its source */
};

struct register_plan {
	enum mr_region_call call;      /**< with --call */
	const struct mr_call_row *row; /**< what is known of it */
	struct via_option via;         /**< the library's where --call is given */
	uint32_t access;
	uint64_t
		iova; /**< of the first region; the next ones lie as far above it as their addresses do */
	uint64_t page_sizes;
	struct memory_plan memory;       /**< sizes; a mapping where they are on memory */
	struct mr_dmabuf_request dmabuf; /**< of MR_ON_DMABUF */
	uint64_t dm_length;              /**< bytes, where register_plan_needs_dm() */
};

/**
 * register_plan_init() - what @args ask for
 * @call: of the command
 *
 * Return: 0, or -EINVAL or -ERANGE with MR_ERROR_USAGE where the options make no sense together.
 */
int register_plan_init(struct register_plan *plan, const struct register_args *args,
		       const struct register_call *call, struct mr_error *err);

/** register_plan_exports_dm() - whether the dma-buf is one of memory on the device */
static inline bool register_plan_exports_dm(const struct register_plan *plan)
{
	return plan->row->on == MR_ON_DMABUF && plan->dmabuf.source.type == MR_DMABUF_DM;
}

/** register_plan_is_on_gpu() - whether the dma-buf is one of a GPU's memory */
static inline bool register_plan_is_on_gpu(const struct register_plan *plan)
{
	return plan->row->on == MR_ON_DMABUF && plan->dmabuf.source.type == MR_DMABUF_CUDA;
}

/** register_plan_needs_dm() - whether memory on the device is to be allocated */
static inline bool register_plan_needs_dm(const struct register_plan *plan)
{
	return plan->row->on == MR_ON_DM || register_plan_exports_dm(plan);
}

/** register_plan_has_offset() - whether the start of a region is an offset, and no address */
static inline bool register_plan_has_offset(const struct register_plan *plan)
{
	return plan->row->on == MR_ON_DMABUF || plan->row->on == MR_ON_DM;
}

#endif
