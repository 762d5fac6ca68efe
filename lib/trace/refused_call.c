// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>

#include <infiniband/mlx5dv.h>

#include "lib/trace/refused_call.h"
#include "lib/verbs/symbols.h"
#include "lib/verbs/uverbs.h"

/* providers/mlx5/mlx5dv.h since rdma-core 54: MLX5DV_REG_DMABUF_ACCESS_DATA_DIRECT */
#define ACCESS_DATA_DIRECT (1U << 0)

/* ---- the call that registers ---- */

static enum mr_region_call call_of_ex(uint32_t flags)
{
	if (flags & MR_TRACE_HAS_FD)
		return MR_REG_MR_EX_FD;
	if (flags & MR_TRACE_HAS_DMAH)
		return MR_REG_MR_DMAH;
	return flags & MR_TRACE_HAS_IOVA ? MR_REG_MR_EX_IOVA : MR_REG_MR_EX;
}

static enum mr_region_call call_of_umem_ex(uint32_t flags)
{
	const bool sizes = flags & MR_TRACE_HAS_PAGE_SIZES;

	if (flags & MR_TRACE_HAS_FD)
		return sizes ? MR_UMEM_REG_EX_DMABUF : MR_UMEM_REG_DMABUF;
	return MR_UMEM_REG_EX;
}

/* verbs.h makes ibv_reg_mr_iova2() of ibv_reg_mr(), where the flags are not constant. */
bool mr_traced_region_call(enum mr_traced_call traced, uint32_t flags, uint32_t call_flags,
			   bool same_iova, enum mr_region_call *call)
{
	switch (traced) {
	case MR_TRACED_IBV_REG_MR:
	case MR_TRACED_IBV_REG_BUF_MR:
		*call = MR_REG_MR;
		return true;
	case MR_TRACED_IBV_REG_MR_IOVA:
	case MR_TRACED_IBV_REG_MR_IOVA2:
		*call = same_iova ? MR_REG_MR : MR_REG_MR_IOVA;
		return true;
	case MR_TRACED_IBV_REG_DMABUF_MR:
		*call = MR_REG_DMABUF_MR;
		return true;
	case MR_TRACED_MLX5DV_REG_DMABUF_MR:
		*call = call_flags & ACCESS_DATA_DIRECT ? MR_DV_REG_DMABUF_MR : MR_REG_DMABUF_MR;
		return true;
	case MR_TRACED_IBV_REG_MR_EX:
		*call = call_of_ex(flags);
		return true;
	case MR_TRACED_IBV_REG_DM_MR:
		*call = MR_REG_DM_MR;
		return true;
	case MR_TRACED_IBV_ALLOC_NULL_MR:
		*call = MR_ALLOC_NULL_MR;
		return true;
	case MR_TRACED_MLX5DV_DEVX_UMEM_REG:
		*call = MR_UMEM_REG;
		return true;
	case MR_TRACED_MLX5DV_DEVX_UMEM_REG_EX:
		*call = call_of_umem_ex(flags);
		return true;
	default:
		return false;
	}
}

uint64_t mr_traced_unknown_attributes(const struct mr_trace_record *record)
{
	const uint64_t of_reg = MR_INIT_ATTR_IOVA | MR_INIT_ATTR_ADDR | MR_INIT_ATTR_FD |
				MR_INIT_ATTR_FD_OFFSET | MR_INIT_ATTR_DMAH;

	return record->comp_mask &
	       ~(record->call == MR_TRACED_IBV_REG_MR_EX ? of_reg : MLX5DV_UMEM_MASK_DMABUF);
}

static void read_request(const struct mr_trace_record *record, struct mr_refused_call *call)
{
	struct mr_region_request *request = &call->request;

	if (!mr_traced_region_call((enum mr_traced_call)record->call, record->flags,
				   record->call_flags, record->iova == record->addr,
				   &request->call))
		return;
	request->addr = record->addr;
	request->length = record->length;
	request->iova = record->iova;
	request->page_sizes = record->page_sizes;
	request->access = record->access;
	request->fd = record->flags & MR_TRACE_HAS_FD ? record->fd : -1;
	call->refusal.request = request;
	call->refusal.call = mr_call_row(request->call)->name;
}

/* ---- other calls ---- */

static void read_change(const struct mr_trace_record *record, const struct mr_look_region *region,
			struct mr_refused_call *call)
{
	call->rereg = (struct mr_rereg_request){ .changes = record->call_flags,
						 .addr = record->addr,
						 .length = record->length,
						 .iova = record->addr,
						 .access = record->access,
						 .origin = MR_ORIGIN_UNKNOWN };
	call->failure = (struct mr_rereg_failure){
		.imported = region && region->call == MR_TRACED_IBV_IMPORT_MR,
		.code = mr_rereg_code_name(record->result),
	};
	call->refusal.rereg = &call->rereg;
	call->refusal.rereg_failure = &call->failure;
}

