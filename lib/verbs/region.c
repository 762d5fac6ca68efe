// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <string.h>

#include "lib/memory/dmabuf.h"
#include "lib/session/relaxed.h"
#include "lib/verbs/dm.h"
#include "lib/verbs/symbols.h"
#include "lib/verbs/umem.h"
#include "lib/verbs/uverbs.h"

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

/* Of each call: its name, that of the ioctl that does the same, and the call that does it too. */
static const struct call {
	const char *name;
	const char *ioctl;
	enum mr_region_call ex;
} calls[] = {
	[MR_REG_MR] = { "ibv_reg_mr", "ioctl(REG_MR)", MR_REG_MR_EX },
	[MR_REG_MR_IOVA] = { "ibv_reg_mr_iova", "ioctl(REG_MR)", MR_REG_MR_EX_IOVA },
	[MR_REG_DMABUF_MR] = { "ibv_reg_dmabuf_mr", "ioctl(REG_DMABUF_MR)", MR_REG_MR_EX_FD },
	[MR_DV_REG_DMABUF_MR] = { "mlx5dv_reg_dmabuf_mr", "ioctl(REG_DMABUF_MR)", 0 },
	[MR_REG_MR_EX] = { "ibv_reg_mr_ex", NULL, MR_REG_MR_EX },
	[MR_REG_MR_EX_IOVA] = { "ibv_reg_mr_ex", NULL, MR_REG_MR_EX_IOVA },
	[MR_REG_MR_EX_FD] = { "ibv_reg_mr_ex", NULL, MR_REG_MR_EX_FD },
	[MR_REG_DM_MR] = { "ibv_reg_dm_mr", "ioctl(DM_MR_REG)", 0 },
	[MR_ALLOC_NULL_MR] = { "ibv_alloc_null_mr", NULL, 0 },
	[MR_REG_MR_RELAXED] = { "mr_reg_mr_relaxed", "mr_reg_mr_relaxed", 0 },
	[MR_UMEM_REG_DMABUF] = { "mlx5dv_devx_umem_reg_ex", "ioctl(DEVX_UMEM_REG)", 0 },
	[MR_UMEM_REG_EX_DMABUF] = { "mlx5dv_devx_umem_reg_ex", "ioctl(DEVX_UMEM_REG)", 0 },
	[MR_UMEM_REG] = { "mlx5dv_devx_umem_reg", "ioctl(DEVX_UMEM_REG)", 0 },
	[MR_UMEM_REG_EX] = { "mlx5dv_devx_umem_reg_ex", "ioctl(DEVX_UMEM_REG)", 0 },
};

const char *mr_region_call_name(unsigned int call, enum mr_via via)
{
	if (call >= sizeof(calls) / sizeof(*calls))
		return NULL;
	return via == MR_VIA_KERNEL ? calls[call].ioctl : calls[call].name;
}

bool mr_region_call_ex(enum mr_region_call call, enum mr_region_call *ex)
{
	if (!calls[call].ex)
		return false;
	*ex = calls[call].ex;
	return true;
}

const char *mr_region_kind_name(enum mr_region_kind kind)
{
	static const char *const names[] = {
		[MR_KIND_MR] = "mr",
		[MR_KIND_UMEM] = "umem",
		[MR_KIND_DM] = "dm",
	};

	return names[kind];
}

/* rdma-core 54, <infiniband/mlx5_api.h>, <rdma/mlx5_user_ioctl_verbs.h> */
#define DATA_DIRECT 1 /* MLX5DV_REG_DMABUF_ACCESS_DATA_DIRECT */

static struct mr_init_attr init_attr(const struct mr_region_request *r)
{
	struct mr_init_attr attr = { .length = r->length, .access = (int)r->access };

	if (r->call != MR_REG_MR_EX) {
		attr.comp_mask = MR_INIT_ATTR_IOVA;
		attr.iova = r->iova;
	}
	if (r->call == MR_REG_MR_EX_FD) {
		attr.comp_mask |= MR_INIT_ATTR_FD | MR_INIT_ATTR_FD_OFFSET;
		attr.fd = r->fd;
		attr.fd_offset = r->addr;
	} else {
		attr.comp_mask |= MR_INIT_ATTR_ADDR;
		attr.addr = (void *)(uintptr_t)r->addr; // NOLINT(performance-no-int-to-ptr)
	}
	return attr;
}

