// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lib/host/host.h"
#include "lib/trace/refused_call.h"
#include "lib/trace/reproduction/reproduced.h"

bool mr_reproduced_is_beyond_all(const struct mr_traced_range *range)
{
	const uint64_t last = UINT64_MAX - mr_page_size(mr_this_host());

	return range->type != MR_MEMORY_NONE &&
	       (range->addr > last || range->length > last - range->addr);
}

bool mr_reproduced_call_before(const struct mr_reproduced *it, enum mr_region_call *call)
{
	const struct mr_look_region *old = &it->kind->region;

	return it->kind->has_region && mr_traced_region_call(old->call, old->flags, old->call_flags,
							     old->iova == old->addr, call);
}
