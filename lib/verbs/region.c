// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>

#include "lib/base/base.h"
#include "lib/verbs/verbs.h"

/* rdma-core 54, <infiniband/mlx5_api.h>, <rdma/mlx5_user_ioctl_verbs.h> */
#define DATA_DIRECT 1 /* MLX5DV_REG_DMABUF_ACCESS_DATA_DIRECT */

/* Functions of libmlx5 that mr_symbol_find() looks up. */
typedef struct ibv_mr *mr_dv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length,
					   uint64_t iova, int fd, int access, int mlx5_access);
typedef int mr_dv_umem_export(struct mlx5dv_devx_umem *umem, void *data);
typedef struct mlx5dv_devx_umem *mr_dv_umem_import(struct ibv_context *context, void *data);
typedef void mr_dv_umem_unimport(struct mlx5dv_devx_umem *umem);

/* struct mlx5dv_export_sizes of rdma-core 63: sizes in bytes. */
struct mr_dv_export_sizes {
	uint32_t var;
	uint32_t umem;
	uint32_t object;
};
typedef void mr_dv_export_sizes(struct mr_dv_export_sizes *sizes, size_t size);

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

static void forget_umem(struct mlx5dv_devx_umem *umem)
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

/* Returns the function that register_by_library() has looked up for the call. */
static void *find_function(const struct mr_call_row *row)
{
	struct mr_error ignored;

	return mr_symbol_find(row->symbol, &ignored);
}

/*
 * verbs.h has macros of these names, which call ibv_reg_mr_iova2().  Parentheses around the name prevent
 * that, so that the call which mrctl reports is the call which it makes.
 */
static void *reg_mr(const struct mr_registrar *registrar, const struct mr_region_request *r)
{
	return (ibv_reg_mr)(registrar->pd, mr_pointer(r->addr), r->length, (int)r->access);
}

static void *reg_mr_iova(const struct mr_registrar *registrar, const struct mr_region_request *r)
{
	return (ibv_reg_mr_iova)(registrar->pd, mr_pointer(r->addr), r->length, r->iova,
				 (int)r->access);
}

static void *reg_mr_ex(const struct mr_registrar *registrar, const struct mr_region_request *r)
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
	return ((mr_reg_mr_ex *)find_function(row))(registrar->pd, &attr);
}

static void *reg_dmabuf_mr(const struct mr_registrar *registrar, const struct mr_region_request *r)
{
	return ibv_reg_dmabuf_mr(registrar->pd, r->addr, r->length, r->iova, r->fd, (int)r->access);
}

static void *reg_data_direct_mr(const struct mr_registrar *registrar,
				const struct mr_region_request *r)
{
	return ((mr_dv_reg_dmabuf_mr *)find_function(mr_call_row(r->call)))(
		registrar->pd, r->addr, r->length, r->iova, r->fd, (int)r->access, DATA_DIRECT);
}

static void *reg_dm_mr(const struct mr_registrar *registrar, const struct mr_region_request *r)
{
	return ibv_reg_dm_mr(registrar->pd, r->dm->dm, r->addr, r->length, r->access);
}

static void *alloc_null_mr(const struct mr_registrar *registrar, const struct mr_region_request *r)
{
	(void)r;
	return ibv_alloc_null_mr(registrar->pd);
}

/* mlx5dv_devx_umem_reg(3) takes neither a dma-buf nor page sizes. */
static void *reg_umem(const struct mr_registrar *registrar, const struct mr_region_request *r)
{
	return mlx5dv_devx_umem_reg(registrar->context, mr_pointer(r->addr), r->length, r->access);
}

