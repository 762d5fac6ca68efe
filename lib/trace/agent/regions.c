// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <infiniband/mlx5dv.h>

#include "lib/trace/agent/agent.h"

/* verbs.h has macros of these names. */
#undef ibv_reg_mr
#undef ibv_reg_mr_iova

/* struct ibv_mr_init_attr and enum ibv_mr_init_attr_mask of rdma-core 59, which older headers lack. */
struct init_attr {
	size_t length;
	int access;
	uint64_t comp_mask;
	uint64_t iova;
	void *addr;
	int fd;
	uint64_t fd_offset;
	void *dmah;
};

enum {
	HAS_IOVA = 1 << 0,
	HAS_ADDR = 1 << 1,
	HAS_FD = 1 << 2,
	HAS_FD_OFFSET = 1 << 3,
	HAS_DMAH = 1 << 4,
};

static struct ibv_mr *end_of_reg(struct call *call, struct ibv_pd *pd, struct ibv_mr *mr)
{
	call_note_pd(call, pd);
	call_note_mr(call, mr);
	call_end(call, !mr, 0);
	return mr;
}

static void note_iova(struct call *call, uint64_t iova)
{
	call->record.iova = iova;
	call->record.flags |= MR_TRACE_HAS_IOVA;
}

static void note_fd(struct call *call, int fd)
{
	call->record.fd = fd;
	call->record.flags |= MR_TRACE_HAS_FD;
}

TRACED(struct ibv_mr *, ibv_reg_mr, (struct ibv_pd * pd, void *addr, size_t length, int access))
{
	struct call call;

	if (!call_begin(&call, MR_TRACED_IBV_REG_MR, CALLER))
		return REAL(ibv_reg_mr)(pd, addr, length, access);
	call_note_range(&call, (uintptr_t)addr, length, (uint32_t)access);
	return end_of_reg(&call, pd, REAL(ibv_reg_mr)(pd, addr, length, access));
}

TRACED(struct ibv_mr *, ibv_reg_mr_iova,
       (struct ibv_pd * pd, void *addr, size_t length, uint64_t iova, int access))
{
	struct call call;

	if (!call_begin(&call, MR_TRACED_IBV_REG_MR_IOVA, CALLER))
		return REAL(ibv_reg_mr_iova)(pd, addr, length, iova, access);
	call_note_range(&call, (uintptr_t)addr, length, (uint32_t)access);
	note_iova(&call, iova);
	return end_of_reg(&call, pd, REAL(ibv_reg_mr_iova)(pd, addr, length, iova, access));
}

TRACED(struct ibv_mr *, ibv_reg_mr_iova2,
       (struct ibv_pd * pd, void *addr, size_t length, uint64_t iova, unsigned int access))
{
	struct call call;

	if (!call_begin(&call, MR_TRACED_IBV_REG_MR_IOVA2, CALLER))
		return REAL(ibv_reg_mr_iova2)(pd, addr, length, iova, access);
	call_note_range(&call, (uintptr_t)addr, length, access);
	note_iova(&call, iova);
	return end_of_reg(&call, pd, REAL(ibv_reg_mr_iova2)(pd, addr, length, iova, access));
}

TRACED(struct ibv_mr *, ibv_reg_dmabuf_mr,
       (struct ibv_pd * pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access))
{
	struct call call;

	if (!call_begin(&call, MR_TRACED_IBV_REG_DMABUF_MR, CALLER))
		return REAL(ibv_reg_dmabuf_mr)(pd, offset, length, iova, fd, access);
	call_note_range(&call, offset, length, (uint32_t)access);
	note_iova(&call, iova);
	note_fd(&call, fd);
	return end_of_reg(&call, pd, REAL(ibv_reg_dmabuf_mr)(pd, offset, length, iova, fd, access));
}

TRACED(struct ibv_mr *, mlx5dv_reg_dmabuf_mr,
       (struct ibv_pd * pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access,
	int mlx5_access))
{
	struct call call;

	if (!call_begin(&call, MR_TRACED_MLX5DV_REG_DMABUF_MR, CALLER))
		return REAL(mlx5dv_reg_dmabuf_mr)(pd, offset, length, iova, fd, access,
						  mlx5_access);
	call_note_range(&call, offset, length, (uint32_t)access);
	note_iova(&call, iova);
	note_fd(&call, fd);
	call.record.call_flags = (uint32_t)mlx5_access;
	return end_of_reg(
		&call, pd,
		REAL(mlx5dv_reg_dmabuf_mr)(pd, offset, length, iova, fd, access, mlx5_access));
}

/* Of rdma-core 65.  The memory is the library's own: @buf tells it how the memory was made. */
TRACED(struct ibv_mr *, ibv_reg_buf_mr,
       (struct ibv_pd * pd, void *buf, void *addr, size_t length, int access))
{
	struct call call;

	if (!call_begin(&call, MR_TRACED_IBV_REG_BUF_MR, CALLER))
		return REAL(ibv_reg_buf_mr)(pd, buf, addr, length, access);
	call_note_range(&call, (uintptr_t)addr, length, (uint32_t)access);
	return end_of_reg(&call, pd, REAL(ibv_reg_buf_mr)(pd, buf, addr, length, access));
}

/* Read after the real function has: what the mask does not name need not be there. */
static void note_init_attr(struct call *call, const struct init_attr *attr)
{
	uint64_t mask = attr->comp_mask;

	call->record.comp_mask = mask;
	call_note_range(call, mask & HAS_ADDR ? (uintptr_t)attr->addr : 0, attr->length,
			(uint32_t)attr->access);
	if (mask & HAS_IOVA)
		note_iova(call, attr->iova);
	if (mask & HAS_FD)
		note_fd(call, attr->fd);
	if (mask & HAS_FD_OFFSET)
		call->record.addr = attr->fd_offset;
	if (mask & HAS_DMAH)
		call->record.flags |= MR_TRACE_HAS_DMAH;
}