/*
 * The parentheses keep verbs.h's macros away, which replace these calls by ibv_reg_mr_iova2: the
 * call that is reported is the call that is made.
 */
static struct ibv_mr *call(struct ibv_pd *pd, const struct mr_region_request *r, void *newer)
{
	void *addr = (void *)(uintptr_t)r->addr; // NOLINT(performance-no-int-to-ptr)
	int access = (int)r->access;

	switch (r->call) {
	case MR_REG_MR_IOVA:
		return (ibv_reg_mr_iova)(pd, addr, r->length, r->iova, access);
	case MR_REG_DMABUF_MR:
		return ibv_reg_dmabuf_mr(pd, r->addr, r->length, r->iova, r->fd, access);
	case MR_DV_REG_DMABUF_MR:
		return ((mr_dv_reg_dmabuf_mr *)newer)(pd, r->addr, r->length, r->iova, r->fd,
						      access, DATA_DIRECT);
	case MR_REG_MR_EX:
	case MR_REG_MR_EX_IOVA:
	case MR_REG_MR_EX_FD:
		return ((mr_reg_mr_ex *)newer)(pd, (struct mr_init_attr[]){ init_attr(r) });
	case MR_REG_DM_MR:
		return ibv_reg_dm_mr(pd, r->dm->dm, r->addr, r->length, r->access);
	case MR_ALLOC_NULL_MR:
		return ibv_alloc_null_mr(pd);
	default:
		return (ibv_reg_mr)(pd, addr, r->length, access);
	}
}

static uint64_t iova_of(const struct mr_region_request *request)
{
	switch (request->call) {
	case MR_REG_MR:
	case MR_REG_MR_EX:
		return request->addr;
	case MR_REG_DM_MR: /* always addressed from 0 on */
		return 0;
	default:
		return request->iova;
	}
}

static int register_umem_by_kernel(const struct mr_registrar *registrar,
				   const struct mr_region_request *request,
				   struct mr_region *region, struct mr_error *err)
{
	const struct mr_uverbs_umem_reg reg = {
		.addr = request->addr,
		.length = request->length,
		.access = request->access,
		.page_sizes = { request->page_sizes, mr_region_has_page_sizes(request->call) },
		.dmabuf = mr_region_is_dmabuf(request->call),
		.fd = request->fd,
	};
	uint64_t start = mr_registrar_now(registrar);
	uint32_t handle, id;
	int rc = mr_uverbs_reg_umem(registrar->uverbs, &reg, &handle, &id, err);

	if (rc)
		return rc;
	*region = (struct mr_region){
		.kind = MR_KIND_UMEM,
		.live = true,
		.elapsed_ns = mr_registrar_now(registrar) - start,
		.addr = request->addr,
		.length = request->length,
		.handle = handle,
		.umem_id = id,
	};
	return 0;
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
	uint32_t flags = request->call == MR_DV_REG_DMABUF_MR ? DATA_DIRECT : 0;
	uint64_t start = mr_registrar_now(registrar);
	int rc;

	if (request->call == MR_ALLOC_NULL_MR) {
		mr_fail(err, MR_ERROR_HOST, EOPNOTSUPP, "ibv_alloc_null_mr",
			"a null MR is the library's alone: the kernel has no call that makes one");
		mr_hint(err, "use --via library");
		return -EOPNOTSUPP;
	}
	if (request->call == MR_REG_DM_MR)
		rc = mr_uverbs_reg_dm_mr(registrar->uverbs, &reg, request->dm->handle, &mr, err);
	else if (mr_region_is_dmabuf(request->call))
		rc = mr_uverbs_reg_dmabuf_mr(registrar->uverbs, &reg, request->fd, flags, &mr, err);
	else
		rc = mr_uverbs_reg_mr(registrar->uverbs, &reg, &mr, err);
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

static int register_umem_by_library(const struct mr_registrar *registrar,
				    const struct mr_region_request *request,
				    struct mr_region *region, struct mr_error *err)
{
	uint64_t start = mr_registrar_now(registrar);
	struct mlx5dv_devx_umem *umem = mr_umem_register(registrar->context, request, err);
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
		.handle = mr_umem_handle(umem),
		.umem_id = umem->umem_id,
	};
	rc = request->export ? mr_umem_export(umem, request->export, err) : 0;
	if (rc)
		mlx5dv_devx_umem_dereg(umem);
	return rc;
}