static void *reg_umem_ex(const struct mr_registrar *registrar, const struct mr_region_request *r)
{
	const struct mr_call_row *row = mr_call_row(r->call);
	struct mlx5dv_devx_umem_in in = {
		.addr = mr_pointer(r->addr),
		.size = r->length,
		.access = r->access,
		.pgsz_bitmap = row->page_sizes ? r->page_sizes : ANY_PAGE_SIZE,
		.comp_mask = row->on == MR_ON_DMABUF ? MLX5DV_UMEM_MASK_DMABUF : 0,
		.dmabuf_fd = r->fd,
	};

	return mlx5dv_devx_umem_reg_ex(registrar->context, &in);
}

/* ---- by the kernel ---- */

/* MLX5_IB_ATTR_REG_DMABUF_MR_ACCESS_FLAGS, which headers of rdma-core 44 lack. */
#define ATTR_REG_DMABUF_MR_ACCESS_FLAGS (1u << UVERBS_ID_NS_SHIFT)

/* From later versions of <rdma/ib_user_ioctl_cmds.h>: uverbs_methods_mr, uverbs_attrs_reg_mr_cmd_attr_ids. */
#define METHOD_REG_MR 5
enum {
	REG_MR_HANDLE,
	REG_MR_PD_HANDLE,
	REG_MR_DMA_HANDLE,
	REG_MR_IOVA,
	REG_MR_ADDR,
	REG_MR_LENGTH,
	REG_MR_ACCESS_FLAGS,
	REG_MR_FD,
	REG_MR_FD_OFFSET,
	REG_MR_RESP_LKEY,
	REG_MR_RESP_RKEY,
};

/* uverbs_cmd.c ib_uverbs_reg_mr() */
static int ioctl_reg_mr(const struct mr_registrar *registrar, const struct mr_region_request *r,
			struct mr_region *region, struct mr_error *err)
{
	const struct mr_driver *driver = mr_driver_find(registrar->uverbs->driver_id);
	const struct ib_uverbs_reg_mr in = {
		.start = r->addr,
		.length = r->length,
		.hca_va = iova_of(r),
		.pd_handle = registrar->pd_handle,
		.access_flags = r->access,
	};
	struct ib_uverbs_reg_mr_resp out = { .mr_handle = 0 };
	uint64_t private_in[4] = { 0 }, private_out[4] = { 0 };
	struct mr_ioctl request =
		mr_ioctl_new_write(IB_USER_VERBS_CMD_REG_MR, &in, sizeof(in), &out, sizeof(out));
	int rc;

	if (driver->reg_in)
		mr_ioctl_add_in(&request, UVERBS_ATTR_UHW_IN, private_in, driver->reg_in);
	if (driver->reg_out)
		mr_ioctl_add_out(&request, UVERBS_ATTR_UHW_OUT, private_out, driver->reg_out);
	rc = mr_ioctl_submit(registrar->uverbs, &request, "ioctl(REG_MR)", err);
	region->handle = out.mr_handle;
	region->lkey = out.lkey;
	region->rkey = out.rkey;
	return rc;
}

/* uverbs_std_types_mr.c UVERBS_METHOD_REG_MR, with a DMA handle */
static int ioctl_reg_dmah_mr(const struct mr_registrar *registrar,
			     const struct mr_region_request *r, struct mr_region *region,
			     struct mr_error *err)
{
	struct mr_ioctl request = mr_ioctl_new(UVERBS_OBJECT_MR, METHOD_REG_MR);
	const uint64_t iova = iova_of(r);

	mr_ioctl_add_handle(&request, REG_MR_HANDLE, 0);
	mr_ioctl_add_handle(&request, REG_MR_PD_HANDLE, registrar->pd_handle);
	mr_ioctl_add_handle(&request, REG_MR_DMA_HANDLE, r->dmah->handle);
	MR_IOCTL_IN(&request, REG_MR_IOVA, iova);
	MR_IOCTL_IN(&request, REG_MR_ADDR, r->addr);
	MR_IOCTL_IN(&request, REG_MR_LENGTH, r->length);
	MR_IOCTL_IN(&request, REG_MR_ACCESS_FLAGS, r->access);
	MR_IOCTL_OUT(&request, REG_MR_RESP_LKEY, region->lkey);
	MR_IOCTL_OUT(&request, REG_MR_RESP_RKEY, region->rkey);
	return mr_ioctl_create(registrar->uverbs, &request, "ioctl(REG_MR)", &region->handle, err);
}

