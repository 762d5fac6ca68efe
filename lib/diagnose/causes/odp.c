// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <infiniband/verbs.h>
#include <limits.h>

#include "lib/diagnose/causes/causes.h"

/* Whether the call itself requests on-demand paging. */
static bool has_odp_access(const struct mr_inquiry *inquiry)
{
	const struct mr_rereg_request *rereg = inquiry->refusal->rereg;

	return mr_inquiry_access(inquiry) & MR_ACCESS_ON_DEMAND &&
	       (!rereg || rereg->changes & MR_CHANGE_ACCESS);
}

/* ib_check_mr_access(): EINVAL up to Linux 6.1, EOPNOTSUPP from 6.2 on. */
static void look_at_support(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const bool is_new = inquiry->refusal->errnum == EOPNOTSUPP;
	const enum mr_tristate since = mr_inquiry_kernel_since(inquiry, 6, 2);

	if (!has_odp_access(inquiry) || (since == MR_YES && !is_new))
		return;
	if (inquiry->attributes.odp.general & IBV_ODP_SUPPORT)
		mr_rule_out(suspicion, "the device has on-demand paging");
	else /* stable kernels and distributions may have got the new errno */
		mr_suspect(suspicion, since == (is_new ? MR_YES : MR_NO) ? MR_CERTAIN : MR_LIKELY,
			   "access has on-demand, and the device reports no on-demand paging");
}

/* Whether the call is for all memory of the process. */
static bool is_implicit(const struct mr_inquiry *inquiry)
{
	struct mr_range range;

	return has_odp_access(inquiry) && mr_inquiry_range(inquiry, &range) && !range.addr &&
	       range.length == UINT64_MAX;
}

static void look_at_implicit(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_region_request *request = inquiry->request;
	const uint64_t iova =
		request && mr_call_row(request->call)->iova == MR_IOVA_GIVEN ? request->iova : 0;

	if (!is_implicit(inquiry) ||
	    (!mr_inquiry_is_driver(inquiry, "mlx5") && !mr_inquiry_is_driver(inquiry, "rxe")))
		return;
	mr_evidence_hex(suspicion, "iova", iova);
	if (!(inquiry->attributes.odp.general & IBV_ODP_SUPPORT))
		return;
	if (!(inquiry->attributes.odp.general & IBV_ODP_SUPPORT_IMPLICIT)) {
		mr_suspect(suspicion, MR_CERTAIN,
			   "the device has on-demand paging for ranges, but not for all memory "
			   "of a process (implicit)");
		if (!mr_inquiry_is_driver(inquiry, "mlx5"))
			mr_suspect_remedy(suspicion, "register ranges");
	} else if (iova) {
		mr_suspect(suspicion, MR_CERTAIN,
			   "a region of all memory has the I/O virtual address 0, and 0x%" PRIx64
			   " was requested",
			   iova);
		mr_suspect_remedy(suspicion, "use --iova 0, or mrctl reg");
	} else if (mr_inquiry_access(inquiry) & MR_ACCESS_HUGETLB) {
		suspicion->layer = MR_LAYER_UVERBS;
		mr_suspect(suspicion, MR_CERTAIN,
			   "access has hugetlb, and not all memory of a process is in huge pages");
		mr_suspect_remedy(suspicion, "omit hugetlb");
	} else {
		mr_rule_out(suspicion, "the device has implicit on-demand paging");
	}
}

/* ib_umem_odp_map_dma_and_lock(): a small page that is there already is EINVAL. */
static void look_at_huge_pages(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const uint32_t access = mr_inquiry_access(inquiry);
	const char *memory = inquiry->refusal->memory ?: "";

	if (!(access & MR_ACCESS_HUGETLB) || is_implicit(inquiry))
		return;
	mr_evidence_text(suspicion, "memory", "%s", memory);
	if (!strncmp(memory, "hugetlb", 7))
		mr_rule_out(suspicion, "the memory has huge pages");
	else
		mr_suspect(suspicion, mr_likely_if(*memory),
			   "access has hugetlb and on-demand, and the memory may have small pages");
}