/* The function of a call that is newer than libibverbs 44. */
static int find_newer(enum mr_region_call call, void **newer, struct mr_error *err)
{
	switch (call) {
	case MR_DV_REG_DMABUF_MR:
		*newer = mr_symbol_find(MR_SYMBOL_REG_DMABUF_MR, err);
		break;
	case MR_REG_MR_EX:
	case MR_REG_MR_EX_IOVA:
	case MR_REG_MR_EX_FD:
		*newer = mr_symbol_find(MR_SYMBOL_REG_MR_EX, err);
		break;
	default:
		return 0;
	}
	return *newer ? 0 : -err->errnum;
}

static int register_by_library(const struct mr_registrar *registrar,
			       const struct mr_region_request *request, struct mr_region *region,
			       struct mr_error *err)
{
	void *newer = NULL;
	uint64_t start, elapsed_ns;
	struct ibv_mr *mr;
	int rc = find_newer(request->call, &newer, err);

	if (rc)
		return rc;
	start = mr_registrar_now(registrar);
	errno = 0;
	mr = call(registrar->pd, request, newer);
	elapsed_ns = mr_registrar_now(registrar) - start;
	if (!mr)
		return mr_fail(err, MR_ERROR_REFUSED, mr_call_errno(), calls[request->call].name,
			       NULL);
	*region = (struct mr_region){
		.live = true,
		.elapsed_ns = elapsed_ns,
		.mr = mr,
		.addr = request->addr,
		.length = mr->length,
		.iova = iova_of(request),
		.handle = request->call == MR_ALLOC_NULL_MR ? MR_NO_HANDLE : mr->handle,
		.lkey = mr->lkey,
		.rkey = mr->rkey,
	};
	return 0;
}

static int register_umem(const struct mr_registrar *registrar,
			 const struct mr_region_request *request, struct mr_region *region,
			 struct mr_error *err)
{
	int rc;

	if (request->export && !mr_symbol_find(MR_SYMBOL_UMEM_EXPORT, err))
		return -err->errnum;
	rc = registrar->via == MR_VIA_KERNEL
		     ? register_umem_by_kernel(registrar, request, region, err)
		     : register_umem_by_library(registrar, request, region, err);
	/* devx.c UVERBS_HANDLER(MLX5_IB_METHOD_DEVX_UMEM_REG) */
	if (rc == -EINVAL)
		mr_hint(err,
			"a umem takes local-write, remote-write (with local-write), "
			"remote-read and relaxed-ordering, a %s, a page size that fits its "
			"memory, and a context with DEVX",
			mr_region_is_dmabuf(request->call) ? "range within the dma-buf" : "length");
	if (rc == -EPROTONOSUPPORT && registrar->via == MR_VIA_KERNEL &&
	    registrar->uverbs->driver_id != RDMA_DRIVER_MLX5)
		mr_hint(err, "DEVX umems are objects of the driver mlx5_ib");
	else if (rc == -EPROTONOSUPPORT)
		mr_hint(err, "this kernel does not know DEVX umems, or an attribute of this one "
			     "(page sizes, dma-buf)");
	return rc;
}

/*
 * What is known of a descriptor that cannot be one.  libmlx5's umem call refuses -1 itself
 * (providers/mlx5/verbs.c _mlx5dv_devx_umem_reg_ex), and libibverbs' ibv_reg_mr_ex() leaves the
 * attribute out for it (cmd_ioctl.h fill_attr_in_fd), so that the kernel finds an offset alone: EINVAL.
 */
static void hint_descriptor(const struct mr_registrar *registrar,
			    const struct mr_region_request *request, struct mr_error *err)
{
	static const char failed[] = "a failed export returns -1";
	const bool library = registrar->via != MR_VIA_KERNEL;

	if (!mr_region_is_dmabuf(request->call) || request->fd >= 0)
		return;
	if (err->errnum == EINVAL && request->fd == -1 && request->call == MR_REG_MR_EX_FD)
		mr_hint(err, "libibverbs passes on no descriptor where it is -1; %s", failed);
	if (err->errnum != EBADF)
		return;
	if (request->fd == MR_DMABUF_CLOSED)
		mr_hint(err, "this descriptor was closed when mrctl began");
	else if (request->fd != -1)
		mr_hint(err, "no descriptor has a negative number");
	else if (library && mr_region_kind(request->call) == MR_KIND_UMEM)
		mr_hint(err,
			"libmlx5 itself refuses the descriptor -1, and the kernel is not asked "
			"(--via kernel asks it); %s",
			failed);
	else
		mr_hint(err, "-1 is no descriptor; %s", failed);
}

