// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Prefetching for on-demand paging: uverbs_std_types_mr.c, and what hw/mlx5/odp.c
 * mlx5_ib_advise_mr_prefetch() and sw/rxe/rxe_odp.c rxe_ib_advise_mr_prefetch() have in common.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>

#include "lib/sim/base/pages.h"
#include "lib/sim/call/profile.h"
#include "lib/sim/call/registration.h"
#include "lib/sim/handlers/advise.h"
#include "lib/sim/memory/device_memory.h"
#include "lib/sim/memory/pin.h"
#include "lib/sim/state/objects.h"

static const struct sim_object *find_by_key(const struct sim_table *table, uint32_t key)
{
	const struct sim_object *object;

	for (object = sim_object_newest(table); object; object = sim_object_older(table, object))
		if (object->type == UVERBS_OBJECT_MR && object->key == key)
			break;
	return object;
}

/* ib_umem_odp_map_dma_and_lock(): fault whole pages in; with HUGETLB all of them must be huge */
static int fetch_pages(enum mr_sim_kernel kernel, uint64_t kind, const struct sim_object *mr,
		       uint64_t addr, uint64_t length)
{
	const uint64_t page_size = sim_mr_page_size(mr);
	uint64_t start = sim_round_down(addr, page_size);
	uint64_t size = sim_round_up(addr - start + length, page_size);
	int rc = 0;

	if (kind != IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT)
		rc = sim_umem_touch(kernel, start, size,
				    kind == IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE);
	if (rc || !(mr->access & IB_UVERBS_ACCESS_HUGETLB))
		return rc;
	return sim_umem_check_odp(kernel, addr, length, mr->access);
}

static int prefetch_dmabuf(const struct sim_call *call, const struct sim_object *mr,
			   const struct ib_uverbs_sge *part)
{
	if (part->addr < mr->iova)
		return -EFAULT;
	return sim_export_is_revoked(call->table, mr) ? -ENODEV : 0;
}

/* ib_umem_odp_map_dma_and_lock(): the memory went with the process.  A zombie has none either. */
static bool has_memory(pid_t process)
{
	char path[32], target[1];

	if (process == getpid())
		return true;
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)process);
	return readlink(path, target, sizeof(target)) >= 0 || errno != ENOENT;
}

static int prefetch(struct sim_call *call, const struct sim_advice *advice, struct sim_object mr,
		    const struct ib_uverbs_sge *part)
{
	uint64_t addr;
	int rc;

	if (mr.flags & SIM_MR_DMABUF)
		return prefetch_dmabuf(call, &mr, part);
	rc = call->profile->prefetch_address(&mr, part, &addr);
	if (!rc && !has_memory(mr.owner))
		rc = -EINVAL;
	if (rc)
		return rc;
	sim_call_unlock(call);
	rc = fetch_pages(call->table->kernel, advice->kind, &mr, addr, part->length);
	return sim_call_relock(call, rc, 0);
}

static int advise_part(struct sim_call *call, const struct sim_advice *advice,
		       const struct ib_uverbs_sge *part)
{
	const struct sim_object *mr = find_by_key(call->table, part->lkey);
	int rc;

	rc = call->profile->check_prefetch(advice, mr);
	return rc || !advice->flush ? rc : prefetch(call, advice, *mr, part);
}

/* uverbs_std_types_mr.c UVERBS_METHOD_ADVISE_MR */
int sim_advise_mr(struct sim_call *call)
{
	struct sim_advice advice = {
		.kind = sim_attr_number(call, UVERBS_ATTR_ADVISE_MR_ADVICE),
		.pd = sim_attr_number(call, UVERBS_ATTR_ADVISE_MR_PD_HANDLE),
	};
	const struct ib_uverbs_sge *list;
	uint32_t flags;
	size_t size, i;
	int rc;

	if (!sim_has_change(call->table->kernel, call->profile->odp_since))
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
		rc = advise_part(call, &advice, &list[i]);
	return rc;
}