static void read_advice(const struct mr_trace_record *record, struct mr_refused_call *call)
{
	call->advice = (struct mr_advice){ .advice = record->access, .flags = record->call_flags };
	call->advised = (struct mr_advice_range){ record->addr, record->length, record->lkey };
	call->refusal.advice = &call->advice;
	if (record->range_count)
		call->refusal.advised = &call->advised;
	call->refusal.has_more_ranges = record->range_count > 1;
}

/* A region by ibv_import_mr() was registered by another process, in a way that is not known. */
static void read_region(const struct mr_look_region *region, struct mr_refusal *refusal)
{
	if (!region || !mr_traced_region_call(region->call, region->flags, region->call_flags,
					      region->iova == region->addr, &refusal->region_call))
		return;
	refusal->region_known = true;
	refusal->region_access = region->access;
	refusal->region_addr = region->addr;
	refusal->region_length = region->length;
	refusal->region_iova = region->iova;
	refusal->pinned_access = region->pinned_access;
}

/* ---- the errno ---- */

/* A call that has left errno as it was: as mrctl takes its own calls (lib/verbs/rereg.c, mr_call_errno()). */
static int errno_of(const struct mr_trace_record *record)
{
	if (record->errnum != MR_TRACE_NO_ERRNO)
		return record->errnum;
	return record->call == MR_TRACED_IBV_REREG_MR ? ENOMEM : EIO;
}

/* Whether it was the kernel that refused.  Calls that it has refused before, with another errno, tell nothing. */
static enum mr_tristate is_by_kernel(const struct mr_trace_record *record)
{
	if (!(record->flags & MR_TRACE_KERNEL_SEEN))
		return MR_UNKNOWN;
	if (!record->kernel_calls || !record->kernel_errnum)
		return MR_NO;
	return record->kernel_errnum == record->errnum ? MR_YES : MR_UNKNOWN;
}

void mr_refused_call_read(const struct mr_trace_record *record,
			  const struct mr_look_context *context, struct mr_refused_call *call)
{
	const struct mr_traced_call_row *row = mr_traced_call_row(record->call);

	*call = (struct mr_refused_call){
		.refusal = {
			.call = row->name ? row->name : "",
			.errnum = errno_of(record),
			.kind = MR_ERROR_REFUSED,
			.via = MR_VIA_LIBRARY,
			.held = context->registered_bytes,
			.most_held = context->most_bytes,
			.unknown_attributes = mr_traced_unknown_attributes(record),
			.users = context->users,
			.has_gone_on = context->has_gone_on,
			.dm_length = context->dm_length.value,
			.queue_bytes = record->queue_bytes,
			.fork_safe = record->flags & MR_TRACE_FORK_SAFE ? MR_YES : MR_UNKNOWN,
			.by_kernel = is_by_kernel(record),
			.devx_errnum = { (uint64_t)record->devx_errnum,
					 record->flags & MR_TRACE_HAS_DEVX && record->devx_errnum >= 0 },
			.handle = record->handle,
		},
	};
	read_request(record, call);
	read_region(context->region, &call->refusal);
	if (record->call == MR_TRACED_IBV_REREG_MR)
		read_change(record, context->region, call);
	else if (record->call == MR_TRACED_IBV_ADVISE_MR)
		read_advice(record, call);
	else if (record->call == MR_TRACED_IBV_ALLOC_DM)
		call->refusal.dm_length = record->length;
	call->refusal.handle_known = row->effect == MR_TRACED_DEREGISTERS ||
				     row->effect == MR_TRACED_FREES ||
				     row->effect == MR_TRACED_ADVISES;
	call->refusal.handle_kind = record->call == MR_TRACED_MLX5DV_DEVX_UMEM_DEREG ? MR_KIND_UMEM
				    : record->call == MR_TRACED_IBV_FREE_DM          ? MR_KIND_DM
										     : MR_KIND_MR;
	call->operation = mr_operation_of(&call->refusal);
}

void mr_refused_call_complete(struct mr_refused_call *call)
{
	const struct mr_refusal *refusal = &call->refusal;
	struct mr_rereg_failure *failure = &call->failure;

	if (!refusal->rereg || refusal->errnum != EOPNOTSUPP ||
	    strcmp(failure->code, "IBV_REREG_MR_ERR_CMD") != 0)
		return;
	if (refusal->by_kernel == MR_NO)
		failure->lacks = MR_REREG_OF_PROVIDER;
	else if (refusal->uverbs && !mr_kernel_has_rereg(refusal->uverbs, 0))
		failure->lacks = MR_REREG_OF_KERNEL;
}