/*
 * uverbs_std_types_mr.c UVERBS_METHOD_REG_DMABUF_MR.  A kernel that does not know mlx5's own attribute answers
 * EPROTONOSUPPORT.
 */
static int ioctl_reg_dmabuf_mr(const struct mr_registrar *registrar,
			       const struct mr_region_request *r, struct mr_region *region,
			       struct mr_error *err)
{
	struct mr_ioctl request = mr_ioctl_new(UVERBS_OBJECT_MR, UVERBS_METHOD_REG_DMABUF_MR);
	const uint32_t mlx5_access = DATA_DIRECT;
	const uint64_t iova = iova_of(r);

	mr_ioctl_add_handle(&request, UVERBS_ATTR_REG_DMABUF_MR_HANDLE, 0);
	mr_ioctl_add_handle(&request, UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE, registrar->pd_handle);
	MR_IOCTL_IN(&request, UVERBS_ATTR_REG_DMABUF_MR_OFFSET, r->addr);
	MR_IOCTL_IN(&request, UVERBS_ATTR_REG_DMABUF_MR_LENGTH, r->length);
	MR_IOCTL_IN(&request, UVERBS_ATTR_REG_DMABUF_MR_IOVA, iova);
	MR_IOCTL_IN(&request, UVERBS_ATTR_REG_DMABUF_MR_FD, r->fd);
	MR_IOCTL_IN(&request, UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS, r->access);
	MR_IOCTL_OUT(&request, UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, region->lkey);
	MR_IOCTL_OUT(&request, UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, region->rkey);
	if (mr_call_row(r->call)->data_direct)
		MR_IOCTL_IN(&request, ATTR_REG_DMABUF_MR_ACCESS_FLAGS, mlx5_access);
	return mr_ioctl_create(registrar->uverbs, &request, "ioctl(REG_DMABUF_MR)", &region->handle,
			       err);
}

/* uverbs_std_types_mr.c UVERBS_METHOD_DM_MR_REG: the address is the offset in the memory. */
static int ioctl_reg_dm_mr(const struct mr_registrar *registrar, const struct mr_region_request *r,
			   struct mr_region *region, struct mr_error *err)
{
	struct mr_ioctl request = mr_ioctl_new(UVERBS_OBJECT_MR, UVERBS_METHOD_DM_MR_REG);

	mr_ioctl_add_handle(&request, UVERBS_ATTR_REG_DM_MR_HANDLE, 0);
	mr_ioctl_add_handle(&request, UVERBS_ATTR_REG_DM_MR_PD_HANDLE, registrar->pd_handle);
	mr_ioctl_add_handle(&request, UVERBS_ATTR_REG_DM_MR_DM_HANDLE, r->dm->handle);
	MR_IOCTL_IN(&request, UVERBS_ATTR_REG_DM_MR_OFFSET, r->addr);
	MR_IOCTL_IN(&request, UVERBS_ATTR_REG_DM_MR_LENGTH, r->length);
	MR_IOCTL_IN(&request, UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS, r->access);
	MR_IOCTL_OUT(&request, UVERBS_ATTR_REG_DM_MR_RESP_LKEY, region->lkey);
	MR_IOCTL_OUT(&request, UVERBS_ATTR_REG_DM_MR_RESP_RKEY, region->rkey);
	return mr_ioctl_create(registrar->uverbs, &request, "ioctl(DM_MR_REG)", &region->handle,
			       err);
}

/*
 * drivers/infiniband/hw/mlx5/devx.c MLX5_IB_METHOD_DEVX_UMEM_REG.  Another driver answers EPROTONOSUPPORT; EINVAL comes
 * also where the context is without DEVX.
 */