/* The call is asked for whole pages; what was asked for is a part of them. */
static int register_relaxed(const struct mr_registrar *registrar,
			    const struct mr_region_request *request, struct mr_region *region,
			    struct mr_error *err)
{
	struct mr_region_request whole = *request;
	int rc;

	whole.call = MR_REG_MR;
	mr_relaxed_extend(request->page_size, &whole.addr, &whole.length);
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
	int rc;

	if (request->call == MR_REG_MR_RELAXED)
		return register_relaxed(registrar, request, region, err);
	if (mr_region_kind(request->call) == MR_KIND_UMEM)
		rc = register_umem(registrar, request, region, err);
	else if (registrar->via == MR_VIA_KERNEL)
		rc = register_by_kernel(registrar, request, region, err);
	else
		rc = register_by_library(registrar, request, region, err);
	if (rc && request->call == MR_REG_DM_MR)
		mr_dm_hint_region(err);
	if (rc)
		hint_descriptor(registrar, request, err);
	return rc;
}

static bool ask_library_for_path(struct ibv_context *context, char *path, size_t size)
{
	struct mr_error ignored;
	mr_dv_data_direct_path *get =
		(mr_dv_data_direct_path *)mr_symbol_find(MR_SYMBOL_DATA_DIRECT_PATH, &ignored);

	return get && !get(context, path, size);
}

void mr_region_data_direct_path(const struct mr_registrar *registrar, char *path, size_t size)
{
	/* The kernel's answer lacks this. */
	static const char root[] = "/sys";
	const size_t used = sizeof(root) - 1;
	struct mr_error ignored;
	bool found;

	memset(path, 0, size);
	memcpy(path, root, used);
	if (registrar->via == MR_VIA_KERNEL)
		found = !mr_uverbs_data_direct_path(registrar->uverbs, path + used, size - used - 1,
						    &ignored);
	else
		found = ask_library_for_path(registrar->context, path + used, size - used - 1);
	if (!found)
		path[0] = '\0';
}

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

/*
 * EBUSY is what uverbs says of an object that another needs (uobj usecnt), and what mlx5 makes of its
 * firmware's RES_BUSY: by whom it is needed neither tells.  rxe says EINVAL of an MR to which a window is
 * bound (rxe_dereg_mr).
 */
static void hint_in_use(enum mr_region_kind kind, struct mr_error *err)
{
	static const char *const users[] = {
		[MR_KIND_MR] = "a memory window that is bound to the region",
		[MR_KIND_UMEM] = "a DEVX object that was made on the umem",
		[MR_KIND_DM] = "a region on the memory",
	};

	if (err->errnum == EBUSY)
		mr_hint(err,
			"it is in use; the answer does not tell by what: maybe %s, maybe something "
			"in the device's firmware",
			users[kind]);
	if (err->errnum == EINVAL)
		mr_hint(err, "the answer does not tell why; maybe it is in use, by %s",
			users[kind]);
}

int mr_region_destroy(const struct mr_uverbs *uverbs, enum mr_region_kind kind, uint32_t handle,
		      struct mr_error *err)
{
	int rc = kind == MR_KIND_DM     ? mr_uverbs_free_dm(uverbs, handle, err)
		 : kind == MR_KIND_UMEM ? mr_uverbs_dereg_umem(uverbs, handle, err)
					: mr_uverbs_destroy_mr(uverbs, handle, err);

	if (rc)
		hint_in_use(kind, err);
	return rc;
}

/* The errno itself, by the man pages; -1 and errno from some providers. */
static int deregister_by_library(struct mr_region *region, struct mr_error *err)
{
	bool is_umem = region->kind == MR_KIND_UMEM;
	int rc;

	errno = 0;
	rc = is_umem ? mlx5dv_devx_umem_dereg(region->umem) : ibv_dereg_mr(region->mr);
	if (!rc)
		return 0;
	rc = mr_fail(err, MR_ERROR_REFUSED, rc > 0 ? rc : mr_call_errno(),
		     is_umem ? "mlx5dv_devx_umem_dereg" : "ibv_dereg_mr", NULL);
	hint_in_use(region->kind, err);
	return rc;
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
