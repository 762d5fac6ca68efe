// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_verbs.h>

#include "lib/diagnose/causes/causes.h"

static bool is_mlx5(const struct mr_inquiry *inquiry)
{
	return mr_inquiry_is_driver(inquiry, "mlx5");
}

static bool is_rxe(const struct mr_inquiry *inquiry)
{
	return mr_inquiry_is_driver(inquiry, "rxe");
}

/* ---- the advice ------------------------------------------------------------------------------------------ */

/* The kernel takes ranges in their order: what is wrong with the first one is the cause, else it may be the next. */
static void rule_out(const struct mr_inquiry *inquiry, struct mr_suspicion *suspicion,
		     const char *text)
{
	if (!inquiry->refusal->has_more_ranges)
		mr_rule_out(suspicion, "%s", text);
}

/* ---- the region ------------------------------------------------------------------------------------------ */

/* Whether the driver can find the pages of the region, by what it was registered as. */
static bool is_paged(const struct mr_refusal *refusal)
{
	return refusal->region_access & MR_ACCESS_ON_DEMAND ||
	       (mr_region_is_dmabuf(refusal->region_call) &&
		!mr_call_row(refusal->region_call)->data_direct);
}

/*
 * get_prefetchable_mr() looks among regions with paging: ENOENT from Linux 5.16 on, EINVAL before.  rxe finds the
 * region, and then no pages of it.
 */
static void look_at_kind(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	const bool is_certain = refusal->errnum == ENOENT && is_mlx5(inquiry);
	const bool is_likely =
		refusal->errnum == EFAULT
			? is_rxe(inquiry)
			: is_mlx5(inquiry) && mr_inquiry_kernel_since(inquiry, 5, 16) == MR_NO;

	if (!is_certain && !is_likely)
		return;
	if (is_rxe(inquiry))
		suspicion->layer = MR_LAYER_MEMORY;
	if (is_paged(refusal))
		rule_out(inquiry, suspicion, "the region has on-demand paging");
	else
		mr_suspect(suspicion, mr_certain_if(is_certain),
			   "the region's pages are pinned (its access 0x%" PRIx32
			   " has no on-demand), and there is nothing to fetch",
			   refusal->region_access);
}

static void look_at_rights(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	const struct mr_advice *advice = refusal->advice;
	const bool writes = advice && advice->advice == IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE;

	/* rxe_mr.c lookup_mr(), by the access that rxe_ib_prefetch_sg_list() requires */
	if (refusal->errnum == EINVAL) {
		if (is_rxe(inquiry) && !(refusal->region_access & MR_ACCESS_LOCAL_WRITE))
			mr_suspect(
				suspicion, MR_CERTAIN,
				"rxe accepts advice only for regions with local-write, and the access 0x%" PRIx32
				" lacks it",
				refusal->region_access);
		return;
	}
	if (!writes)
		return;
	if (refusal->region_access & MR_WRITING)
		rule_out(inquiry, suspicion, "the region may be written");
	else if (is_mlx5(inquiry))
		mr_suspect(suspicion, MR_CERTAIN,
			   "prefetch-write requires write access, and the access 0x%" PRIx32
			   " has none",
			   refusal->region_access);
}

/* ---- the range ----------------------------------------------------------------------------------------------- */

static bool is_implicit(const struct mr_refusal *refusal)
{
	return !refusal->region_addr && refusal->region_length == UINT64_MAX;
}

/* Where the part is in the memory of the process: mlx5 takes I/O virtual addresses, rxe those of the memory. */
static uint64_t address_of_part(const struct mr_inquiry *inquiry)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	const uint64_t addr = refusal->advised->addr;

	return is_rxe(inquiry) || is_implicit(refusal)
		       ? addr
		       : addr - refusal->region_iova + refusal->region_addr;
}

/* pagefault_real_mr(), rxe_odp_do_pagefault_and_lock(): a part may reach to the end of the last page. */
static bool is_in_region(struct mr_inquiry *inquiry)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	const uint64_t page = mr_page_size(inquiry->host), start = address_of_part(inquiry);
	const uint64_t first = refusal->region_addr & ~(page - 1);
	uint64_t end, last;

	if (is_implicit(refusal))
		return true;
	if (__builtin_add_overflow(refusal->region_addr, refusal->region_length + page - 1, &last))
		return true;
	last &= ~(page - 1);
	if (!is_rxe(inquiry) && refusal->advised->addr < refusal->region_iova)
		return false;
	return start >= first && !__builtin_add_overflow(start, refusal->advised->length, &end) &&
	       end <= last;
}

