/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Deregistering a region, or freeing only what the library has of it. */
#ifndef LIB_VERBS_DEREGISTER_H
#define LIB_VERBS_DEREGISTER_H

#include <stdint.h>

#include "lib/base/base.h"
#include "lib/verbs/calls.h"

/**
 * mr_region_forget() - free the library's memory of a region that stays registered
 *
 * It calls ibv_unimport_mr(3) or mlx5dv_devx_umem_unimport(3).  The region's device must be an imported
 * one: somebody else holds that open, so the region stays when this process closes it.
 */
void mr_region_forget(struct mr_region *region);

/**
 * mr_region_destroy() - ask the kernel to destroy a region by its handle
 *
 * The method is MR_DESTROY, DEVX_UMEM_DEREG or DM_FREE.  The kernel refuses with ENOENT or EINVAL where
 * no object of that kind has the handle.
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED.
 */
int mr_region_destroy(const struct mr_uverbs *uverbs, enum mr_region_kind kind, uint32_t handle,
		      struct mr_error *err);

/**
 * mr_region_deregister() - ibv_dereg_mr(3), mlx5dv_devx_umem_dereg(3), or mr_region_destroy() by
 * MR_VIA_KERNEL
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED; the region is still there then.
 */
int mr_region_deregister(const struct mr_registrar *registrar, struct mr_region *region,
			 struct mr_error *err);

#endif
