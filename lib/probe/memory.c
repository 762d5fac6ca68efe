// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Trials that register memory of this process, or nothing at all. */
#include <infiniband/verbs.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "lib/probe/memory.h"
#include "lib/verbs/verbs.h"

/* An I/O virtual address that has nothing to do with the process's: on the border of a page of any size. */
#define IOVA (UINT64_C(1) << 40)

static struct mr_region_request request_of(const struct mr_probe *probe,
					   const struct mr_trial *trial)
{
	return (struct mr_region_request){
		.call = trial->call,
		.addr = probe->memory.start,
		.length = probe->page,
		.iova = IOVA,
		.access = trial->access,
	};
}

/* Where the trial has memory of its own, its request is of one page of that.  Return: 0 or -errno. */
static int map_own_memory(const struct mr_trial *trial, struct mr_memory *memory,
			  struct mr_region_request *request, struct mr_attempt *attempt)
{
	const struct mr_memory_request wanted = {
		.kind = { .type = trial->memory,
			  .text = "huge pages",
			  .huge_size = trial->huge_size },
		.length = 1,
	};

	*memory = (struct mr_memory){ .map = NULL };
	if (trial->memory == MR_MEMORY_ANON)
		return 0;
	attempt->rc = mr_memory_map(&wanted, memory, &attempt->err);
	if (attempt->rc)
		return attempt->rc;
	request->addr = memory->start;
	request->length = memory->page_size;
	return 0;
}

/* Tries the call on ordinary memory, because the host has no huge page. */
static void try_without_huge_page(struct mr_probe *probe, const struct mr_trial *trial,
				  const struct mr_region_request *request,
				  struct mr_attempt *attempt)
{
	const char *name = mr_errno_name(-attempt->rc);

	mr_attempt_without(probe, trial, request, attempt,
			   "this host gives no huge page%s (mmap: %s)",
			   trial->huge_size >> 30 ? " of 1 GiB"
			   : trial->huge_size     ? " of 2 MiB"
						  : "",
			   name ? name : "unknown errno");
}

void mr_try_memory(struct mr_probe *probe, const struct mr_trial *trial, struct mr_attempt *attempt)
{
	struct mr_region_request request = request_of(probe, trial);
	struct mr_region region;
	struct mr_memory own;

	if (map_own_memory(trial, &own, &request, attempt)) {
		try_without_huge_page(probe, trial, &request, attempt);
		return;
	}
	if (!mr_attempt_register(probe, trial, &request, &region, attempt))
		mr_attempt_deregister(probe, &region, attempt);
	else if (attempt->rc == -EFAULT && trial->memory == MR_MEMORY_HUGETLB)
		mr_attempt_reason(attempt, "the huge page could not be had: maybe a limit of the "
					   "control group (hugetlb)");
	mr_memory_unmap(&own);
}

/* rxe takes the flag for persistent memory only (rxe_mr.c rxe_mr_fill_pages_from_sgt()), and this is none. */
void mr_try_flush_persistent(struct mr_probe *probe, const struct mr_trial *trial,
			     struct mr_attempt *attempt)
{
	mr_try_memory(probe, trial, attempt);
	if (attempt->rc == -EINVAL && mr_capability_ask(probe, trial->capability) != MR_NO)
		mr_attempt_doubt(attempt, "the memory that was tried is not persistent");
}

/* A flag that the kernel may drop: that the region was registered proves nothing. */
void mr_try_relaxed(struct mr_probe *probe, const struct mr_trial *trial,
		    struct mr_attempt *attempt)
{
	const struct mr_in_force_region asked = { .call = trial->call, .access = trial->access };

	mr_try_memory(probe, trial, attempt);
	if (attempt->rc || !attempt->made)
		return;
	mr_in_force_bits(&probe->in_force, &asked);
	if (probe->in_force.optional == MR_NO) {
		attempt->proven = MR_NO;
		attempt->layer = "libibverbs";
		mr_attempt_reason(
			attempt, "accepted, and left out: %s",
			mr_in_force_reason(&probe->in_force, trial->access & -trial->access));
		return;
	}
	mr_attempt_doubt(attempt, "accepted, which proves nothing: the kernel and the device may "
				  "ignore this flag");
}

/* Whether the region begins at 0 the kernel is asked. */
void mr_try_zero_based(struct mr_probe *probe, const struct mr_trial *trial,
		       struct mr_attempt *attempt)
{
	struct mr_region_request request = request_of(probe, trial);
	struct mr_region region;

