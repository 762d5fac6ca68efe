// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Requests that are refused for any memory. */
#include "tests/cli/refused/refused.h"

CALL(access_flags, reg_as(map(1, WRITABLE), PAGE, IBV_ACCESS_REMOTE_ATOMIC))
CALL(no_length, reg(map(1, WRITABLE) + 5, 0))
CALL(iova, SHOW(!ibv_reg_mr_iova(pd, map(3, WRITABLE) + 16, PAGE, 0x7003, ALL)))

CASE(fork_safe)
{
	char *memory = map(8, WRITABLE);

	ibv_fork_init();
	munmap(memory + 3 * PAGE, PAGE);
	reg(memory, 6 * PAGE);
}

/* ---- memory on the device ---- */

static struct ibv_dm *device_memory(size_t length)
{
	struct ibv_alloc_dm_attr attr = { .length = length };
	struct ibv_dm *dm = ibv_alloc_dm(context, &attr);

	if (!dm)
		die(name);
	return dm;
}

CALL(beyond_device_memory, SHOW(!ibv_reg_dm_mr(pd, device_memory(PAGE), 64, 2 * PAGE, ZERO_BASED)))

/* ---- changes ---- */

CALL(change_memory,
     SHOW(ibv_rereg_mr(region(2, ALL), IBV_REREG_MR_CHANGE_TRANSLATION, NULL, map(4, PROT_READ) + 12, 3 * PAGE, 0)))
CALL(change_access,
     SHOW(ibv_rereg_mr(region(3, LOCAL), IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, IBV_ACCESS_REMOTE_WRITE)))
CALL(change_nothing_known, SHOW(ibv_rereg_mr(region(3, LOCAL), 1 << 9, NULL, NULL, 0, 0)))
CALL(change_all, SHOW(ibv_rereg_mr(region(3, LOCAL), IBV_REREG_MR_CHANGE_TRANSLATION | IBV_REREG_MR_CHANGE_ACCESS |
						     IBV_REREG_MR_CHANGE_PD,
				   ibv_alloc_pd(context), map(2, PROT_READ), PAGE, ALL)))

/* Mapped for reading and registered for that: a change to writing pins it anew, which is refused. */
CASE(change_readonly_to_writing)
{
	struct ibv_mr *mr = ibv_reg_mr(pd, map(2, PROT_READ), PAGE, IBV_ACCESS_REMOTE_READ);

	if (!mr)
		die(name);
	SHOW(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, ALL));
}

CASE(change_device_memory)
{
	struct ibv_mr *mr = ibv_reg_dm_mr(pd, device_memory(PAGE), 64, 128, ZERO_BASED);

	if (!mr)
		die(name);
	SHOW(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, ALL));
}

/* All memory of the process */
CASE(change_implicit)
{
	struct ibv_mr *mr = ibv_reg_mr(pd, NULL, SIZE_MAX, LOCAL | IBV_ACCESS_ON_DEMAND);

	if (!mr)
		die(name);
	SHOW(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, IBV_ACCESS_REMOTE_WRITE));
}

/* ---- umems ---- */

CALL(umem, SHOW(!mlx5dv_devx_umem_reg(context, map(2, PROT_READ) + 8, PAGE, LOCAL)))

/* As ibv_open_device() opens the device: for DEVX where the driver lets it, else without. */
CASE(umem_of_plain_context)
{
	struct ibv_context *plain = ibv_open_device(context->device);

	if (!plain)
		die(name);
	SHOW(!mlx5dv_devx_umem_reg(plain, map(2, WRITABLE), PAGE, LOCAL));
}

CASE(umem_page_sizes)
{
	struct mlx5dv_devx_umem_in in = {
		.addr = map(4, WRITABLE) + 8, .size = 2 * PAGE, .access = LOCAL, .pgsz_bitmap = 4
	};

	SHOW(!mlx5dv_devx_umem_reg_ex(context, &in));
}

CASE(umem_unknown_attribute)
{
	struct mlx5dv_devx_umem_in in = { .addr = map(2, WRITABLE),
					  .size = PAGE,
					  .access = LOCAL,
					  .pgsz_bitmap = PAGE,
					  .comp_mask = UINT64_C(1) << 40 };

	SHOW(!mlx5dv_devx_umem_reg_ex(context, &in));
}

/* ---- dma-bufs ---- */

CALL(no_dmabuf, SHOW(!ibv_reg_dmabuf_mr(pd, 0, PAGE, 0, 0, ALL)))
CALL(bad_descriptor, SHOW(!ibv_reg_dmabuf_mr(pd, PAGE, PAGE, 0, -1, ALL)))
/* as NCCL and as UCX ask whether the device takes dma-bufs */
CALL(dmabuf_probe, SHOW(!ibv_reg_dmabuf_mr(pd, 0, 0, 0, -1, 0)); SHOW(!ibv_reg_dmabuf_mr(pd, 0, PAGE, 0, -1, ALL)))

/* Prefetches with flush, and shows the errno that is returned. */
static void advise(enum ibv_advise_mr_advice advice, struct ibv_sge *ranges, unsigned int count)
{
	errno = ibv_advise_mr(pd, advice, IBV_ADVISE_MR_FLAG_FLUSH, ranges, count);
	show(errno);
}

CASE(advice_on_pinned)
{
	struct ibv_mr *mr = region(3, ALL);
	struct ibv_sge range = { (uintptr_t)mr->addr + PAGE, PAGE, mr->lkey };

	advise(IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, &range, 1);
}

CASE(advice_unmapped)
{
	struct ibv_mr *mr = region(4, ALL | IBV_ACCESS_ON_DEMAND);
	struct ibv_sge range = { (uintptr_t)mr->addr, 4 * PAGE, mr->lkey };

	munmap((char *)mr->addr + 2 * PAGE, PAGE);
	advise(IBV_ADVISE_MR_ADVICE_PREFETCH, &range, 1);
}

/* The first range can be fetched, the second one cannot. */
CASE(advice_of_two)
{
	struct ibv_mr *mr = region(4, ALL | IBV_ACCESS_ON_DEMAND);
	struct ibv_sge ranges[] = {
		{ (uintptr_t)mr->addr, PAGE, mr->lkey },
		{ (uintptr_t)mr->addr + 2 * PAGE, PAGE, mr->lkey },
	};

	munmap((char *)mr->addr + 2 * PAGE, PAGE);
	advise(IBV_ADVISE_MR_ADVICE_PREFETCH, ranges, 2);
}
