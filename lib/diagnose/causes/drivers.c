// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "lib/diagnose/causes/causes.h"
#include "lib/nldev/nldev.h"
#include "lib/verbs/verbs.h"

#define ON_KEYS (MR_ON(REG) | MR_ON(REG_DMABUF) | MR_ON(REG_DM))

/* sw/rxe/rxe_verbs.c rxe_reg_user_mr(), rxe_rereg_user_mr(), RXE_ACCESS_SUPPORTED_MR; the check came with Linux 6.4 */
static void look_at_rxe_access(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const uint32_t access = mr_inquiry_access(inquiry);
	const uint32_t refused = access & (MR_ACCESS_ZERO_BASED | MR_ACCESS_HUGETLB);
	const char *names = refused == MR_ACCESS_ZERO_BASED ? "zero-based"
			    : refused == MR_ACCESS_HUGETLB  ? "hugetlb"
							    : "zero-based and hugetlb";

	if (!mr_inquiry_is_since(inquiry, 6, 4))
		return;
	mr_evidence_hex(suspicion, "not_taken", refused);
	mr_suspect(suspicion,
		   mr_certain_if(mr_inquiry_is_since(inquiry, 6, 6) &&
				 mr_inquiry_kernel_is_known(inquiry)),
		   "rxe does not accept %s for regions", names);
	mr_suspect_remedy(suspicion, "omit %s", names);
}

/*
 * The last address wraps: since Linux 7.2 umem.c ib_umem_find_best_pgsz() finds no page size for it, and mlx5
 * refuses.
 */
static void look_at_iova_end(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_region_request *request = inquiry->request;
	uint64_t last;

	/* On demand no page size is looked for. */
	if (mr_call_row(request->call)->iova != MR_IOVA_GIVEN || !request->length ||
	    request->access & MR_ACCESS_ON_DEMAND ||
	    !__builtin_add_overflow(request->iova, request->length - 1, &last))
		return;
	mr_suspect(suspicion,
		   mr_inquiry_is_since(inquiry, 7, 2) && mr_is_pinned(inquiry) ? MR_CERTAIN
									       : MR_POSSIBLE,
		   "the IOVA 0x%" PRIx64 " with %" PRIu64 " bytes exceeds 64 bits", request->iova,
		   request->length);
}

/* hw/efa: an MR that others may write has at most 1 Mi pages of the host; a device has some 24 Mi for all. */
static void look_at_efa_pages(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const uint64_t most = UINT64_C(1) << 20, all = most * 24;
	const uint64_t page_size = mr_page_size(inquiry->host);
	const uint64_t length = inquiry->range.length, pages = length / page_size;

	mr_evidence_number(suspicion, "pages", pages);
	if (pages <= most)
		mr_rule_out(suspicion, "%" PRIu64 " pages are within what EFA accepts at once",
			    pages);
	else
		mr_suspect(suspicion, mr_likely_if(pages > all),
			   "%s are %" PRIu64
			   " pages of %s; EFA allows 1 Mi pages in a region that others may "
			   "write, and some 24 Mi pages in all",
			   MR_SIZE(length), pages, MR_SIZE(page_size));
}

/* hw/erdma/erdma_verbs.c erdma_reg_user_mr(): "Out of mr size"; its provider answers EIO. */
static void look_at_erdma_size(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const uint64_t held = inquiry->refusal->held, max = inquiry->attributes.max_mr_size;
	uint64_t together;

	if (__builtin_add_overflow(inquiry->range.length, held, &together))
		together = UINT64_MAX;
	mr_evidence_number(suspicion, "registered", held);
	mr_evidence_number(suspicion, "max_mr_size", max);
	if (together > max)
		mr_suspect(suspicion, MR_LIKELY,
			   "the new and the registered regions together have %s, and the device "
			   "accepts %s (max_mr_size)",
			   MR_SIZE(together), MR_SIZE(max));
	else if (inquiry->refusal->errnum == EIO)
		mr_suspect(
			suspicion, MR_POSSIBLE,
			"the device accepts %s in total (max_mr_size), and others may have registered "
			"most of it",
			MR_SIZE(max));
}

