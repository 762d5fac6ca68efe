// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* DEVX umems: the kernel's drivers/infiniband/hw/mlx5/devx.c. */
#include <errno.h>

#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>

#include "lib/sim/base/pages.h"
#include "lib/sim/call/registration.h"
#include "lib/sim/handlers/devx_umem.h"
#include "lib/sim/memory/dmabuf.h"
#include "lib/sim/memory/pin.h"
#include "lib/sim/state/account.h"

#define ADAPTER_PAGE_SHIFT 12
#define HUGE_PAGE_SHIFT    21

struct umem {
	uint64_t addr; /* of the memory, or bytes from the start of the dma-buf */
	uint64_t length;
	uint64_t page_sizes; /* that the caller allows: bit i: 2^i bytes */
	uint32_t access;
	uint32_t pinned; /* pages */
	bool is_dmabuf;
	int fd;
};

/* A mask of the bits from @low to @high. */
static uint64_t bits(uint32_t high, uint32_t low)
{
	return UINT64_MAX >> (63 - high) & UINT64_MAX << low;
}

/*
 * log2 of the bytes of the contiguous pieces that the memory consists of.  The kernel would join pieces
 * that are neighbours in physical memory, which programs cannot find out.
 */
static uint32_t piece_shift(const struct umem *umem, bool scattered)
{
	if (umem->is_dmabuf)
		return scattered ? ADAPTER_PAGE_SHIFT : 63;
	return sim_umem_is_huge(umem->addr, umem->length) ? HUGE_PAGE_SHIFT : ADAPTER_PAGE_SHIFT;
}

/*
 * devx_umem_find_best_pgsize(), ib_umem_find_best_pgsz(): whether a page size that the caller allows fits.
 * Sizes up to that of the machine's pages do.  A larger one must not exceed the pieces, unless the memory
 * lies in a single piece.
 */
static bool has_page_size(const struct umem *umem, bool scattered)
{
	uint32_t shift = (uint32_t)__builtin_ctzll(sim_page_size()), piece;
	uint32_t order = umem->length > 1 ? 64 - (uint32_t)__builtin_clzll(umem->length - 1) : 0;
	uint64_t sizes = umem->page_sizes;

	/* sim_umem_pin() lets a length of 0 pass where the address is not at the start of a page */
	if (!umem->length)
		return false;
	sizes &= bits(order > shift ? (order > 63 ? 63 : order) : shift, ADAPTER_PAGE_SHIFT);
	if (!sizes || sizes & bits(shift, ADAPTER_PAGE_SHIFT))
		return sizes;
	piece = piece_shift(umem, scattered);
	return umem->addr >> piece == (umem->addr + umem->length - 1) >> piece ||
	       sizes & bits(piece, ADAPTER_PAGE_SHIFT);
}

static int get_umem(enum mr_sim_kernel kernel, struct umem *umem)
{
	struct sim_dmabuf dmabuf = { .scattered = true };
	int rc;

	rc = umem->is_dmabuf
		     ? sim_dmabuf_get(umem->fd, umem->addr, umem->length, &dmabuf)
		     : sim_umem_pin(kernel, umem->addr, umem->length, umem->access, &umem->pinned);
	/* ib_umem_dmabuf_get_pinned(), uverbs_dmabuf_pin(): exported dma-bufs cannot be pinned */
	if (!rc && dmabuf.export.table)
		rc = -EOPNOTSUPP;
	if (rc || has_page_size(umem, dmabuf.scattered))
		return rc;
	sim_account_cancel(umem->pinned);
	return -EINVAL;
}

static int check_umem(struct sim_call *call, struct umem *umem)
{
	const uint32_t allowed = IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_WRITE |
				 IB_UVERBS_ACCESS_REMOTE_READ | IB_UVERBS_ACCESS_RELAXED_ORDERING;
	int rc;

	if (!call->table->header->has_devx)
		return -EINVAL;
	rc = sim_attr_flags(call, MLX5_IB_ATTR_DEVX_UMEM_REG_ACCESS, allowed, &umem->access);
	return rc ? rc : sim_access_check(call, umem->access);
}

static int get_umem_unlocked(struct sim_call *call, struct umem *umem)
{
	int rc;

	sim_call_unlock(call);
	rc = get_umem(call->table->kernel, umem);
	return sim_call_relock(call, rc, umem->pinned);
}

int sim_mlx5_umem_reg(struct sim_call *call)
{
	const struct ib_uverbs_attr *fd = sim_attr(call, MLX5_IB_ATTR_DEVX_UMEM_REG_DMABUF_FD);
	const struct ib_uverbs_attr *sizes = sim_attr(call, MLX5_IB_ATTR_DEVX_UMEM_REG_PGSZ_BITMAP);
	struct umem umem = {
		.addr = sim_attr_number(call, MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR),
		.length = sim_attr_number(call, MLX5_IB_ATTR_DEVX_UMEM_REG_LEN),
		.page_sizes = sizes ? sizes->data : UINT64_MAX,
		.is_dmabuf = fd,
		.fd = fd ? (int)fd->data_s64 : -1,
	};
	struct sim_object *object;
	uint32_t id;
	int rc;

	rc = check_umem(call, &umem);
	if (!rc)
		rc = get_umem_unlocked(call, &umem);
	if (rc)
		return rc;
	id = ++call->table->header->umem_id;
	rc = sim_attr_copy(call, MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID, &id, sizeof(id));
	if (rc) {
		sim_account_cancel(umem.pinned);
		return rc;
	}
	object = &call->table->objects[call->created];
	object->key = id;
	object->addr = umem.addr;
	object->length = umem.length;
	object->access = umem.access;
	object->pinned = umem.pinned;
	object->mm = sim_account_commit(call->table, umem.pinned);
	return 0;
}
