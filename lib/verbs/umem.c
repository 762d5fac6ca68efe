// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>

#include "lib/base/base.h"
#include "lib/verbs/symbols.h"
#include "lib/verbs/uverbs.h"
#include "lib/verbs/verbs.h"

/* Room for exported attributes, in words of 32 bits: rdma-core 63 writes two. */
#define EXPORT_WORDS 64

/* The pgsz_bitmap that mlx5dv_devx_umem_reg(3) uses: any page size from 4 KiB on. */
#define ANY_PAGE_SIZE (~UINT64_C(0xfff))

bool mr_umem_reports_handles(void)
{
	struct mr_error ignored;

	return mr_symbol_find(MR_SYMBOL_UMEM_EXPORT, &ignored) &&
	       mr_symbol_find(MR_SYMBOL_UMEM_UNIMPORT, &ignored);
}

/*
 * The exported attributes are the handle and the umem's id (providers/mlx5/mlx5.h struct
 * mlx5dv_devx_umem_attrs).  Where the second word is not the id, a later library writes something else.
 */
static uint32_t umem_handle(struct mlx5dv_devx_umem *umem)
{
	struct mr_error ignored;
	mr_dv_umem_export *export =
		(mr_dv_umem_export *)mr_symbol_find(MR_SYMBOL_UMEM_EXPORT, &ignored);
	uint32_t words[EXPORT_WORDS] = { 0 };

	if (!export || export(umem, words) || words[1] != umem->umem_id)
		return MR_NO_HANDLE;
	return words[0];
}

void mr_umem_forget(struct mlx5dv_devx_umem *umem)
{
	struct mr_error ignored;
	mr_dv_umem_unimport *unimport =
		(mr_dv_umem_unimport *)mr_symbol_find(MR_SYMBOL_UMEM_UNIMPORT, &ignored);

	if (unimport)
		unimport(umem);
}

/* Return: the bytes that libmlx5 exports of a umem, or -errno. */
static int blob_size(struct mr_error *err)
{
	mr_dv_export_sizes *get_sizes =
		(mr_dv_export_sizes *)mr_symbol_find(MR_SYMBOL_EXPORT_SIZES, err);
	struct mr_dv_export_sizes sizes;

	if (!get_sizes)
		return -err->errnum;
	get_sizes(&sizes, sizeof(sizes));
	if (sizes.umem <= sizeof(((struct mr_umem_blob *)NULL)->bytes))
		return (int)sizes.umem;
	return mr_fail(err, MR_ERROR_HOST, EOVERFLOW, "mlx5dv_get_export_sizes", NULL);
}

int mr_umem_export(struct mlx5dv_devx_umem *umem, struct mr_umem_blob *blob, struct mr_error *err)
{
	mr_dv_umem_export *export = (mr_dv_umem_export *)mr_symbol_find(MR_SYMBOL_UMEM_EXPORT, err);
	int size, rc;

	*blob = (struct mr_umem_blob){ .size = 0 };
	if (!export)
		return -err->errnum;
	size = blob_size(err);
	if (size < 0)
		return size;
	rc = export(umem, blob->bytes);
	if (rc)
		return mr_fail(err, MR_ERROR_REFUSED, rc, "mlx5dv_devx_umem_export", NULL);
	blob->size = (uint8_t)size;
	return 0;
}

static struct mlx5dv_devx_umem *call_library(struct ibv_context *context,
					     const struct mr_region_request *request,
					     struct mr_error *err)
{
	const struct mr_call_row *row = mr_call_row(request->call);
	void *addr = mr_pointer(request->addr);
	/* mlx5dv_devx_umem_reg(3) takes neither a dma-buf nor page sizes. */
	const bool extended = row->on == MR_ON_DMABUF || row->page_sizes;
	struct mlx5dv_devx_umem_in in = {
		.addr = addr,
		.size = request->length,
		.access = request->access,
		.pgsz_bitmap = row->page_sizes ? request->page_sizes : ANY_PAGE_SIZE,
		.comp_mask = row->on == MR_ON_DMABUF ? MLX5DV_UMEM_MASK_DMABUF : 0,
		.dmabuf_fd = request->fd,
	};
	struct mlx5dv_devx_umem *umem;

	errno = 0;
	umem = extended ? mlx5dv_devx_umem_reg_ex(context, &in)
			: mlx5dv_devx_umem_reg(context, addr, request->length, request->access);
	if (!umem)
		mr_fail(err, MR_ERROR_REFUSED, mr_call_errno(), row->name, NULL);
	return umem;
}

