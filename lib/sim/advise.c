// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Prefetching for on-demand paging: hw/mlx5/odp.c mlx5_ib_advise_mr_prefetch(). */
#include <errno.h>
#include <unistd.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>

#include "sim.h"

/* get_prefetchable_mr(): regions with pinned pages are not looked for */
static int find(struct sim_call *call, uint64_t advice, uint32_t key, struct sim_object *found)
{
	uint64_t pd = sim_attr_number(call, UVERBS_ATTR_ADVISE_MR_PD_HANDLE);
	struct sim_object *mr;

	if (sim_object_find(call->table, UVERBS_OBJECT_MR, sim_mlx5_handle_of(key), &mr) ||
	    mr->key != key || !(mr->flags & (SIM_MR_ODP | SIM_MR_DMABUF)))
		return -ENOENT;
	if (mr->parent != pd)
		return -EPERM;
	if (advice == IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE && !(mr->flags & SIM_MR_WRITABLE))
		return -EPERM;
	*found = *mr;
	return 0;
}

static uint64_t page_size_of(const struct sim_object *mr)
{
	return mr->access & IB_UVERBS_ACCESS_HUGETLB ? SIM_HUGE_PAGE
						     : (uint64_t)sysconf(_SC_PAGESIZE);
}

/* pagefault_real_mr(): the memory behind a part of the region, which ends with its last page */
static int memory_of(const struct sim_object *mr, const struct ib_uverbs_sge *sge, uint64_t *addr)
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
	return 0;
}

/* ib_umem_odp_map_dma_and_lock(): whole pages, and where they are to be huge none but such */
static int fetch(uint64_t advice, const struct sim_object *mr, uint64_t addr, uint64_t length)
{
	const uint64_t page_size = page_size_of(mr);
	uint64_t start = addr & ~(page_size - 1);
	uint64_t size = (addr - start + length + page_size - 1) & ~(page_size - 1);
	int rc = 0;

	if (advice != IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT)
		rc = sim_umem_touch(start, size,
				    advice == IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE);
	if (rc || !(mr->access & IB_UVERBS_ACCESS_HUGETLB))
		return rc;
	return sim_umem_check_odp(addr, length, mr->access);
}

static int prefetch(struct sim_call *call, uint64_t advice, const struct sim_object *mr,
		    const struct ib_uverbs_sge *sge)
{
	uint64_t addr;
	int rc, relock;

	if (mr->flags & SIM_MR_DMABUF)
		return sge->addr < mr->iova ? -EFAULT : 0;
	rc = memory_of(mr, sge, &addr);
	if (!rc && !sge->length && !(addr & ((uint64_t)sysconf(_SC_PAGESIZE) - 1)) &&
	    mr->length != UINT64_MAX)
		rc = -EINVAL; /* no page to give to mlx5r_umr_update_xlt() */
	if (rc)
		return rc;
	sim_call_unlock(call);
	rc = fetch(advice, mr, addr, sge->length);
	relock = sim_call_relock(call);
	return rc ? rc : relock;
}

/* Without the flag the kernel does it later, and nobody learns how it went. */
int sim_mlx5_advise_mr(struct sim_call *call)
{
	uint64_t advice = sim_attr_number(call, UVERBS_ATTR_ADVISE_MR_ADVICE);
	const struct ib_uverbs_sge *list;
	struct sim_object mr;
	uint32_t flags;
	size_t size, i;
	int rc;

	rc = sim_attr_flags(call, UVERBS_ATTR_ADVISE_MR_FLAGS, IB_UVERBS_ADVISE_MR_FLAG_FLUSH,
			    &flags);
	if (rc)
		return rc;
	list = sim_attr_data(call, UVERBS_ATTR_ADVISE_MR_SGE_LIST, &size);
	if (size % sizeof(*list))
		return -EINVAL;
	if (advice > IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT)
		return -EOPNOTSUPP;
	for (i = 0; i < size / sizeof(*list) && !rc; i++) {
		rc = find(call, advice, list[i].lkey, &mr);
		if (!rc && flags & IB_UVERBS_ADVISE_MR_FLAG_FLUSH)
			rc = prefetch(call, advice, &mr, &list[i]);
	}
	return rc;
}
