// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "lib/verbs/calls.h"

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

bool mr_region_call_ex(enum mr_region_call call, enum mr_region_call *ex)
{
	const struct mr_call_row *row = mr_call_row(call);

	if (row->ex)
		*ex = row->ex;
	return row->ex;
}

void mr_extend_to_pages(uint64_t page_size, uint64_t *addr, uint64_t *length)
{
	uint64_t mask = page_size - 1, start = *addr & ~mask, end = *addr + *length;

	if (!page_size || page_size & mask || !*length || end < *addr || end > UINT64_MAX - mask)
		return;
	*addr = start;
	*length = ((end + mask) & ~mask) - start;
}