/*
 * ib_init_umem_odp(), hmm_dma_map_alloc(): a number for each page, by kvcalloc(), which has refused more than INT_MAX
 * since Linux 5.15.
 */
static void look_at_table(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	struct mr_range range = inquiry->range;
	struct mr_available available;
	uint64_t table;

	if (!has_odp_access(inquiry) || is_implicit(inquiry) ||
	    mr_available_read(inquiry->host, &available))
		return;
	mr_extend_to_pages(mr_page_size(inquiry->host), &range.addr, &range.length);
	table = range.length / mr_page_size(inquiry->host) * sizeof(uint64_t);
	mr_evidence_number(suspicion, "length", range.length);
	mr_evidence_number(suspicion, "table", table);
	mr_evidence_number(suspicion, "available", available.bytes);
	if (table > INT_MAX)
		mr_suspect(suspicion, mr_certain_if(mr_inquiry_is_since(inquiry, 5, 15)),
			   "the kernel's table of the region's pages would need %s, and the "
			   "kernel allocates less than 2 GiB",
			   MR_SIZE(table));
	else if (table > available.bytes)
		mr_suspect(suspicion, MR_LIKELY,
			   "the kernel's table of the region's pages needs %s, and %s of memory "
			   "is available",
			   MR_SIZE(table), MR_SIZE(available.bytes));
	else
		mr_rule_out(suspicion, "the table of the region's pages needs only %s",
			    MR_SIZE(table));
}

/* Without a length, the pages of a range that begins at one are none; one that begins inside of a page has one. */
static void look_at_zero(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_range range = inquiry->range;
	bool is_decisive;

	if (range.length) {
		/* For a line of a log, list all causes that are not ruled out. */
		if (inquiry->refusal->is_of_other_process)
			mr_rule_out(suspicion, "the length is %" PRIu64, range.length);
		return;
	}
	is_decisive = range.addr % mr_page_size(inquiry->host) == 0 &&
		      (inquiry->operation != MR_OP_REREG || mr_inquiry_is_driver(inquiry, "mlx5"));
	mr_suspect(suspicion, mr_certain_if(is_decisive),
		   "the length is 0, so there is no page to register");
}

static void look_at_wrap(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_range range = inquiry->range;
	const bool is_on_demand = mr_inquiry_is_on_demand(inquiry);

	if (is_on_demand != (inquiry->refusal->errnum == EOVERFLOW) ||
	    (!range.addr && is_on_demand) || !mr_range_wraps(&range, mr_page_size(inquiry->host)))
		return;
	mr_suspect(suspicion, MR_CERTAIN, "0x%" PRIx64 " + %" PRIu64 " exceeds 64 bits", range.addr,
		   range.length);
}

static void look_at_pages(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const uint64_t page = mr_page_size(inquiry->host);
	struct mr_range whole = inquiry->range;
	uint64_t pages;

	if (mr_range_wraps(&whole, page))
		return;
	mr_extend_to_pages(page, &whole.addr, &whole.length);
	pages = whole.length / page;
	if (pages <= UINT32_MAX)
		return;
	mr_evidence_number(suspicion, "pages", pages);
	mr_suspect(suspicion, MR_CERTAIN,
		   "%s are %" PRIu64 " pages, and the kernel pins at most %u in one region",
		   MR_SIZE(inquiry->range.length), pages, UINT32_MAX);
}

static void look_at_max_size(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const uint64_t most = mr_inquiry_attributes(inquiry)->max_mr_size;
	const uint64_t length = inquiry->range.length;

	if (!most || length <= most)
		return;
	mr_evidence_number(suspicion, "max_mr_size", most);
	mr_suspect(suspicion, MR_LIKELY, "%s is more than the device's max_mr_size, %s",
		   MR_SIZE(length), MR_SIZE(most));
}

#include "lib/diagnose/causes/odp.inc"
