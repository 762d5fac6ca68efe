// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Requests that are refused for any memory. */
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <stdint.h>
#include <sys/mman.h>

#include "tests/cli/refused/refused.h"

static void access_flags(void)
{
	reg_as(map(1, PROT_READ | PROT_WRITE), PAGE, IBV_ACCESS_REMOTE_ATOMIC);
}

static void no_length(void)
{
	reg(map(1, PROT_READ | PROT_WRITE) + 5, 0);
}

static void iova(void)
{
	errno = 0;
	show(!ibv_reg_mr_iova(pd, map(3, PROT_READ | PROT_WRITE) + 16, PAGE, 0x7003, ALL));
}

static void fork_safe(void)
{
	char *memory = map(8, PROT_READ | PROT_WRITE);

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

static void beyond_device_memory(void)
{
	errno = 0;
	show(!ibv_reg_dm_mr(pd, device_memory(PAGE), 64, 2 * PAGE, ZERO_BASED));
}

/* ---- changes ---- */

static void change_memory(void)
{
	errno = 0;
	show(ibv_rereg_mr(region(2, ALL), IBV_REREG_MR_CHANGE_TRANSLATION, NULL,
			  map(4, PROT_READ) + 12, 3 * PAGE, 0));
}

static void change_access(void)
{
	errno = 0;
	show(ibv_rereg_mr(region(3, LOCAL), IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			  IBV_ACCESS_REMOTE_WRITE));
}

static void change_nothing_known(void)
{
	errno = 0;
	show(ibv_rereg_mr(region(3, LOCAL), 1 << 9, NULL, NULL, 0, 0));
}

static void change_all(void)
{
	errno = 0;
	show(ibv_rereg_mr(region(3, LOCAL),
			  IBV_REREG_MR_CHANGE_TRANSLATION | IBV_REREG_MR_CHANGE_ACCESS |
				  IBV_REREG_MR_CHANGE_PD,
			  ibv_alloc_pd(context), map(2, PROT_READ), PAGE, ALL));
}

/* Mapped for reading and registered for that: a change to writing pins it anew, which is refused. */
static void change_readonly_to_writing(void)
{
	struct ibv_mr *mr = ibv_reg_mr(pd, map(2, PROT_READ), PAGE, IBV_ACCESS_REMOTE_READ);

	if (!mr)
		die(name);
	errno = 0;
	show(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, ALL));
}

static void change_device_memory(void)
{
	struct ibv_mr *mr = ibv_reg_dm_mr(pd, device_memory(PAGE), 64, 128, ZERO_BASED);

	if (!mr)
		die(name);
	errno = 0;
	show(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, ALL));
}

/* All memory of the process */
static void change_implicit(void)
{
	struct ibv_mr *mr = ibv_reg_mr(pd, NULL, SIZE_MAX, LOCAL | IBV_ACCESS_ON_DEMAND);

	if (!mr)
		die(name);
	errno = 0;
	show(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, IBV_ACCESS_REMOTE_WRITE));
}

/* ---- umems ---- */

static void umem(void)
{
	errno = 0;
	show(!mlx5dv_devx_umem_reg(context, map(2, PROT_READ) + 8, PAGE, LOCAL));
}

/* As ibv_open_device() opens the device: for DEVX where the driver lets it, else without. */
static void umem_of_plain_context(void)
{
	struct ibv_context *plain = ibv_open_device(context->device);

	if (!plain)
		die(name);
	errno = 0;
	show(!mlx5dv_devx_umem_reg(plain, map(2, PROT_READ | PROT_WRITE), PAGE, LOCAL));
}

static void umem_page_sizes(void)
{
	struct mlx5dv_devx_umem_in in = { .addr = map(4, PROT_READ | PROT_WRITE) + 8,
					  .size = 2 * PAGE,
					  .access = LOCAL,
					  .pgsz_bitmap = 4 };

	errno = 0;
	show(!mlx5dv_devx_umem_reg_ex(context, &in));
}

static void umem_unknown_attribute(void)
{
	struct mlx5dv_devx_umem_in in = { .addr = map(2, PROT_READ | PROT_WRITE),
					  .size = PAGE,
					  .access = LOCAL,
					  .pgsz_bitmap = PAGE,
					  .comp_mask = UINT64_C(1) << 40 };

	errno = 0;
	show(!mlx5dv_devx_umem_reg_ex(context, &in));
}

/* ---- dma-bufs ---- */

static void no_dmabuf(void)
{
	errno = 0;
	show(!ibv_reg_dmabuf_mr(pd, 0, PAGE, 0, 0, ALL));
}

static void bad_descriptor(void)
{
	errno = 0;
	show(!ibv_reg_dmabuf_mr(pd, 0, PAGE, 0, -1, ALL));
}

static void advice_on_pinned(void)
{
	struct ibv_mr *mr = region(3, ALL);
	struct ibv_sge range = { (uintptr_t)mr->addr + PAGE, PAGE, mr->lkey };

	errno = 0;
	errno = ibv_advise_mr(pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, IBV_ADVISE_MR_FLAG_FLUSH,
			      &range, 1);
	show(errno);
}

static void advice_unmapped(void)
{
	struct ibv_mr *mr = region(4, ALL | IBV_ACCESS_ON_DEMAND);
	struct ibv_sge range = { (uintptr_t)mr->addr, 4 * PAGE, mr->lkey };

	munmap((char *)mr->addr + 2 * PAGE, PAGE);
	errno = 0;
	errno = ibv_advise_mr(pd, IBV_ADVISE_MR_ADVICE_PREFETCH, IBV_ADVISE_MR_FLAG_FLUSH, &range,
			      1);
	show(errno);
}

/* The first range can be fetched, the second one cannot. */
static void advice_of_two(void)
{
	struct ibv_mr *mr = region(4, ALL | IBV_ACCESS_ON_DEMAND);
	struct ibv_sge ranges[] = {
		{ (uintptr_t)mr->addr, PAGE, mr->lkey },
		{ (uintptr_t)mr->addr + 2 * PAGE, PAGE, mr->lkey },
	};

	munmap((char *)mr->addr + 2 * PAGE, PAGE);
	errno = 0;
	errno = ibv_advise_mr(pd, IBV_ADVISE_MR_ADVICE_PREFETCH, IBV_ADVISE_MR_FLAG_FLUSH, ranges,
			      2);
	show(errno);
}

const struct refused_case cases_of_requests[] = {
	CASE(access_flags),
	CASE(no_length),
	CASE(iova),
	CASE(fork_safe),
	CASE(beyond_device_memory),
	CASE(change_memory),
	CASE(change_access),
	CASE(change_nothing_known),
	CASE(change_all),
	CASE(change_readonly_to_writing),
	CASE(change_device_memory),
	CASE(change_implicit),
	CASE(umem),
	CASE(umem_of_plain_context),
	CASE(umem_page_sizes),
	CASE(umem_unknown_attribute),
	CASE(no_dmabuf),
	CASE(bad_descriptor),
	CASE(advice_on_pinned),
	CASE(advice_unmapped),
	CASE(advice_of_two),
	{ NULL, NULL },
};
