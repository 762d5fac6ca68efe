// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <string.h>

#include "lib/base/base.h"
#include "lib/verbs/verbs.h"

const struct mr_call_row mr_calls[MR_REGION_CALLS + 1] = {
	[MR_REG_MR] = { .name = "ibv_reg_mr",
			.ioctl = "ioctl(REG_MR)",
			.iova = MR_IOVA_ADDR,
			.ex = MR_REG_MR_EX },
	[MR_REG_MR_RELAXED] = { .name = "mr_reg_mr_relaxed",
				.ioctl = "mr_reg_mr_relaxed",
				.iova = MR_IOVA_ADDR },
	[MR_REG_MR_IOVA] = { .name = "ibv_reg_mr_iova",
			     .ioctl = "ioctl(REG_MR)",
			     .iova = MR_IOVA_GIVEN,
			     .ex = MR_REG_MR_EX_IOVA },
	[MR_REG_DMABUF_MR] = { .name = "ibv_reg_dmabuf_mr",
			       .ioctl = "ioctl(REG_DMABUF_MR)",
			       .on = MR_ON_DMABUF,
			       .iova = MR_IOVA_GIVEN,
			       .ex = MR_REG_MR_EX_FD },
	[MR_DV_REG_DMABUF_MR] = { .name = "mlx5dv_reg_dmabuf_mr",
				  .ioctl = "ioctl(REG_DMABUF_MR)",
				  .on = MR_ON_DMABUF,
				  .iova = MR_IOVA_GIVEN,
				  .data_direct = true,
				  .symbol = MR_SYMBOL_REG_DMABUF_MR },
	[MR_REG_MR_EX] = { .name = "ibv_reg_mr_ex",
			   .iova = MR_IOVA_ADDR,
			   .symbol = MR_SYMBOL_REG_MR_EX,
			   .ex = MR_REG_MR_EX },
	[MR_REG_MR_EX_IOVA] = { .name = "ibv_reg_mr_ex",
				.iova = MR_IOVA_GIVEN,
				.symbol = MR_SYMBOL_REG_MR_EX,
				.ex = MR_REG_MR_EX_IOVA },
	[MR_REG_MR_EX_FD] = { .name = "ibv_reg_mr_ex",
			      .on = MR_ON_DMABUF,
			      .iova = MR_IOVA_GIVEN,
			      .symbol = MR_SYMBOL_REG_MR_EX,
			      .ex = MR_REG_MR_EX_FD },
	[MR_REG_DM_MR] = { .name = "ibv_reg_dm_mr",
			   .ioctl = "ioctl(DM_MR_REG)",
			   .on = MR_ON_DM,
			   .iova = MR_IOVA_ZERO },
	[MR_ALLOC_NULL_MR] = { .name = "ibv_alloc_null_mr", .on = MR_ON_NOTHING },
	[MR_UMEM_REG] = { .name = "mlx5dv_devx_umem_reg",
			  .ioctl = "ioctl(DEVX_UMEM_REG)",
			  .kind = MR_KIND_UMEM },
	[MR_UMEM_REG_EX] = { .name = "mlx5dv_devx_umem_reg_ex",
			     .ioctl = "ioctl(DEVX_UMEM_REG)",
			     .kind = MR_KIND_UMEM,
			     .page_sizes = true },
	[MR_UMEM_REG_DMABUF] = { .name = "mlx5dv_devx_umem_reg_ex",
				 .ioctl = "ioctl(DEVX_UMEM_REG)",
				 .kind = MR_KIND_UMEM,
				 .on = MR_ON_DMABUF },
	[MR_UMEM_REG_EX_DMABUF] = { .name = "mlx5dv_devx_umem_reg_ex",
				    .ioctl = "ioctl(DEVX_UMEM_REG)",
				    .kind = MR_KIND_UMEM,
				    .on = MR_ON_DMABUF,
				    .page_sizes = true },
	[MR_REG_MR_DMAH] = { .name = "ibv_reg_mr_ex",
			     .ioctl = "ioctl(REG_MR)",
			     .iova = MR_IOVA_ADDR,
			     .dmah = true,
			     .symbol = MR_SYMBOL_REG_MR_EX },
	[MR_REGION_CALLS] = { .name = NULL },
};

const char *mr_region_kind_name(enum mr_region_kind kind)
{
	static const char *const names[MR_REGION_KINDS] = {
		[MR_KIND_MR] = "mr",
		[MR_KIND_UMEM] = "umem",
		[MR_KIND_DM] = "dm",
	};

	return names[kind];
}

const char *mr_via_name(enum mr_via via)
{
	return via == MR_VIA_KERNEL ? "kernel" : "library";
}

enum mr_via mr_call_via(const char *call, enum mr_via otherwise)
{
	if (call && !strncmp(call, "ioctl(", strlen("ioctl(")))
		return MR_VIA_KERNEL;
	if (call && (!strncmp(call, "ibv_", strlen("ibv_")) ||
		     !strncmp(call, "mlx5dv_", strlen("mlx5dv_"))))
		return MR_VIA_LIBRARY;
	return otherwise;
}

const char *mr_region_call_name(unsigned int call, enum mr_via via)
{
	const struct mr_call_row *row = mr_call_row(call);

	return via == MR_VIA_KERNEL ? row->ioctl : row->name;
}

