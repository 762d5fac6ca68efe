/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a registering command is to do: its options, with all defaults filled in. */
#ifndef CMD_REGISTER_PLAN_H
#define CMD_REGISTER_PLAN_H

#include "cmd/register/args.h"
#include "lib/memory/memory.h"
#include "lib/verbs/verbs.h"

/** The call of a command, and what the command's own options say about it. */
struct register_call {
	enum mr_region_call call;         /**< the call, unless --call names another */
	uint64_t iova;                    /**< of the first region, if the call is given one */
	uint64_t page_sizes;              /**< the pgsz_bitmap, if the call is given one */
	struct dmah_option dmah;          /**< if the call is given a DMA handle */
	const struct dmabuf_args *dmabuf; /**< of calls for dma-bufs, else NULL */
	const char *dmabuf_option;        /**< name of the option for its source, for messages */
};

/** What a registering command is to do. */
struct register_plan {
	enum mr_region_call call; /**< the command's usual call, or the one that --call names */
	struct via_option via;    /**< --via; with --call the library's path */
	uint32_t access;
	/** Of the first region.  That of each other region lies as far above it as its address does. */
	uint64_t iova;
	uint64_t page_sizes;       /**< the pgsz_bitmap */
	struct memory_plan memory; /**< size, count, stride; for MR_ON_MEMORY the mapping too */
	struct mr_dmabuf_request dmabuf; /**< of MR_ON_DMABUF */
	struct dmah_option dmah;         /**< of mr_region_has_dmah() */
	uint64_t dm_length;              /**< bytes to allocate, if register_plan_needs_dm() */
};

/**
 * register_plan_init() - fill in what @args ask for
 * @call: the command's call, with its own options
 *
 * Return: 0, or -EINVAL or -ERANGE with MR_ERROR_USAGE if the options make no sense together.
 */
int register_plan_init(struct register_plan *plan, const struct register_args *args,
		       const struct register_call *call, struct mr_error *err);

/** register_plan_exports_dm() - whether the dma-buf is one of memory on the RDMA device */
static inline bool register_plan_exports_dm(const struct register_plan *plan)
{
	return mr_region_is_dmabuf(plan->call) && plan->dmabuf.source.type == MR_DMABUF_DM;
}

/** register_plan_is_on_gpu() - whether memory of a GPU is registered, by its address or as a dma-buf */
static inline bool register_plan_is_on_gpu(const struct register_plan *plan)
{
	return mr_region_is_dmabuf(plan->call) ? plan->dmabuf.source.type == MR_DMABUF_CUDA
					       : plan->memory.mapping.kind.type == MR_MEMORY_CUDA;
}

/** register_plan_needs_dm() - whether memory on the RDMA device is to be allocated */
static inline bool register_plan_needs_dm(const struct register_plan *plan)
{
	return mr_region_is_dm(plan->call) || register_plan_exports_dm(plan);
}

#endif