	if (mr_attempt_register(probe, trial, &request, &region, attempt))
		return;
	switch (mr_in_force_at_zero(&probe->uverbs, trial->access, &region)) {
	case MR_YES:
		break;
	case MR_NO:
		attempt->proven = MR_NO;
		mr_attempt_reason(attempt, "accepted, and ignored: the region does not begin at 0, "
					   "as the kernel says (QUERY_MR)");
		break;
	default:
		mr_attempt_doubt(attempt, "accepted, which proves nothing: the kernel does not say "
					  "where the region begins (QUERY_MR)");
	}
	mr_attempt_deregister(probe, &region, attempt);
}

/* hugetlb is read with on-demand only: see lib/verbs/in_force.c. */
void mr_try_ignored(struct mr_probe *probe, const struct mr_trial *trial,
		    struct mr_attempt *attempt)
{
	mr_try_memory(probe, trial, attempt);
	if (attempt->made && !attempt->rc)
		mr_attempt_doubt(attempt, "accepted, which proves nothing: the flag counts only "
					  "with on-demand");
}

/* The request that ibv_reg_mr(3) takes for the whole address space. */
void mr_try_implicit(struct mr_probe *probe, const struct mr_trial *trial,
		     struct mr_attempt *attempt)
{
	struct mr_region_request request = request_of(probe, trial);
	struct mr_region region;

	request.addr = 0;
	request.length = SIZE_MAX;
	if (!mr_attempt_register(probe, trial, &request, &region, attempt))
		mr_attempt_deregister(probe, &region, attempt);
}

void mr_try_null(struct mr_probe *probe, const struct mr_trial *trial, struct mr_attempt *attempt)
{
	const struct mr_region_request request = { .call = trial->call };
	struct mr_region region;

	if (!mr_attempt_register(probe, trial, &request, &region, attempt))
		mr_attempt_deregister(probe, &region, attempt);
}

static void advise(struct mr_probe *probe, const struct mr_trial *trial,
		   const struct mr_region *region, struct mr_attempt *attempt)
{
	const struct mr_advice advice = { .advice = trial->detail,
					  .flags = IBV_ADVISE_MR_FLAG_FLUSH };
	const struct mr_advice_range range = { .addr = region->iova,
					       .length = region->length,
					       .lkey = region->lkey };
	const bool kernel = trial->via == MR_VIA_KERNEL;
	uint64_t ns;
	int rc;

	mr_attempt_begin(probe, attempt, kernel ? "ioctl(ADVISE_MR)" : "ibv_advise_mr");
	rc = mr_advise(mr_attempt_registrar(probe, trial), &advice, &range, &ns, &attempt->err);
	mr_attempt_end(attempt, rc);
}

/*
 * Where there can be no region with on-demand paging, the advice is given on another one: a device without
 * the call answers that it has none (EOPNOTSUPP), and one that has it answers something else.
 */
void mr_try_advice(struct mr_probe *probe, const struct mr_trial *trial, struct mr_attempt *attempt)
{
	struct mr_region_request request = request_of(probe, trial);
	struct mr_region region;
	bool on_demand = true;

	request.access = MR_ACCESS_LOCAL_WRITE | MR_ACCESS_ON_DEMAND;
	if (mr_attempt_prepare(probe, &request, &region, attempt)) {
		on_demand = false;
		request.access = MR_ACCESS_LOCAL_WRITE;
		if (mr_attempt_prepare(probe, &request, &region, attempt))
			return;
	}
	advise(probe, trial, &region, attempt);
	if (!on_demand && attempt->rc != -EOPNOTSUPP)
		mr_attempt_doubt(attempt,
				 "no region with on-demand paging could be had to prefetch");
	mr_attempt_deregister(probe, &region, attempt);
}

static void explain_page_size(const struct mr_trial *trial, struct mr_attempt *attempt)
{
	if (attempt->rc == -EINVAL && trial->memory == MR_MEMORY_ANON &&
	    trial->detail > (uint64_t)4096)
		mr_attempt_doubt(attempt, "the memory is not known to have such pages");
}

/*
 * A umem of exactly one page of the wanted size, so that the kernel cannot take a smaller one
 * (devx.c devx_umem_find_best_pgsize()).
 */
void mr_try_umem_pages(struct mr_probe *probe, const struct mr_trial *trial,
		       struct mr_attempt *attempt)
{
	struct mr_region_request request = request_of(probe, trial);
	struct mr_region region;
	struct mr_memory own;

	if (map_own_memory(trial, &own, &request, attempt)) {
		try_without_huge_page(probe, trial, &request, attempt);
		return;
	}
	request.length = request.page_sizes = trial->detail;
	if (!mr_attempt_register(probe, trial, &request, &region, attempt))
		mr_attempt_deregister(probe, &region, attempt);
	explain_page_size(trial, attempt);
	mr_memory_unmap(&own);
}
