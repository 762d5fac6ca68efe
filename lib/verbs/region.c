// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <infiniband/verbs.h>

#include "lib/base/base.h"
#include "lib/verbs/dm.h"
#include "lib/verbs/dmah.h"
#include "lib/verbs/region.h"
#include "lib/verbs/symbols.h"
#include "lib/verbs/umem.h"
#include "lib/verbs/uverbs.h"

/* rdma-core 54, <infiniband/mlx5_api.h>, <rdma/mlx5_user_ioctl_verbs.h> */
#define DATA_DIRECT 1 /* MLX5DV_REG_DMABUF_ACCESS_DATA_DIRECT */

static uint64_t iova_of(const struct mr_region_request *request)
{
	switch (mr_call_row(request->call)->iova) {
	case MR_IOVA_ADDR:
		return request->addr;
	case MR_IOVA_GIVEN:
		return request->iova;
	default:
		return 0;
	}
}

/* ---- by the library ---- */

/*
 * verbs.h has macros of these names, which call ibv_reg_mr_iova2().  Parentheses around the name prevent
 * that, so that the call which mrctl reports is the call which it makes.
 */
static struct ibv_mr *reg_mr(struct ibv_pd *pd, const struct mr_region_request *r, void *symbol)
{
	(void)symbol;
	return (ibv_reg_mr)(pd, mr_pointer(r->addr), r->length, (int)r->access);
}

static struct ibv_mr *reg_mr_iova(struct ibv_pd *pd, const struct mr_region_request *r,
				  void *symbol)
{
	(void)symbol;
	return (ibv_reg_mr_iova)(pd, mr_pointer(r->addr), r->length, r->iova, (int)r->access);
}

static struct ibv_mr *reg_mr_ex(struct ibv_pd *pd, const struct mr_region_request *r, void *symbol)
{
	const struct mr_call_row *row = mr_call_row(r->call);
	struct mr_init_attr attr = { .length = r->length, .access = (int)r->access };

	if (row->iova == MR_IOVA_GIVEN) {
		attr.comp_mask = MR_INIT_ATTR_IOVA;
		attr.iova = r->iova;
	}
	if (row->on == MR_ON_DMABUF) {
		attr.comp_mask |= MR_INIT_ATTR_FD | MR_INIT_ATTR_FD_OFFSET;
		attr.fd = r->fd;
		attr.fd_offset = r->addr;
	} else {
		attr.comp_mask |= MR_INIT_ATTR_ADDR;
		attr.addr = mr_pointer(r->addr);
	}
	if (row->dmah) {
		attr.comp_mask |= MR_INIT_ATTR_DMAH;
		attr.dmah = r->dmah->dmah;
	}
	return ((mr_reg_mr_ex *)symbol)(pd, &attr);
}

static struct ibv_mr *reg_dmabuf_mr(struct ibv_pd *pd, const struct mr_region_request *r,
				    void *symbol)
{
	(void)symbol;
	return ibv_reg_dmabuf_mr(pd, r->addr, r->length, r->iova, r->fd, (int)r->access);
}

static struct ibv_mr *reg_data_direct_mr(struct ibv_pd *pd, const struct mr_region_request *r,
					 void *symbol)
{
	return ((mr_dv_reg_dmabuf_mr *)symbol)(pd, r->addr, r->length, r->iova, r->fd,
					       (int)r->access, DATA_DIRECT);
}

static struct ibv_mr *reg_dm_mr(struct ibv_pd *pd, const struct mr_region_request *r, void *symbol)
{
	(void)symbol;
	return ibv_reg_dm_mr(pd, r->dm->dm, r->addr, r->length, r->access);
}

static struct ibv_mr *alloc_null_mr(struct ibv_pd *pd, const struct mr_region_request *r,
				    void *symbol)
{
	(void)r;
	(void)symbol;
	return ibv_alloc_null_mr(pd);
}

/* ---- by the kernel ---- */

static int ioctl_reg_mr(const struct mr_uverbs *uverbs, const struct mr_uverbs_reg *reg,
			const struct mr_region_request *r, struct mr_uverbs_mr *mr,
			struct mr_error *err)
{
	(void)r;
	return mr_uverbs_reg_mr(uverbs, reg, mr, err);
}

static int ioctl_reg_dmah_mr(const struct mr_uverbs *uverbs, const struct mr_uverbs_reg *reg,
			     const struct mr_region_request *r, struct mr_uverbs_mr *mr,
			     struct mr_error *err)
{
	return mr_uverbs_reg_dmah_mr(uverbs, reg, r->dmah->handle, mr, err);
}

static int ioctl_reg_dmabuf_mr(const struct mr_uverbs *uverbs, const struct mr_uverbs_reg *reg,
			       const struct mr_region_request *r, struct mr_uverbs_mr *mr,
			       struct mr_error *err)
{
	const uint32_t mlx5_access = mr_call_row(r->call)->data_direct ? DATA_DIRECT : 0;

	return mr_uverbs_reg_dmabuf_mr(uverbs, reg, r->fd, mlx5_access, mr, err);
}

static int ioctl_reg_dm_mr(const struct mr_uverbs *uverbs, const struct mr_uverbs_reg *reg,
			   const struct mr_region_request *r, struct mr_uverbs_mr *mr,
			   struct mr_error *err)
{
	return mr_uverbs_reg_dm_mr(uverbs, reg, r->dm->handle, mr, err);
}

