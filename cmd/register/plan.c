// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cmd/register/plan.h"
#include "lib/verbs/verbs.h"

/* Applies --call, which names the command's usual call or, in its place, ibv_reg_mr_ex(3). */
static int choose_call(struct register_plan *plan, const struct register_args *args,
		       struct mr_error *err)
{
	enum mr_region_call ex;
	const char *own;
	bool has_ex;

	if (!args->call)
		return 0;
	own = mr_region_call_name(plan->call, MR_VIA_LIBRARY);
	has_ex = mr_region_call_ex(plan->call, &ex);
	if (!via_allows(args->via, MR_VIA_LIBRARY))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--call names a call of the library: no --via %s",
				    mr_via_name(args->via.path));
	plan->via = (struct via_option){ MR_VIA_LIBRARY, true };
	if (!strcmp(args->call, own))
		return 0;
	if (has_ex && !strcmp(args->call, mr_region_call_name(ex, MR_VIA_LIBRARY))) {
		plan->call = ex;
		return 0;
	}
	return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "--call: '%s' does not do this: give %s%s",
			    args->call, own, has_ex ? " or ibv_reg_mr_ex" : "");
}

static uint32_t choose_access(enum mr_region_on on, const struct access_option *access)
{
	if (access->given)
		return access->bits;
	switch (on) {
	case MR_ON_NOTHING:
		return 0;
	case MR_ON_DM:
		/* The stack refuses each region on device memory without MR_ACCESS_ZERO_BASED. */
		return MR_ACCESS_LOCAL_WRITE | MR_ACCESS_ZERO_BASED;
	default:
		return MR_ACCESS_LOCAL_WRITE;
	}
}

/*
 * Without --size and --count one region reaches from --offset to the end of the dma-buf, if its size is known.
 * Otherwise a region is one page.
 */
static int plan_dmabuf(struct register_plan *plan, const struct memory_args *memory,
		       const struct dmabuf_args *dmabuf, struct mr_error *err)
{
	uint64_t whole = mr_dmabuf_source_size(&dmabuf->source);
	uint64_t offset = memory->offset.value;
	uint64_t size =
		whole > offset && !memory->count.known ? whole - offset : (uint64_t)getpagesize();
	int rc = memory_plan_init_unmapped(&plan->memory, memory, dmabuf->source.text, size, err);

	plan->dmabuf.source = dmabuf->source;
	plan->dmabuf.size =
		dmabuf->buffer.known ? dmabuf->buffer.value : memory_plan_end(&plan->memory);
	plan->dmabuf.data_direct = mr_call_row(plan->call)->data_direct;
	plan->dm_length = plan->dmabuf.size;
	return rc;
}

static int plan_dm(struct register_plan *plan, const struct memory_args *memory,
		   struct mr_error *err)
{
	const struct mr_memory_kind *kind = &memory->memory;
	int rc = memory_plan_init_unmapped(&plan->memory, memory, kind->text,
					   (uint64_t)getpagesize(), err);

	plan->dm_length =
		kind->dm_size.known ? kind->dm_size.value : memory_plan_end(&plan->memory);
	return rc;
}

static int plan_memory(struct register_plan *plan, const struct memory_args *memory,
		       const struct register_call *call, struct mr_error *err)
{
	const uint64_t page = (uint64_t)getpagesize();

	if (call->dmabuf)
		return plan_dmabuf(plan, memory, call->dmabuf, err);
	switch (mr_call_row(plan->call)->on) {
	case MR_ON_DM:
		return plan_dm(plan, memory, err);
	case MR_ON_NOTHING:
		return memory_plan_init_unmapped(&plan->memory, memory, memory->memory.text, page,
						 err);
	default:
		return memory_plan_init(&plan->memory, memory, page, err);
	}
}

int register_plan_init(struct register_plan *plan, const struct register_args *args,
		       const struct register_call *call, struct mr_error *err)
{
	const struct dmabuf_args *dmabuf = call->dmabuf;
	int rc;

	if (dmabuf && dmabuf->buffer.known && dmabuf->source.type == MR_DMABUF_FD)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--buffer: the dma-buf of --%s %s is made already",
				    call->dmabuf_option, dmabuf->source.text);
	plan->call = call->call;
	plan->via = args->via;
	rc = choose_call(plan, args, err);
	plan->access = choose_access(mr_call_row(plan->call)->on, &args->access);
	plan->iova = call->iova;
	plan->page_sizes = call->page_sizes;
	plan->dmah = call->dmah;
	return rc ? rc : plan_memory(plan, &args->memory, call, err);
}
