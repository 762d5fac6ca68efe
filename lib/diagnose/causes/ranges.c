// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Address and length by themselves: rules of drivers/infiniband/core/umem.c ib_umem_get() and umem_odp.c. */
#include <errno.h>
#include <inttypes.h>

#include "lib/diagnose/causes/tables.h"
#include "lib/diagnose/size_text.h"
#include "lib/host/host.h"
#include "lib/verbs/verbs.h"

static bool is_on_demand(const struct mr_inquiry *inquiry)
{
	return mr_inquiry_access(inquiry) & MR_ACCESS_ON_DEMAND;
}

static void add_range(const struct mr_range *range, struct mr_suspicion *suspicion)
{
	mr_evidence_hex(suspicion, "address", range->addr);
	mr_evidence_number(suspicion, "length", range->length);
}

/* Without a length, the pages of a range that begins at one are none; one that begins inside of a page has one. */
static void look_at_zero(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	struct mr_range range;
	bool is_sure;

	if (!mr_inquiry_range(inquiry, &range))
		return;
	if (range.length) {
		/* Of a line in a log all causes are listed that are not ruled out. */
		if (inquiry->refusal->is_elsewhere)
			mr_rule_out(suspicion, "the length is %" PRIu64, range.length);
		return;
	}
	is_sure = range.addr % mr_page_size(inquiry->host) == 0 &&
		  (inquiry->operation != MR_OP_REREG || mr_inquiry_is_driver(inquiry, "mlx5"));
	add_range(&range, suspicion);
	mr_suspect(suspicion, is_sure ? MR_CERTAIN : MR_LIKELY,
		   "the length is 0: there is no page");
}

static void look_at_wrap(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const uint64_t page = mr_page_size(inquiry->host);
	struct mr_range range;
	uint64_t end, rounded;

	if (!mr_inquiry_range(inquiry, &range) ||
	    is_on_demand(inquiry) != (inquiry->refusal->errnum == EOVERFLOW) ||
	    (!range.addr && is_on_demand(inquiry)))
		return;
	if (!__builtin_add_overflow(range.addr, range.length, &end) &&
	    !__builtin_add_overflow(end, page - 1, &rounded))
		return;
	add_range(&range, suspicion);
	mr_suspect(suspicion, MR_CERTAIN,
		   "0x%" PRIx64 " + %" PRIu64 " goes beyond the last address there is", range.addr,
		   range.length);
}

static void look_at_pages(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const uint64_t page = mr_page_size(inquiry->host);
	struct mr_range range;
	uint64_t pages;

	if (!mr_inquiry_range(inquiry, &range) || is_on_demand(inquiry) ||
	    range.addr + range.length < range.addr ||
	    range.addr + range.length > UINT64_MAX - (page - 1))
		return;
	pages = (range.addr + range.length + page - 1) / page - range.addr / page;
	if (pages <= UINT32_MAX)
		return;
	add_range(&range, suspicion);
	mr_evidence_number(suspicion, "pages", pages);
	mr_suspect(suspicion, MR_CERTAIN,
		   "%s are %" PRIu64 " pages, and the kernel pins at most %u in one region",
		   mr_size_text(range.length).text, pages, UINT32_MAX);
}

static void look_at_max_size(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_attributes *device;
	struct mr_range range;

	if (!mr_inquiry_range(inquiry, &range))
		return;
	device = mr_inquiry_attributes(inquiry);
	if (!device || !device->max_mr_size || range.length <= device->max_mr_size)
		return;
	mr_evidence_number(suspicion, "length", range.length);
	mr_evidence_number(suspicion, "max_mr_size", device->max_mr_size);
	mr_suspect(suspicion, MR_LIKELY, "%s is more than the device's max_mr_size, %s",
		   mr_size_text(range.length).text, mr_size_text(device->max_mr_size).text);
}

const struct mr_cause mr_causes_of_ranges[] = {
	{ .id = "MR-LENGTH-ZERO",
	  .subject = "length 0",
	  .operations = MR_ON_PINNING,
	  .errnums = { EINVAL },
	  .is_of_request = true,
	  .layer = MR_LAYER_UVERBS,
	  .frequency = MR_COMMON,
	  .look = look_at_zero,
	  .what = "The range has no bytes, so there is no page to register.",
	  .recognise = "The length of the call.",
	  .remedy = "give a length of at least 1",
	  .sources =
		  "drivers/infiniband/core/umem.c ib_umem_get(); umem_odp.c ib_init_umem_odp()" },
	{ .id = "MR-RANGE-WRAPS",
	  .subject = "a range that wraps",
	  .operations = MR_ON_PINNING,
	  .errnums = { EINVAL, EOVERFLOW },
	  .layer = MR_LAYER_UVERBS,
	  .frequency = MR_RARE,
	  .look = look_at_wrap,
	  .what = "Address + length is more than 64 bits can hold.  Often the length is a negative "
		  "number, or SIZE_MAX without an address of 0 and on-demand paging.",
	  .recognise = "The address and length of the call.",
	  .remedy = "correct the length",
	  .sources =
		  "drivers/infiniband/core/umem.c ib_umem_get(); umem_odp.c ib_init_umem_odp()" },
	{ .id = "MR-PAGE-COUNT",
	  .cured_by = MR_CURED_BY(PAGE),
	  .subject = "more pages than a region can have",
	  .operations = MR_ON_PINNING,
	  .errnums = { EINVAL },
	  .is_of_request = true,
	  .layer = MR_LAYER_UVERBS,
	  .frequency = MR_RARE,
	  .look = look_at_pages,
	  .what = "The kernel counts the pages of a region in 32 bits: 16 TiB of 4 KiB pages.  Huge "
		  "pages count by their 4 KiB parts.",
	  .recognise = "The length of the call.",
	  .remedy = "register several regions, or use on-demand paging",
	  .sources = "drivers/infiniband/core/umem.c ib_umem_get()" },
	{ .id = "MR-MAX-MR",
	  .cured_by = MR_CURED_BY(PAGE),
	  .subject = "size of a region",
	  .operations = MR_ON_PINNING,
	  .errnums = { EINVAL, ENOMEM, EIO, EOPNOTSUPP },
	  .layer = MR_LAYER_DRIVER,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_max_size,
	  .what = "The range is longer than the largest region that the device says it can have.",
	  .recognise = "max_mr_size of ibv_devinfo -v, or of mrctl stat --device.",
	  .remedy = "register several regions of at most max_mr_size bytes",
	  .sources = "ibv_query_device(3); kvcache-ai/Mooncake#304" },
	{ .id = NULL },
};