static int ioctl_reg_umem(const struct mr_registrar *registrar, const struct mr_region_request *r,
			  struct mr_region *region, struct mr_error *err)
{
	struct mr_ioctl request =
		mr_ioctl_new(MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_REG);

	mr_ioctl_add_handle(&request, MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE, 0);
	MR_IOCTL_IN(&request, MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR, r->addr);
	MR_IOCTL_IN(&request, MLX5_IB_ATTR_DEVX_UMEM_REG_LEN, r->length);
	MR_IOCTL_IN(&request, MLX5_IB_ATTR_DEVX_UMEM_REG_ACCESS, r->access);
	if (mr_call_row(r->call)->page_sizes)
		MR_IOCTL_IN(&request, MLX5_IB_ATTR_DEVX_UMEM_REG_PGSZ_BITMAP, r->page_sizes);
	if (mr_region_is_dmabuf(r->call))
		mr_ioctl_add(&request, MLX5_IB_ATTR_DEVX_UMEM_REG_DMABUF_FD, 0,
			     (uint64_t)(int64_t)r->fd);
	MR_IOCTL_OUT(&request, MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID, region->umem_id);
	return mr_ioctl_create(registrar->uverbs, &request, "ioctl(DEVX_UMEM_REG)", &region->handle,
			       err);
}

static int fail_null_mr(const struct mr_registrar *registrar, const struct mr_region_request *r,
			struct mr_region *region, struct mr_error *err)
{
	(void)registrar;
	(void)region;
	mr_fail(err, MR_ERROR_HOST, EOPNOTSUPP, mr_call_row(r->call)->name,
		"a null MR requires the library: the kernel has no call for it");
	mr_hint(err, "use --via library");
	return -EOPNOTSUPP;
}

enum mr_tristate mr_uverbs_has_reg_mr(const struct mr_uverbs *uverbs)
{
	struct mr_ioctl request = mr_ioctl_new(UVERBS_OBJECT_MR, METHOD_REG_MR);

	switch (mr_ioctl_submit(uverbs, &request, "ioctl(REG_MR)", NULL)) {
	case -EPROTONOSUPPORT:
		return MR_NO;
	case -EINVAL:
		return MR_YES;
	default:
		return MR_UNKNOWN;
	}
}

/* ---- by either ---- */

/*
 * The functions that make each call.  Those of the library return its object, a struct ibv_mr or a
 * struct mlx5dv_devx_umem; or NULL, most of them with errno.
 */
static const struct functions {
	void *(*library)(const struct mr_registrar *registrar, const struct mr_region_request *r);
	int (*kernel)(const struct mr_registrar *registrar, const struct mr_region_request *r,
		      struct mr_region *region, struct mr_error *err);
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
	[MR_UMEM_REG] = { reg_umem, ioctl_reg_umem },
	[MR_UMEM_REG_EX] = { reg_umem_ex, ioctl_reg_umem },
	[MR_UMEM_REG_DMABUF] = { reg_umem_ex, ioctl_reg_umem },
	[MR_UMEM_REG_EX_DMABUF] = { reg_umem_ex, ioctl_reg_umem },
	[MR_REG_MR_DMAH] = { reg_mr_ex, ioctl_reg_dmah_mr },
};

static int register_by_kernel(const struct mr_registrar *registrar,
			      const struct mr_region_request *request, struct mr_region *region,
			      struct mr_error *err)
{
	uint64_t start = mr_registrar_now(registrar);
	int rc = functions[request->call].kernel(registrar, request, region, err);

	region->elapsed_ns = mr_registrar_now(registrar) - start;
	region->live = !rc;
	return rc;
}

static int register_by_library(const struct mr_registrar *registrar,
			       const struct mr_region_request *request, struct mr_region *region,
			       struct mr_error *err)
{
	const struct mr_call_row *row = mr_call_row(request->call);
	uint64_t start;
	void *object;
	int rc = 0;