const char *mr_region_call_command(enum mr_region_call call)
{
	const struct mr_call_row *row = mr_call_row(call);

	if (row->kind == MR_KIND_UMEM)
		return "umem";
	if (row->on == MR_ON_DMABUF)
		return "reg-dmabuf";
	return row->iova == MR_IOVA_GIVEN && row->on == MR_ON_MEMORY ? "reg-iova" : "reg";
}

void mr_extend_to_pages(uint64_t page_size, uint64_t *addr, uint64_t *length)
{
	uint64_t mask = page_size - 1, start = *addr & ~mask, end = *addr + *length;

	if (!page_size || page_size & mask || !*length || end < *addr || end > UINT64_MAX - mask)
		return;
	*addr = start;
	*length = ((end + mask) & ~mask) - start;
}

/*
 * The bits are the kernel's ABI (<rdma/ib_user_ioctl_verbs.h>, enum ib_uverbs_access_flags).  They are
 * numbers here, because the verbs.h of rdma-core 44 lacks the flush flags.
 */
const struct mr_word mr_access_flags[] = {
	{ "local-write", "the HCA may write for local requests", MR_ACCESS_LOCAL_WRITE },
	{ "remote-write", "peers may write; requires local-write", 1u << 1 },
	{ "remote-read", "peers may read", 1u << 2 },
	{ "remote-atomic", "peers may use atomics; requires local-write", 1u << 3 },
	{ "mw-bind", "memory windows may be bound to it", 1u << 4 },
	{ "zero-based", "addresses are relative to the start of the region", MR_ACCESS_ZERO_BASED },
	{ "on-demand", "pages are not pinned but faulted in (ODP)", MR_ACCESS_ON_DEMAND },
	{ "hugetlb", "with on-demand: the memory is huge pages", MR_ACCESS_HUGETLB },
	{ "flush-global", "peers may flush to global visibility", 1u << 8 },
	{ "flush-persistent", "peers may flush to persistence", 1u << 9 },
	{ "relaxed-ordering", "writes may pass one another; optional", MR_ACCESS_RELAXED_ORDERING },
	{ .name = NULL },
};

/* Prefixes of these words in <infiniband/verbs.h> and in the kernel's headers. */
static const char *const prefixes[] = { "IBV_ACCESS_",          "IB_UVERBS_ACCESS_",
					"IB_ACCESS_",           "IB_", /* IB_ZERO_BASED */
					"IBV_REREG_MR_CHANGE_", NULL };

int mr_flags_parse(const struct mr_word *flags, const char *what, const char *text, uint32_t *bits,
		   struct mr_error *err)
{
	uint32_t result = 0, number;
	const char *item;
	size_t length;
	int rc = 0;

	if (mr_word_is(text, strlen(text), "none")) {
		*bits = 0;
		return 0;
	}
	while (!rc && (item = mr_list_item(&text, ",|", &length))) {
		size_t name_length = length;
		const char *name = mr_word_without(item, &name_length, prefixes);
		int found = mr_word_find(flags, name, name_length);

		if (found >= 0)
			result |= (uint32_t)flags[found].bit;
		else if (!(rc = mr_word_as_number(flags, what, item, length, &number, err)))
			result |= number;
	}
	if (!rc)
		*bits = result;
	return rc;
}

const char *mr_access_next(uint32_t *bits, char raw[16])
{
	uint32_t bit = *bits & -*bits;

	if (!bit)
		return NULL;
	*bits &= ~bit;
	for (const struct mr_word *f = mr_access_flags; f->name; f++)
		if (f->bit == bit)
			return f->name;
	snprintf(raw, 16, "0x%x", bit);
	return raw;
}

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

/* @flag: in the range of flags that a kernel may ignore */
static enum mr_tristate is_optional_in_force(struct mr_in_force *in_force,
					     const struct mr_in_force_region *region, uint32_t flag)
{
	if (mr_region_kind(region->call) == MR_KIND_UMEM)
		return MR_NO;
	if (!in_force->asked) {
		in_force->asked = true;
		in_force->optional = mr_has_optional_access(in_force->uverbs);
		in_force->relaxed = mr_orders_relaxed(in_force->uverbs);
	}
	/* The library does not pass optional flags to a kernel that does not know them. */
	if (in_force->optional == MR_NO && region->via == MR_VIA_LIBRARY)
		return MR_NO;
	if (flag != MR_ACCESS_RELAXED_ORDERING)
		return MR_UNKNOWN;
	/* Where that is unknown, it is unknown, too, whether the library has passed the flag on. */
	if (in_force->optional == MR_UNKNOWN && in_force->relaxed == MR_YES &&
	    region->via == MR_VIA_LIBRARY)
		return MR_UNKNOWN;
	/* mlx5_ib drops the flag where the key of the Data Direct device lacks it, and does not report that. */
	if (mr_call_row(region->call)->data_direct && in_force->relaxed != MR_NO)
		return MR_UNKNOWN;
	return in_force->relaxed;
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
		return "the region does not begin at 0 according to the kernel (QUERY_MR): use "
		       "reg-iova --iova 0";
	if (flag == MR_ACCESS_HUGETLB)
		return "it has an effect only with on-demand";
	if (!(flag & MR_ACCESS_OPTIONAL))
		return NULL;
	if (!in_force->asked)
		return "a umem has no such property";
	return in_force->optional == MR_NO
		       ? "this kernel does not know optional flags, so libibverbs omits it"
		       : "this device does not support it";
}