static void look_at_mlx4_mtt(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const uint64_t length = inquiry->range.length;
	uint64_t segments, pages;
	const uint64_t most = mr_mlx4_registerable(inquiry->host, &segments, &pages);

	if (!most)
		return;
	mr_evidence_number(suspicion, "log_num_mtt", segments);
	mr_evidence_number(suspicion, "log_mtts_per_seg", pages);
	mr_evidence_number(suspicion, "registerable", most);
	if (length > most || inquiry->refusal->held > most - length)
		mr_suspect(suspicion, MR_LIKELY,
			   "mlx4 registers at most %s (log_num_mtt %" PRIu64
			   "), and this region has %s",
			   MR_SIZE(most), segments, MR_SIZE(length));
	else
		mr_suspect(suspicion, MR_POSSIBLE,
			   "mlx4 registers at most %s in all processes (log_num_mtt %" PRIu64 ")",
			   MR_SIZE(most), segments);
}

/* librdmacm finds its device by the GUID (rdma-core: librdmacm/cma.c ucma_get_device()), and 0 means none. */
static void look_at_guid(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_environment *environment = inquiry->environment;
	char guid[32];

	if (!mr_host_line(inquiry->host, guid, sizeof(guid), "/sys/class/infiniband/%s/node_guid",
			  environment->device))
		return;
	mr_evidence_text(suspicion, "node_guid", "%s", guid);
	if (strcmp(guid, "0000:0000:0000:0000") != 0)
		mr_rule_out(suspicion, "%s has the node GUID %s", environment->device, guid);
	else
		mr_suspect(suspicion, MR_POSSIBLE,
			   "the node GUID of %s is 0, so librdmacm does not find the device",
			   environment->device);
}

static void look_at_rxe_size(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const uint64_t page = mr_page_size(inquiry->host);
	struct mr_range range = inquiry->range;
	uint64_t pages;

	mr_extend_to_pages(page, &range.addr, &range.length);
	pages = range.length / page;
	if (pages <= MR_RXE_PAGES_MAX || !mr_inquiry_is_since(inquiry, 7, 0))
		return;
	mr_evidence_number(suspicion, "pages", pages);
	mr_evidence_number(suspicion, "pages_max", MR_RXE_PAGES_MAX);
	mr_suspect(suspicion, MR_LIKELY,
		   "the region has %" PRIu64
		   " pages, and rxe since Linux 7.0 accepts at most %" PRIu64 " (%s)",
		   pages, MR_RXE_PAGES_MAX, MR_SIZE(MR_RXE_PAGES_MAX * page));
}

/* The device's own limit: max_mr is an upper bound, so that it can come earlier. */
static void look_at_count(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const uint32_t max = inquiry->attributes.max_mr;
	struct mr_opt_u64 count = { .known = false }; /* of all processes */
	struct mr_nldev_summary summary;
	struct mr_error ignored;
	struct mr_nldev nl;
	uint32_t index;

	if (!max || inquiry->environment->simulated ||
	    mr_nldev_open_device(&nl, inquiry->environment->device, &index, &ignored))
		return;
	if (!mr_nldev_summary(&nl, index, &summary, &ignored))
		count = mr_nldev_summary_of(&summary, "mr");
	mr_nldev_close(&nl);
	if (!count.known)
		return;
	mr_evidence_number(suspicion, "mrs", count.value);
	mr_evidence_number(suspicion, "max_mr", max);
	if (count.value < max - max / 50)
		mr_rule_out(suspicion, "the device has %" PRIu64 " of at most %" PRIu32 " MRs",
			    count.value, max);
	else
		mr_suspect(suspicion, MR_LIKELY,
			   "the device has %" PRIu64 " MRs, and its limit is %" PRIu32 " (max_mr)",
			   count.value, max);
}

#include "lib/diagnose/causes/drivers.inc"
