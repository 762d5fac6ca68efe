/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* DEVX umems: memory that is registered for objects of an mlx5 device.  They have no keys. */
#ifndef LIB_VERBS_UMEM_H
#define LIB_VERBS_UMEM_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/base.h"
#include "lib/verbs/calls.h"

/**
 * mr_umem_register() - mlx5dv_devx_umem_reg(3) or mlx5dv_devx_umem_reg_ex(3), or the method
 * DEVX_UMEM_REG by MR_VIA_KERNEL
 * @request: of a call that registers a umem
 * @region:  set on success
 *
 * Return: as mr_region_register().
 */
int mr_umem_register(const struct mr_registrar *registrar, const struct mr_region_request *request,
		     struct mr_region *region, struct mr_error *err);

/**
 * mr_umem_reports_handles() - whether libmlx5 reports handles of umems, and can forget umems
 *
 * It can from rdma-core 63 on, by mlx5dv_devx_umem_export(3) and mlx5dv_devx_umem_unimport(3).
 */
bool mr_umem_reports_handles(void);

/** mr_umem_handle() - the kernel's number of a umem, or MR_NO_HANDLE where libmlx5 does not report it */
uint32_t mr_umem_handle(struct mlx5dv_devx_umem *umem);

/**
 * mr_umem_export() - mlx5dv_devx_umem_export(3)
 * @blob: set on success
 *
 * Return: 0, or -errno: -ENOSYS with MR_ERROR_HOST where the installed libmlx5 lacks it.
 */
int mr_umem_export(struct mlx5dv_devx_umem *umem, struct mr_umem_blob *blob, struct mr_error *err);

/**
 * mr_umem_import() - mlx5dv_devx_umem_import(3), which does not ask the kernel whether the umem exists
 * @umem: set on success; mr_umem_forget() it
 *
 * Return: 0, or -errno: -EINVAL with MR_ERROR_USAGE for a blob that is not as long as libmlx5's,
 * -ENOSYS with MR_ERROR_HOST where the installed libmlx5 lacks the call.
 */
int mr_umem_import(struct ibv_context *context, const struct mr_umem_blob *blob,
		   struct mlx5dv_devx_umem **umem, struct mr_error *err);

/** mr_umem_id() - the device's number of a umem */
uint32_t mr_umem_id(const struct mlx5dv_devx_umem *umem);

/** mr_umem_forget() - free what libmlx5 has of a umem, which stays registered (mlx5dv_devx_umem_unimport(3)) */
void mr_umem_forget(struct mlx5dv_devx_umem *umem);

#endif