static int fail_null_mr(const struct mr_uverbs *uverbs, const struct mr_uverbs_reg *reg,
			const struct mr_region_request *r, struct mr_uverbs_mr *mr,
			struct mr_error *err)
{
	(void)uverbs;
	(void)reg;
	(void)mr;
	mr_fail(err, MR_ERROR_HOST, EOPNOTSUPP, mr_call_row(r->call)->name,
		"a null MR is the library's alone: the kernel has no call that makes one");
	mr_hint(err, "use --via library");
	return -EOPNOTSUPP;
}

/* ---- by either ---- */

/*
 * The functions that make each call that registers an MR.  @library gets the function that
 * mr_symbol_find() has found for the call, or NULL.
 */
static const struct functions {
	struct ibv_mr *(*library)(struct ibv_pd *pd, const struct mr_region_request *r,
				  void *symbol);
	int (*kernel)(const struct mr_uverbs *uverbs, const struct mr_uverbs_reg *reg,
		      const struct mr_region_request *r, struct mr_uverbs_mr *mr,
		      struct mr_error *err);
} functions[MR_REGION_CALLS] = {
	[MR_REG_MR] = { reg_mr, ioctl_reg_mr },
	[MR_REG_MR_IOVA] = { reg_mr_iova, ioctl_reg_mr },
	[MR_REG_DMABUF_MR] = { reg_dmabuf_mr, ioctl_reg_dmabuf_mr },
	[MR_DV_REG_DMABUF_MR] = { reg_data_direct_mr, ioctl_reg_dmabuf_mr },
	[MR_REG_MR_EX] = { reg_mr_ex, ioctl_reg_mr },
	[MR_REG_MR_EX_IOVA] = { reg_mr_ex, ioctl_reg_mr },
	[MR_REG_MR_EX_FD] = { reg_mr_ex, ioctl_reg_dmabuf_mr },
	[MR_REG_DM_MR] = { reg_dm_mr, ioctl_reg_dm_mr },
	[MR_ALLOC_NULL_MR] = { alloc_null_mr, fail_null_mr },
	[MR_REG_MR_DMAH] = { reg_mr_ex, ioctl_reg_dmah_mr },
};

static int register_by_kernel(const struct mr_registrar *registrar,
			      const struct mr_region_request *request, struct mr_region *region,
			      struct mr_error *err)
{
	const struct mr_uverbs_reg reg = {
		.addr = request->addr,
		.length = request->length,
		.iova = iova_of(request),
		.pd_handle = registrar->pd_handle,
		.access = request->access,
	};
	struct mr_uverbs_mr mr;
	uint64_t start = mr_registrar_now(registrar);
	int rc = functions[request->call].kernel(registrar->uverbs, &reg, request, &mr, err);

	if (rc)
		return rc;
	*region = (struct mr_region){
		.live = true,
		.elapsed_ns = mr_registrar_now(registrar) - start,
		.addr = request->addr,
		.length = mr.length,
		.iova = mr.iova,
		.handle = mr.handle,
		.lkey = mr.lkey,
		.rkey = mr.rkey,
	};
	return 0;
}

static int register_by_library(const struct mr_registrar *registrar,
			       const struct mr_region_request *request, struct mr_region *region,
			       struct mr_error *err)
{
	const struct mr_call_row *row = mr_call_row(request->call);
	uint64_t start, elapsed_ns;
	void *symbol = NULL;
	struct ibv_mr *mr;

	if (row->symbol != MR_SYMBOL_NONE) {
		symbol = mr_symbol_find(row->symbol, err);
		if (!symbol)
			return -err->errnum;
	}
	start = mr_registrar_now(registrar);
	errno = 0;
	mr = functions[request->call].library(registrar->pd, request, symbol);
	elapsed_ns = mr_registrar_now(registrar) - start;
	if (!mr)
		return mr_fail(err, MR_ERROR_REFUSED, mr_call_errno(), row->name, NULL);
	*region = (struct mr_region){
		.live = true,
		.elapsed_ns = elapsed_ns,
		.mr = mr,
		.addr = request->addr,
		.length = mr->length,
		.iova = iova_of(request),
		.handle = row->on == MR_ON_NOTHING ? MR_NO_HANDLE : mr->handle,
		.lkey = mr->lkey,
		.rkey = mr->rkey,
	};
	return 0;
}

/* Registers all pages of the range.  @region then describes the range itself, not the pages. */
static int register_relaxed(const struct mr_registrar *registrar,
			    const struct mr_region_request *request, struct mr_region *region,
			    struct mr_error *err)
{
	struct mr_region_request whole = *request;
	int rc;

	whole.call = MR_REG_MR;
	mr_extend_to_pages(request->page_size, &whole.addr, &whole.length);
	rc = mr_region_register(registrar, &whole, region, err);
	if (rc)
		return rc;
	region->iova += request->addr - whole.addr;
	region->addr = request->addr;
	region->length = request->length;
	return 0;
}

int mr_region_register(const struct mr_registrar *registrar,
		       const struct mr_region_request *request, struct mr_region *region,
		       struct mr_error *err)
{
	if (request->call == MR_REG_MR_RELAXED)
		return register_relaxed(registrar, request, region, err);
	if (mr_region_kind(request->call) == MR_KIND_UMEM)
		return mr_umem_register(registrar, request, region, err);
	if (registrar->via == MR_VIA_KERNEL)
		return register_by_kernel(registrar, request, region, err);
	return register_by_library(registrar, request, region, err);
}
