// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

#include "lib/verbs/deregister.h"
#include "lib/verbs/umem.h"
#include "lib/verbs/uverbs.h"

void mr_region_forget(struct mr_region *region)
{
	if (region->kind == MR_KIND_UMEM) {
		if (region->umem)
			mr_umem_forget(region->umem);
		region->umem = NULL;
		return;
	}
	if (region->mr)
		ibv_unimport_mr(region->mr);
	region->mr = NULL;
}

int mr_region_destroy(const struct mr_uverbs *uverbs, enum mr_region_kind kind, uint32_t handle,
		      struct mr_error *err)
{
	return kind == MR_KIND_DM     ? mr_uverbs_free_dm(uverbs, handle, err)
	       : kind == MR_KIND_UMEM ? mr_uverbs_dereg_umem(uverbs, handle, err)
				      : mr_uverbs_destroy_mr(uverbs, handle, err);
}

/* The man pages say that these calls return the errno; some providers return -1 and set errno. */
static int deregister_by_library(struct mr_region *region, struct mr_error *err)
{
	bool is_umem = region->kind == MR_KIND_UMEM;
	int rc;

	errno = 0;
	rc = is_umem ? mlx5dv_devx_umem_dereg(region->umem) : ibv_dereg_mr(region->mr);
	if (!rc)
		return 0;
	return mr_fail(err, MR_ERROR_REFUSED, rc > 0 ? rc : mr_call_errno(),
		       is_umem ? "mlx5dv_devx_umem_dereg" : "ibv_dereg_mr", NULL);
}

int mr_region_deregister(const struct mr_registrar *registrar, struct mr_region *region,
			 struct mr_error *err)
{
	bool by_library = region->kind == MR_KIND_UMEM ? region->umem != NULL : region->mr != NULL;
	uint64_t start = mr_registrar_now(registrar);
	int rc = by_library
			 ? deregister_by_library(region, err)
			 : mr_region_destroy(registrar->uverbs, region->kind, region->handle, err);

	if (rc)
		return rc;
	region->dereg_elapsed_ns = mr_registrar_now(registrar) - start;
	region->mr = NULL;
	region->live = false;
	return 0;
}