	if (row->symbol != MR_SYMBOL_NONE && !mr_symbol_find(row->symbol, err))
		return -err->errnum;
	start = mr_registrar_now(registrar);
	errno = 0;
	object = functions[request->call].library(registrar, request);
	region->elapsed_ns = mr_registrar_now(registrar) - start;
	if (!object)
		return mr_fail(err, MR_ERROR_REFUSED, mr_call_errno(), row->name, NULL);
	if (row->kind == MR_KIND_UMEM) {
		region->umem = object;
		region->handle = umem_handle(region->umem);
		region->umem_id = region->umem->umem_id;
		rc = request->export ? mr_umem_export(object, request->export, err) : 0;
		if (rc)
			mlx5dv_devx_umem_dereg(object);
	} else {
		region->mr = object;
		region->length = region->mr->length;
		region->handle = row->on == MR_ON_NOTHING ? MR_NO_HANDLE : region->mr->handle;
		region->lkey = region->mr->lkey;
		region->rkey = region->mr->rkey;
	}
	region->live = !rc;
	return rc;
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
	*region = (struct mr_region){ .kind = (uint8_t)mr_region_kind(request->call),
				      .addr = request->addr,
				      .length = request->length,
				      .iova = iova_of(request) };
	if (request->export && !mr_symbol_find(MR_SYMBOL_UMEM_EXPORT, err))
		return -err->errnum;
	if (registrar->via == MR_VIA_KERNEL)
		return register_by_kernel(registrar, request, region, err);
	return register_by_library(registrar, request, region, err);
}

