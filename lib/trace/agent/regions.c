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

/* Notes a registration, whose IOVA may be another address. */
static void note_reg(struct call *call, const struct ibv_pd *pd, uint64_t addr, uint64_t length,
		     uint32_t access, const struct ibv_mr *mr)
{
	call_note_pd(call, pd);
	call_note_range(call, addr, length, access);
	call_note_mr(call, mr);
}

static void note_reg_dmabuf(struct call *call, const struct ibv_pd *pd, uint64_t offset,
			    uint64_t length, uint64_t iova, int fd, int access,
			    const struct ibv_mr *mr)
{
	note_reg(call, pd, offset, length, (uint32_t)access, mr);
	note_iova(call, iova);
	note_fd(call, fd);
}

/* Read after the real function has: what the mask does not name need not be there. */
static void note_init_attr(struct call *call, const struct ibv_pd *pd, const struct init_attr *attr,
			   const struct ibv_mr *mr)
{
	const uint64_t mask = attr->comp_mask;

	note_reg(call, pd, mask & HAS_ADDR ? (uintptr_t)attr->addr : 0, attr->length,
		 (uint32_t)attr->access, mr);
	call->record.comp_mask = mask;
	if (mask & HAS_IOVA)
		note_iova(call, attr->iova);
	if (mask & HAS_FD)
		note_fd(call, attr->fd);
	if (mask & HAS_FD_OFFSET)
		call->record.addr = attr->fd_offset;
	if (mask & HAS_DMAH)
		call->record.flags |= MR_TRACE_HAS_DMAH;
}

/* Freed by the call, so it is noted before.  Its protection domain is not read, as libibverbs does not, either. */
static void note_old_mr(struct call *call, const struct ibv_mr *mr)
{
	call->record.pd = (uintptr_t)mr->pd;
	call_note_context(call, mr->context);
	call_note_mr(call, mr);
	call_note_range(call, (uintptr_t)mr->addr, mr->length, 0);
}

static void note_rereg(struct call *call, const struct ibv_mr *mr, int flags,
		       const struct ibv_pd *pd)
{
	if (flags & IBV_REREG_MR_CHANGE_PD)
		call_note_pd(call, pd);
	call_note_context(call, mr->context);
	call_note_mr(call, mr);
	call->record.call_flags = (uint32_t)flags;
}

static void note_umem(struct call *call, const struct ibv_context *context,
		      const struct mlx5dv_devx_umem *umem)
{
	if (context)
		call_note_context(call, context);
	call->record.object = (uintptr_t)umem;
	call->record.handle = umem ? umem->umem_id : 0;
}

static void note_umem_in(struct call *call, const struct mlx5dv_devx_umem_in *in)
{
	call_note_range(call, (uintptr_t)in->addr, in->size, in->access);
	call->record.page_sizes = in->pgsz_bitmap;
	call->record.comp_mask = in->comp_mask;
	call->record.flags |= MR_TRACE_HAS_PAGE_SIZES;
	if (in->comp_mask & MLX5DV_UMEM_MASK_DMABUF)
		note_fd(call, in->dmabuf_fd);
}

SEEN(struct ibv_mr *, ibv_reg_mr, IBV_REG_MR,
     (struct ibv_pd * pd, void *addr, size_t length, int access), (pd, addr, length, access), ,
     note_reg(&call, pd, (uintptr_t)addr, length, (uint32_t)access, result))

SEEN(struct ibv_mr *, ibv_reg_mr_iova, IBV_REG_MR_IOVA,
     (struct ibv_pd * pd, void *addr, size_t length, uint64_t iova, int access),
     (pd, addr, length, iova, access), note_iova(&call, iova),
     note_reg(&call, pd, (uintptr_t)addr, length, (uint32_t)access, result))

SEEN(struct ibv_mr *, ibv_reg_mr_iova2, IBV_REG_MR_IOVA2,
     (struct ibv_pd * pd, void *addr, size_t length, uint64_t iova, unsigned int access),
     (pd, addr, length, iova, access), note_iova(&call, iova),
     note_reg(&call, pd, (uintptr_t)addr, length, access, result))

SEEN(struct ibv_mr *, ibv_reg_dmabuf_mr, IBV_REG_DMABUF_MR,
     (struct ibv_pd * pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access),
     (pd, offset, length, iova, fd, access), ,
     note_reg_dmabuf(&call, pd, offset, length, iova, fd, access, result))

SEEN(struct ibv_mr *, mlx5dv_reg_dmabuf_mr, MLX5DV_REG_DMABUF_MR,
     (struct ibv_pd * pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access,
      int mlx5_access),
     (pd, offset, length, iova, fd, access, mlx5_access),
     call.record.call_flags = (uint32_t)mlx5_access,
     note_reg_dmabuf(&call, pd, offset, length, iova, fd, access, result))

/* Exists since rdma-core 65.  The memory is the library's own: @buf describes its allocation. */
SEEN(struct ibv_mr *, ibv_reg_buf_mr, IBV_REG_BUF_MR,
     (struct ibv_pd * pd, void *buf, void *addr, size_t length, int access),
     (pd, buf, addr, length, access), ,
     note_reg(&call, pd, (uintptr_t)addr, length, (uint32_t)access, result))

SEEN(struct ibv_mr *, ibv_reg_mr_ex, IBV_REG_MR_EX, (struct ibv_pd * pd, struct init_attr *attr),
     (pd, attr), , note_init_attr(&call, pd, attr, result))

SEEN(struct ibv_mr *, ibv_import_mr, IBV_IMPORT_MR, (struct ibv_pd * pd, uint32_t handle),
     (pd, handle), , note_reg(&call, pd, 0, result ? result->length : 0, 0, result);
     call.record.handle = handle)

SEEN(int, ibv_dereg_mr, IBV_DEREG_MR, (struct ibv_mr * mr), (mr), note_old_mr(&call, mr), )

SEEN_VOID(ibv_unimport_mr, IBV_UNIMPORT_MR, (struct ibv_mr * mr), (mr), note_old_mr(&call, mr))

SEEN(int, ibv_rereg_mr, IBV_REREG_MR,
     (struct ibv_mr * mr, int flags, struct ibv_pd *pd, void *addr, size_t length, int access),
     (mr, flags, pd, addr, length, access),
     call_note_range(&call, (uintptr_t)addr, length, (uint32_t)access),
     note_rereg(&call, mr, flags, pd))

SEEN(struct mlx5dv_devx_umem *, mlx5dv_devx_umem_reg, MLX5DV_DEVX_UMEM_REG,
     (struct ibv_context * context, void *addr, size_t size, uint32_t access),
     (context, addr, size, access), call_note_range(&call, (uintptr_t)addr, size, access),
     note_umem(&call, context, result))

SEEN(struct mlx5dv_devx_umem *, mlx5dv_devx_umem_reg_ex, MLX5DV_DEVX_UMEM_REG_EX,
     (struct ibv_context * context, struct mlx5dv_devx_umem_in *in), (context, in), ,
     note_umem_in(&call, in);
     note_umem(&call, context, result))

SEEN(int, mlx5dv_devx_umem_dereg, MLX5DV_DEVX_UMEM_DEREG, (struct mlx5dv_devx_umem * umem), (umem),
     note_umem(&call, NULL, umem), )
