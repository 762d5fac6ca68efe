// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lib/base/base.h"
#include "lib/verbs/access.h"
#include "lib/verbs/capabilities.h"
#include "lib/verbs/in_force.h"
#include "lib/verbs/uverbs.h"

enum mr_tristate mr_in_force_at_zero(const struct mr_uverbs *uverbs, uint32_t access,
				     const struct mr_region *region)
{
	struct mr_uverbs_mr mr;

	if (!(access & MR_ACCESS_ZERO_BASED) || region->kind != MR_KIND_MR ||
	    region->handle == MR_NO_HANDLE)
		return MR_UNKNOWN;
	/* Some drivers answer 0 for length and IOVA, so an IOVA counts only with the right length. */
	if (mr_uverbs_query_mr(uverbs, region->handle, &mr, NULL) || mr.length != region->length)
		return MR_UNKNOWN;
	return mr.iova ? MR_NO : MR_YES;
}

static void query_capabilities(struct mr_in_force *in_force)
{
	if (in_force->asked)
		return;
	in_force->asked = true;
	in_force->optional = mr_has_optional_access(in_force->uverbs);
	in_force->relaxed = mr_orders_relaxed(in_force->uverbs);
}

static enum mr_tristate is_relaxed(const struct mr_in_force *in_force,
				   const struct mr_in_force_region *region)
{
	/* mlx5_ib drops the flag where the key of the Data Direct device lacks it, and does not report that. */
	if (mr_call_row(region->call)->data_direct && in_force->relaxed != MR_NO)
		return MR_UNKNOWN;
	return in_force->relaxed;
}

/* @flag: in the range of flags that a kernel may ignore */
static enum mr_tristate is_optional_in_force(struct mr_in_force *in_force,
					     const struct mr_in_force_region *region, uint32_t flag)
{
	if (mr_region_kind(region->call) == MR_KIND_UMEM)
		return MR_NO;
	query_capabilities(in_force);
	/* To a kernel that does not know optional flags the library does not pass them on. */
	if (in_force->optional == MR_NO && region->via == MR_VIA_LIBRARY)
		return MR_NO;
	if (flag != MR_ACCESS_RELAXED_ORDERING)
		return MR_UNKNOWN;
	/* Where that is unknown, it is unknown, too, whether the library has passed the flag on. */
	if (in_force->optional == MR_UNKNOWN && in_force->relaxed == MR_YES &&
	    region->via == MR_VIA_LIBRARY)
		return MR_UNKNOWN;
	return is_relaxed(in_force, region);
}

static enum mr_tristate is_in_force(struct mr_in_force *in_force,
				    const struct mr_in_force_region *region, uint32_t flag)
{
	if (flag & MR_ACCESS_OPTIONAL)
		return is_optional_in_force(in_force, region, flag);
	if (flag == MR_ACCESS_HUGETLB) /* only ib_umem_odp_get() reads it */
		return region->access & MR_ACCESS_ON_DEMAND ? MR_YES : MR_NO;
	if (flag != MR_ACCESS_ZERO_BASED || mr_region_is_dm(region->call))
		return MR_YES;
	return region->at_zero;
}

struct mr_opt_u64 mr_in_force_bits(struct mr_in_force *in_force,
				   const struct mr_in_force_region *region)
{
	struct mr_opt_u64 bits = { region->access, true };

	for (uint32_t left = region->access; left; left &= left - 1) {
		uint32_t flag = left & -left;
		enum mr_tristate answer = is_in_force(in_force, region, flag);

		if (answer == MR_NO)
			bits.value &= ~(uint64_t)flag;
		else if (answer == MR_UNKNOWN)
			bits.known = false;
	}
	return bits;
}

const char *mr_in_force_reason(const struct mr_in_force *in_force, uint32_t flag)
{
	if (flag == MR_ACCESS_ZERO_BASED)
		return "the region does not begin at 0, as the kernel says (QUERY_MR): use "
		       "reg-iova --iova 0";
	if (flag == MR_ACCESS_HUGETLB)
		return "it counts only with on-demand";
	if (!(flag & MR_ACCESS_OPTIONAL))
		return NULL;
	if (!in_force->asked)
		return "a umem has no such property";
	return in_force->optional == MR_NO
		       ? "this kernel does not know optional flags, so libibverbs leaves it out"
		       : "this device cannot do it";
}