TRACED(struct ibv_mr *, ibv_reg_mr_ex, (struct ibv_pd * pd, struct init_attr *attr))
{
	struct ibv_mr *mr;
	struct call call;

	if (!call_begin(&call, MR_TRACED_IBV_REG_MR_EX, CALLER))
		return REAL(ibv_reg_mr_ex)(pd, attr);
	mr = REAL(ibv_reg_mr_ex)(pd, attr);
	note_init_attr(&call, attr);
	return end_of_reg(&call, pd, mr);
}

TRACED(struct ibv_mr *, ibv_import_mr, (struct ibv_pd * pd, uint32_t handle))
{
	struct ibv_mr *mr;
	struct call call;

	if (!call_begin(&call, MR_TRACED_IBV_IMPORT_MR, CALLER))
		return REAL(ibv_import_mr)(pd, handle);
	mr = REAL(ibv_import_mr)(pd, handle);
	call.record.handle = handle;
	call.record.length = mr ? mr->length : 0;
	return end_of_reg(&call, pd, mr);
}

/* Freed by the call, so it is noted before.  Its protection domain is not read, as libibverbs does not, either. */
static void note_old_mr(struct call *call, const struct ibv_mr *mr)
{
	call->record.pd = (uintptr_t)mr->pd;
	call_note_context(call, mr->context);
	call_note_mr(call, mr);
	call_note_range(call, (uintptr_t)mr->addr, mr->length, 0);
}

TRACED(int, ibv_dereg_mr, (struct ibv_mr * mr))
{
	struct call call;
	int rc;

	if (!call_begin(&call, MR_TRACED_IBV_DEREG_MR, CALLER))
		return REAL(ibv_dereg_mr)(mr);
	note_old_mr(&call, mr);
	rc = REAL(ibv_dereg_mr)(mr);
	call_end(&call, rc, rc);
	return rc;
}

TRACED(void, ibv_unimport_mr, (struct ibv_mr * mr))
{
	struct call call;

	if (!call_begin(&call, MR_TRACED_IBV_UNIMPORT_MR, CALLER)) {
		REAL(ibv_unimport_mr)(mr);
		return;
	}
	note_old_mr(&call, mr);
	REAL(ibv_unimport_mr)(mr);
	call_end(&call, false, 0);
}

TRACED(int, ibv_rereg_mr,
       (struct ibv_mr * mr, int flags, struct ibv_pd *pd, void *addr, size_t length, int access))
{
	struct call call;
	int rc;

	if (!call_begin(&call, MR_TRACED_IBV_REREG_MR, CALLER))
		return REAL(ibv_rereg_mr)(mr, flags, pd, addr, length, access);
	rc = REAL(ibv_rereg_mr)(mr, flags, pd, addr, length, access);
	if (flags & IBV_REREG_MR_CHANGE_PD)
		call_note_pd(&call, pd);
	call_note_context(&call, mr->context);
	call_note_mr(&call, mr);
	call_note_range(&call, (uintptr_t)addr, length, (uint32_t)access);
	call.record.call_flags = (uint32_t)flags;
	call_end(&call, rc, rc);
	return rc;
}

static struct mlx5dv_devx_umem *end_of_umem(struct call *call, struct ibv_context *context,
					    struct mlx5dv_devx_umem *umem)
{
	call_note_context(call, context);
	call->record.object = (uintptr_t)umem;
	call->record.handle = umem ? umem->umem_id : 0;
	call_end(call, !umem, 0);
	return umem;
}

TRACED(struct mlx5dv_devx_umem *, mlx5dv_devx_umem_reg,
       (struct ibv_context * context, void *addr, size_t size, uint32_t access))
{
	struct call call;

	if (!call_begin(&call, MR_TRACED_MLX5DV_DEVX_UMEM_REG, CALLER))
		return REAL(mlx5dv_devx_umem_reg)(context, addr, size, access);
	call_note_range(&call, (uintptr_t)addr, size, access);
	return end_of_umem(&call, context, REAL(mlx5dv_devx_umem_reg)(context, addr, size, access));
}

TRACED(struct mlx5dv_devx_umem *, mlx5dv_devx_umem_reg_ex,
       (struct ibv_context * context, struct mlx5dv_devx_umem_in *in))
{
	struct mlx5dv_devx_umem *umem;
	struct call call;

	if (!call_begin(&call, MR_TRACED_MLX5DV_DEVX_UMEM_REG_EX, CALLER))
		return REAL(mlx5dv_devx_umem_reg_ex)(context, in);
	umem = REAL(mlx5dv_devx_umem_reg_ex)(context, in);
	call_note_range(&call, (uintptr_t)in->addr, in->size, in->access);
	call.record.page_sizes = in->pgsz_bitmap;
	call.record.comp_mask = in->comp_mask;
	call.record.flags |= MR_TRACE_HAS_PAGE_SIZES;
	if (in->comp_mask & MLX5DV_UMEM_MASK_DMABUF)
		note_fd(&call, in->dmabuf_fd);
	return end_of_umem(&call, context, umem);
}

TRACED(int, mlx5dv_devx_umem_dereg, (struct mlx5dv_devx_umem * umem))
{
	struct call call;
	int rc;

	if (!call_begin(&call, MR_TRACED_MLX5DV_DEVX_UMEM_DEREG, CALLER))
		return REAL(mlx5dv_devx_umem_dereg)(umem);
	call.record.object = (uintptr_t)umem;
	call.record.handle = umem->umem_id;
	rc = REAL(mlx5dv_devx_umem_dereg)(umem);
	call_end(&call, rc, rc);
	return rc;
}