static int register_by_library(const struct mr_registrar *registrar,
			       const struct mr_region_request *request, struct mr_region *region,
			       struct mr_error *err)
{
	uint64_t start = mr_registrar_now(registrar);
	struct mlx5dv_devx_umem *umem = call_library(registrar->context, request, err);
	uint64_t elapsed_ns = mr_registrar_now(registrar) - start;
	int rc;

	if (!umem)
		return -err->errnum;
	*region = (struct mr_region){
		.kind = MR_KIND_UMEM,
		.live = true,
		.elapsed_ns = elapsed_ns,
		.umem = umem,
		.addr = request->addr,
		.length = request->length,
		.handle = umem_handle(umem),
		.umem_id = umem->umem_id,
	};
	rc = request->export ? mr_umem_export(umem, request->export, err) : 0;
	if (rc)
		mlx5dv_devx_umem_dereg(umem);
	return rc;
}

/*
 * drivers/infiniband/hw/mlx5/devx.c MLX5_IB_METHOD_DEVX_UMEM_REG.  Another driver answers EPROTONOSUPPORT; EINVAL comes
 * also where the context is without DEVX.
 */
static int register_by_kernel(const struct mr_registrar *registrar,
			      const struct mr_region_request *request, struct mr_region *region,
			      struct mr_error *err)
{
	struct mr_ioctl ioctl =
		mr_ioctl_new(MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_REG);
	uint64_t start = mr_registrar_now(registrar);
	int rc;

	*region = (struct mr_region){
		.kind = MR_KIND_UMEM,
		.addr = request->addr,
		.length = request->length,
	};
	mr_ioctl_add_handle(&ioctl, MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE, 0);
	MR_IOCTL_IN(&ioctl, MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR, request->addr);
	MR_IOCTL_IN(&ioctl, MLX5_IB_ATTR_DEVX_UMEM_REG_LEN, request->length);
	MR_IOCTL_IN(&ioctl, MLX5_IB_ATTR_DEVX_UMEM_REG_ACCESS, request->access);
	if (mr_call_row(request->call)->page_sizes)
		MR_IOCTL_IN(&ioctl, MLX5_IB_ATTR_DEVX_UMEM_REG_PGSZ_BITMAP, request->page_sizes);
	if (mr_region_is_dmabuf(request->call))
		mr_ioctl_add(&ioctl, MLX5_IB_ATTR_DEVX_UMEM_REG_DMABUF_FD, 0,
			     (uint64_t)(int64_t)request->fd);
	MR_IOCTL_OUT(&ioctl, MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID, region->umem_id);
	rc = mr_ioctl_create(registrar->uverbs, &ioctl, "ioctl(DEVX_UMEM_REG)", &region->handle,
			     err);
	region->elapsed_ns = mr_registrar_now(registrar) - start;
	region->live = !rc;
	return rc;
}

int mr_umem_register(const struct mr_registrar *registrar, const struct mr_region_request *request,
		     struct mr_region *region, struct mr_error *err)
{
	if (request->export && !mr_symbol_find(MR_SYMBOL_UMEM_EXPORT, err))
		return -err->errnum;
	return registrar->via == MR_VIA_KERNEL
		       ? register_by_kernel(registrar, request, region, err)
		       : register_by_library(registrar, request, region, err);
}

int mr_umem_import(struct ibv_context *context, const struct mr_umem_blob *blob,
		   struct mr_region *region, struct mr_error *err)
{
	mr_dv_umem_import *import = (mr_dv_umem_import *)mr_symbol_find(MR_SYMBOL_UMEM_IMPORT, err);
	struct mr_umem_blob copy = *blob; /* its parameter is not const */
	struct mlx5dv_devx_umem *umem;
	int size;

	if (!import)
		return -err->errnum;
	size = blob_size(err);
	if (size < 0)
		return size;
	if (size != blob->size)
		return mr_fail_usage(err, "a umem is exported in %d bytes by this libmlx5, not %u",
				     size, blob->size);
	errno = 0;
	umem = import(context, copy.bytes);
	if (!umem)
		return mr_fail(err, MR_ERROR_REFUSED, mr_call_errno(), "mlx5dv_devx_umem_import",
			       NULL);
	*region = (struct mr_region){ .kind = MR_KIND_UMEM,
				      .live = true,
				      .umem = umem,
				      .handle = umem_handle(umem),
				      .umem_id = umem->umem_id };
	return 0;
}
