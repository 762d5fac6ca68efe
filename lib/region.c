// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <infiniband/verbs.h>

#include "clock.h"
#include "region.h"
#include "uverbs.h"

const char *mr_via_name(enum mr_via via)
{
	return via == MR_VIA_KERNEL ? "kernel" : "library";
}

/*
 * The parentheses keep verbs.h's macros away, which replace these calls by ibv_reg_mr_iova2: the
 * call that is reported is the call that is made.
 */
static struct ibv_mr *call(struct ibv_pd *pd, const struct mr_region_request *r)
{
	void *addr = (void *)(uintptr_t)r->addr; // NOLINT(performance-no-int-to-ptr)

	if (r->call == MR_REG_MR_IOVA)
		return (ibv_reg_mr_iova)(pd, addr, r->length, r->iova, (int)r->access);
	return (ibv_reg_mr)(pd, addr, r->length, (int)r->access);
}

static uint64_t iova_of(const struct mr_region_request *request)
{
	return request->call == MR_REG_MR_IOVA ? request->iova : request->addr;
}

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
	uint64_t start = mr_now_ns();
	int rc = mr_uverbs_reg_mr(registrar->uverbs, &reg, &mr, err);

	if (rc)
		return rc;
	*region = (struct mr_region){
		.live = true,
		.elapsed_ns = mr_now_ns() - start,
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
	static const char *const names[] = {
		[MR_REG_MR] = "ibv_reg_mr",
		[MR_REG_MR_IOVA] = "ibv_reg_mr_iova",
	};
	uint64_t start = mr_now_ns();
	struct ibv_mr *mr = call(registrar->pd, request);
	uint64_t end = mr_now_ns();

	if (!mr)
		return mr_fail(err, MR_ERROR_REFUSED, errno, names[request->call], NULL);
	*region = (struct mr_region){
		.live = true,
		.elapsed_ns = end - start,
		.mr = mr,
		.addr = request->addr,
		.length = mr->length,
		.iova = iova_of(request),
		.handle = mr->handle,
		.lkey = mr->lkey,
		.rkey = mr->rkey,
	};
	return 0;
}

int mr_region_register(const struct mr_registrar *registrar,
		       const struct mr_region_request *request, struct mr_region *region,
		       struct mr_error *err)
{
	if (registrar->via == MR_VIA_KERNEL)
		return register_by_kernel(registrar, request, region, err);
	return register_by_library(registrar, request, region, err);
}

void mr_region_forget(struct mr_region *region)
{
	if (region->mr)
		ibv_unimport_mr(region->mr);
	region->mr = NULL;
}

int mr_region_deregister(const struct mr_registrar *registrar, struct mr_region *region,
			 struct mr_error *err)
{
	uint64_t start = mr_now_ns(), end;
	int rc;

	if (region->mr) {
		rc = ibv_dereg_mr(region->mr);
		end = mr_now_ns();
		if (rc) /* the errno itself, by the man page; -1 and errno from some providers */
			return mr_fail(err, MR_ERROR_REFUSED, rc > 0 ? rc : errno, "ibv_dereg_mr",
				       NULL);
		region->mr = NULL;
	} else {
		rc = mr_uverbs_destroy_mr(registrar->uverbs, region->handle, err);
		end = mr_now_ns();
		if (rc)
			return rc;
	}
	region->live = false;
	region->dereg_elapsed_ns = end - start;
	return 0;
}