void mr_region_forget(struct mr_region *region)
{
	if (region->kind == MR_KIND_UMEM) {
		if (region->umem)
			forget_umem(region->umem);
		region->umem = NULL;
		return;
	}
	if (region->mr)
		ibv_unimport_mr(region->mr);
	region->mr = NULL;
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

int mr_region_deregister(const struct mr_registrar *registrar, struct mr_region *region,
			 struct mr_error *err)
{
	bool is_umem = region->kind == MR_KIND_UMEM;
	bool by_library = is_umem ? region->umem != NULL : region->mr != NULL;
	uint64_t start = mr_registrar_now(registrar);
	int rc;

	errno = 0; /* according to the man pages the calls return it; some providers return -1 and set it */
	rc = !by_library ? mr_uverbs_destroy(registrar->uverbs, region->kind, region->handle, err)
	     : is_umem   ? mlx5dv_devx_umem_dereg(region->umem)
			 : ibv_dereg_mr(region->mr);
	if (rc && by_library)
		rc = mr_fail(err, MR_ERROR_REFUSED, rc > 0 ? rc : mr_call_errno(),
			     is_umem ? "mlx5dv_devx_umem_dereg" : "ibv_dereg_mr", NULL);
	if (rc)
		return rc;
	region->dereg_elapsed_ns = mr_registrar_now(registrar) - start;
	region->mr = NULL;
	region->live = false;
	return 0;
}

/* Bytes of one request, whose length has 32 bits: whole pages, so that no page is in two requests. */
#define PART_MAX UINT64_C(0xfffff000)

#define FLUSH    3 /* index of the flag below; the index of each word before it is its number */

const struct mr_word mr_advice_words[] = {
	[IBV_ADVISE_MR_ADVICE_PREFETCH] = MR_WORD("prefetch", "fetch the pages, for reading"),
	[IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE] =
		MR_WORD("prefetch-write", "fetch the pages, for writing too"),
	[IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT] =
		MR_WORD("prefetch-no-fault", "fetch only pages that are present"),
	[FLUSH] = MR_WORD("flush", "after an advice and a comma: wait until it is done"),
	{ .name = NULL },
};

/* Prefixes of these words in <infiniband/verbs.h> and in the kernel's header. */
static const char *const prefixes[] = { "IBV_ADVISE_MR_ADVICE_", "IB_UVERBS_ADVISE_MR_ADVICE_",
					"IBV_ADVISE_MR_FLAG_", "IB_UVERBS_ADVISE_MR_FLAG_", NULL };

/* The index of a word in mr_advice_words, or -1. */
static int find_word(const char *item, size_t length)
{
	item = mr_word_without(item, &length, prefixes);
	return mr_word_find(mr_advice_words, item, length);
}

static int parse_advice(const char *item, size_t length, uint32_t *advice, struct mr_error *err)
{
	int found = find_word(item, length);

	if (found == FLUSH)
		return mr_fail_usage(err, "put 'flush' after an advice, as in prefetch,flush");
	if (found < 0)
		return mr_word_as_number(mr_advice_words, "advice", item, length, advice, err);
	*advice = (uint32_t)found;
	return 0;
}

static int parse_flag(const char *item, size_t length, uint32_t *flag, struct mr_error *err)
{
	int found = find_word(item, length);

	*flag = IBV_ADVISE_MR_FLAG_FLUSH;
	if (found >= 0 && found < FLUSH)
		return mr_fail_usage(err, "one advice at a time: '%.*s' is a second one",
				     (int)length, item);
	if (found == FLUSH)
		return 0;
	return mr_word_as_number(&mr_advice_words[FLUSH], "flag", item, length, flag, err);
}

int mr_advice_parse(const char *text, struct mr_advice *advice, struct mr_error *err)
{
	const char *rest = text, *item;
	uint32_t flag;
	size_t length;
	int rc;

	*advice = (struct mr_advice){ .text = text };
	item = mr_list_item(&rest, ",|", &length);
	rc = parse_advice(item, length, &advice->advice, err);
	while (!rc && (item = mr_list_item(&rest, ",|", &length))) {
		rc = parse_flag(item, length, &flag, err);
		if (!rc)
			advice->flags |= flag;
	}
	return rc;
}

static int advise_part(const struct mr_registrar *registrar, const struct mr_advice *advice,
		       uint64_t addr, uint32_t length, uint32_t lkey, struct mr_error *err)
{
	struct ibv_sge sge = { .addr = addr, .length = length, .lkey = lkey };
	const struct ib_uverbs_sge part = { .addr = addr, .length = length, .lkey = lkey };
	struct mr_ioctl request = mr_ioctl_new(UVERBS_OBJECT_MR, UVERBS_METHOD_ADVISE_MR);
	const uint64_t number = advice->advice; /* the attribute of an enum has 64 bits */
	int rc;

	if (registrar->via == MR_VIA_KERNEL) {
		mr_ioctl_add_handle(&request, UVERBS_ATTR_ADVISE_MR_PD_HANDLE,
				    registrar->pd_handle);
		MR_IOCTL_IN(&request, UVERBS_ATTR_ADVISE_MR_ADVICE, number);
		MR_IOCTL_IN(&request, UVERBS_ATTR_ADVISE_MR_FLAGS, advice->flags);
		MR_IOCTL_IN(&request, UVERBS_ATTR_ADVISE_MR_SGE_LIST, part);
		return mr_ioctl_submit(registrar->uverbs, &request, "ioctl(ADVISE_MR)", err);
	}
	rc = ibv_advise_mr(registrar->pd, advice->advice, advice->flags, &sge, 1);
	return rc ? mr_fail(err, MR_ERROR_REFUSED, rc, "ibv_advise_mr", NULL) : 0;
}

int mr_advise(const struct mr_registrar *registrar, const struct mr_advice *advice,
	      const struct mr_advice_range *range, uint64_t *ns, struct mr_error *err)
{
	uint64_t start = mr_now_ns(), addr = range->addr, left = range->length;
	int rc;

	do {
		uint64_t part = left < PART_MAX ? left : PART_MAX;

		rc = advise_part(registrar, advice, addr, (uint32_t)part, range->lkey, err);
		addr += part;
		left -= part;
	} while (!rc && left);
	*ns = mr_now_ns() - start;
	return rc;
}