/* Whether it is known what is advised: of a region that has pages to fetch. */
static bool is_range_known(const struct mr_inquiry *inquiry)
{
	const struct mr_refusal *refusal = inquiry->refusal;

	return refusal->advised && refusal->advice->flags & IB_UVERBS_ADVISE_MR_FLAG_FLUSH &&
	       (is_mlx5(inquiry) || is_rxe(inquiry)) &&
	       !mr_region_has_offset(refusal->region_call) && is_paged(refusal);
}

/* The kernel extends such a region, and what is advised of it, to huge pages of a size that is not known here. */
static bool has_huge_pages(const struct mr_refusal *refusal)
{
	return refusal->region_access & MR_ACCESS_HUGETLB;
}

static void look_at_range(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	const bool rxe = is_rxe(inquiry);

	if (!is_range_known(inquiry) || has_huge_pages(refusal))
		return;
	mr_evidence_hex(suspicion, "advised_addr", refusal->advised->addr);
	mr_evidence_number(suspicion, "advised_length", refusal->advised->length);
	mr_evidence_hex(suspicion, "iova", refusal->region_iova);
	mr_evidence_number(suspicion, "length", refusal->region_length);
	if (is_in_region(inquiry)) {
		rule_out(inquiry, suspicion, "the advised part is in the region");
		return;
	}
	if (rxe) /* which leaves it to ib_umem_odp_map_dma_and_lock() */
		suspicion->layer = MR_LAYER_MEMORY;
	mr_suspect(suspicion, MR_CERTAIN,
		   "%" PRIu64 " bytes at 0x%" PRIx64 " are not all in the region of %" PRIu64
		   " bytes at 0x%" PRIx64,
		   refusal->advised->length, refusal->advised->addr, refusal->region_length,
		   rxe ? refusal->region_addr : refusal->region_iova);
	if (rxe && refusal->region_addr != refusal->region_iova)
		mr_suspect_remedy(suspicion, "rxe expects addresses of the memory, not I/O "
					     "virtual addresses: register without --iova");
}

static void look_at_memory(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	static const char *const is[MR_OBSTACLE_GUARD + 1] = {
		[MR_OBSTACLE_GUARD] = "is a guard page",
		[MR_OBSTACLE_READ_ONLY] = "may not be written",
		[MR_OBSTACLE_DEVICE] = "is memory of a device",
		[MR_OBSTACLE_NO_ACCESS] = "may not be read",
	};
	const struct mr_refusal *refusal = inquiry->refusal;
	const bool writes = refusal->advice->advice == IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE;
	struct mr_mapping_details details;
	enum mr_certainty certainty;
	struct mr_obstacle obstacle;
	struct mr_range part;

	if (!is_range_known(inquiry) || !is_in_region(inquiry) ||
	    refusal->advice->advice > IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE)
		return;
	part = (struct mr_range){ address_of_part(inquiry), refusal->advised->length };
	if (!mr_obstacle_find_fault(inquiry, &part, writes, &obstacle))
		return;
	mr_evidence_hex(suspicion, "address", part.addr);
	mr_evidence_number(suspicion, "length", part.length);
	if (obstacle.kind == MR_OBSTACLE_NONE) {
		/* The kernel needs no more than memory for a page that is not in swap, nor handled by userfaultfd(2). */
		if (!obstacle.has_file && !has_huge_pages(refusal) &&
		    (!obstacle.has_stop ||
		     (!obstacle.stop.is_swapped &&
		      !mr_mapping_details_read(inquiry->host, obstacle.stop_mapping.start,
					       &details) &&
		      !details.has_faults)))
			rule_out(inquiry, suspicion, "the advised part is mapped");
		return;
	}
	if ((obstacle.kind == MR_OBSTACLE_READ_ONLY) != (refusal->errnum == EPERM))
		return;
	mr_evidence_hex(suspicion, "at", obstacle.addr);
	certainty = mr_certain_if(obstacle.is_decisive);
	if (is[obstacle.kind])
		mr_suspect(suspicion, certainty, "the memory at 0x%" PRIx64 " %s", obstacle.addr,
			   is[obstacle.kind]);
	else
		mr_suspect(suspicion, certainty, "nothing is mapped at 0x%" PRIx64, obstacle.addr);
}

#include "lib/diagnose/causes/advice.inc"
