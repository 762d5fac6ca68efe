// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Prefetching for on-demand paging: hw/mlx5/odp.c mlx5_ib_advise_mr_prefetch(), sw/rxe/rxe_odp.c
 * rxe_ib_advise_mr_prefetch().
 */
#include <errno.h>
#include <unistd.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>

#include "lib/sim/base/abi.h"

/** What is asked for, of all regions alike. */
struct advice {
	uint64_t kind;
	uint64_t pd;
	bool flush; /* without it the kernel does it later, and nobody learns how it went */
};

static const struct sim_object *find(const struct sim_call *call, uint32_t key)
{
	struct sim_object *mr;

	return !sim_object_find(call->table, UVERBS_OBJECT_MR, call->table->profile->handle_of(key),
				&mr) &&
			       mr->key == key
		       ? mr
		       : NULL;
}

static bool lacks_writing(const struct advice *advice, const struct sim_object *mr)
{
	return advice->kind == IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE &&
	       !(mr->flags & SIM_MR_WRITABLE);
}

/* get_prefetchable_mr(): regions with pinned pages are not looked for */
static int check_of_mlx5(const struct advice *advice, const struct sim_object *mr)
{
	if (!mr || !(mr->flags & (SIM_MR_ODP | SIM_MR_DMABUF)))
		return -ENOENT;
	return mr->parent != advice->pd || lacks_writing(advice, mr) ? -EPERM : 0;
}

/* rxe_mr.c lookup_mr(), rxe_ib_prefetch_sg_list() */
static int check_of_rxe(const struct advice *advice, const struct sim_object *mr)
{
	if (!mr || mr->parent != advice->pd || !(mr->access & IB_UVERBS_ACCESS_LOCAL_WRITE))
		return -EINVAL;
	return advice->flush && lacks_writing(advice, mr) ? -EPERM : 0;
}

static uint64_t page_size_of(const struct sim_object *mr)
{
	return mr->access & IB_UVERBS_ACCESS_HUGETLB ? SIM_HUGE_PAGE
						     : (uint64_t)sysconf(_SC_PAGESIZE);
}

/* pagefault_real_mr(): the memory behind a part of the region, which ends with its last page */
static int memory_of_mlx5(const struct sim_object *mr, const struct ib_uverbs_sge *sge,
			  uint64_t *addr)
{
	const uint64_t page_size = page_size_of(mr);
	uint64_t end = (mr->addr + mr->length + page_size - 1) & ~(page_size - 1);

	if (!mr->addr && mr->length == UINT64_MAX) {
		*addr = sge->addr;
		return 0;
	}
	if (sge->addr < mr->iova || __builtin_add_overflow(sge->addr - mr->iova, mr->addr, addr) ||
	    *addr >= end || end - *addr < sge->length)
		return -EFAULT;
	/* no page to give to mlx5r_umr_update_xlt() */
	return !sge->length && !(*addr & ((uint64_t)sysconf(_SC_PAGESIZE) - 1)) ? -EINVAL : 0;
}

/*
 * rxe_odp_do_pagefault_and_lock(): the driver takes addresses for those of the memory, whatever
 * the IOVA is, and regions with pinned pages for others, of which it finds no memory.
 */
static int memory_of_rxe(const struct sim_object *mr, const struct ib_uverbs_sge *sge,
			 uint64_t *addr)
{
	const uint64_t page_size = page_size_of(mr);
	uint64_t end;

	*addr = sge->addr;
	if (!(mr->flags & SIM_MR_ODP) || sge->addr < (mr->addr & ~(page_size - 1)))
		return -EFAULT;
	if (__builtin_add_overflow(sge->addr, sge->length, &end))
		return -EINVAL; /* walk_page_range(), and for no pages, too */
	if (end > ((mr->addr + mr->length + page_size - 1) & ~(page_size - 1)))
		return -EFAULT;
	return !sge->length && !(sge->addr & (page_size - 1)) ? -EINVAL : 0;
}

/* ib_umem_odp_map_dma_and_lock(): whole pages, and where they are to be huge none but such */
static int fetch(uint64_t kind, const struct sim_object *mr, uint64_t addr, uint64_t length)
{
	const uint64_t page_size = page_size_of(mr);
	uint64_t start = addr & ~(page_size - 1);
	uint64_t size = (addr - start + length + page_size - 1) & ~(page_size - 1);
	int rc = 0;

	if (kind != IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT)
		rc = sim_umem_touch(start, size, kind == IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE);
	if (rc || !(mr->access & IB_UVERBS_ACCESS_HUGETLB))
		return rc;
	return sim_umem_check_odp(addr, length, mr->access);
}

static int prefetch(struct sim_call *call, const struct advice *advice, struct sim_object mr,
		    const struct ib_uverbs_sge *sge)
{
	const bool is_mlx5 = call->table->profile->kind == MR_SIM_MLX5;
	uint64_t addr;
	int rc, relock;

	if (mr.flags & SIM_MR_DMABUF)
		return sge->addr < mr.iova                       ? -EFAULT
		       : sim_export_is_revoked(call->table, &mr) ? -ENODEV
								 : 0;
	rc = is_mlx5 ? memory_of_mlx5(&mr, sge, &addr) : memory_of_rxe(&mr, sge, &addr);
	if (rc)
		return rc;
	sim_call_unlock(call);
	rc = fetch(advice->kind, &mr, addr, sge->length);
	relock = sim_call_relock(call);
	return rc ? rc : relock;
}

static int advise(struct sim_call *call, const struct advice *advice,
		  const struct ib_uverbs_sge *sge)
{
	const struct sim_object *mr = find(call, sge->lkey);
	int rc;

	rc = call->table->profile->kind == MR_SIM_MLX5 ? check_of_mlx5(advice, mr)
						       : check_of_rxe(advice, mr);
	return rc || !advice->flush ? rc : prefetch(call, advice, *mr, sge);
}

/* uverbs_std_types_mr.c UVERBS_METHOD_ADVISE_MR */
int sim_advise_mr(struct sim_call *call)
{
	struct advice advice = {
		.kind = sim_attr_number(call, UVERBS_ATTR_ADVISE_MR_ADVICE),
		.pd = sim_attr_number(call, UVERBS_ATTR_ADVISE_MR_PD_HANDLE),
	};
	const struct ib_uverbs_sge *list;
	uint32_t flags;
	size_t size, i;
	int rc;

	if (!sim_holds(call->table->kernel, call->table->profile->odp_since))
		return -EOPNOTSUPP;
	rc = sim_attr_flags(call, UVERBS_ATTR_ADVISE_MR_FLAGS, IB_UVERBS_ADVISE_MR_FLAG_FLUSH,
			    &flags);
	if (rc)
		return rc;
	advice.flush = flags & IB_UVERBS_ADVISE_MR_FLAG_FLUSH;
	list = sim_attr_data(call, UVERBS_ATTR_ADVISE_MR_SGE_LIST, &size);
	if (size % sizeof(*list))
		return -EINVAL;
	if (advice.kind > IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT)
		return -EOPNOTSUPP;
	for (i = 0; i < size / sizeof(*list) && !rc; i++)
		rc = advise(call, &advice, &list[i]);
	return rc;
}
