// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "lib/diagnose/causes/causes.h"
#include "lib/simulator/enter.h"

/* Memory that the limit includes. */
struct memlock {
	struct mr_rlimit limit;
	enum mr_tristate is_lifted;
	uint64_t page;
	uint64_t asked;           /* bytes of the pages that are begun */
	bool is_least;            /* of a queue: it may pin more than @asked */
	struct mr_opt_u64 pinned; /* bytes */
	enum mr_tristate exceeded;
};

/* Whether pages exceed the limit; unknown where that depends on what is pinned, which is not known. */
static enum mr_tristate exceeds(const struct memlock *memlock, uint64_t asked,
				struct mr_opt_u64 pinned)
{
	const uint64_t limit = memlock->limit.soft / memlock->page, pages = asked / memlock->page;

	if (pages > limit)
		return MR_YES;
	if (!pinned.known)
		return MR_UNKNOWN;
	return pinned.value / memlock->page > limit - pages ? MR_YES : MR_NO;
}

/*
 * Counts the pages that the call pins.  The buffers of a queue take at least these pages, before the page of its
 * doorbell.  Return: false: none, or the range wraps; or the limit has nothing to do with the call, or cannot be read.
 */
static bool find_memlock(struct mr_inquiry *inquiry, struct memlock *memlock)
{
	const struct mr_region_request *request = inquiry->request;
	const uint64_t page = mr_page_size(inquiry->host);
	const bool is_larger =
		request && request->call == MR_REG_MR_RELAXED && request->page_size > page;
	const uint64_t mask = (is_larger ? request->page_size : page) - 1;
	const struct mr_process_status *status;
	struct mr_range range;
	uint64_t end;

	*memlock = (struct memlock){ .page = page, .is_least = inquiry->operation == MR_OP_QUEUE };
	if (memlock->is_least) {
		memlock->asked = mr_round_up(inquiry->refusal->queue_bytes, page);
		if (!memlock->asked || !mr_inquiry_is_driver(inquiry, "mlx5"))
			return false;
	} else {
		if (!mr_inquiry_range(inquiry, &range) || mr_inquiry_is_on_demand(inquiry) ||
		    __builtin_add_overflow(range.addr, range.length, &end) ||
		    end > UINT64_MAX - mask)
			return false;
		memlock->asked = ((end + mask) & ~mask) - (range.addr & ~mask);
	}
	if (mr_rlimit_read(inquiry->host, "self", MR_MEMLOCK, &memlock->limit))
		return false;
	memlock->is_lifted = mr_memlock_is_lifted(inquiry->host);
	/* Memory of the simulated HCA is not really pinned, so the kernel's figure lacks it. */
	if (inquiry->environment->simulated && mr_host_is_live(inquiry->host))
		memlock->pinned = inquiry->host->process ? inquiry->refusal->simulated_pinned
							 : mr_simulator_pinned();
	else if ((status = mr_inquiry_status(inquiry)))
		memlock->pinned = status->pinned;
	memlock->exceeded = exceeds(memlock, memlock->asked, memlock->pinned);
	return true;
}

/* siw compared only the new pages with the limit up to Linux 6.8, and checked no capability. */
static bool is_other_rule(const struct mr_inquiry *inquiry)
{
	return mr_inquiry_is_driver(inquiry, "siw");
}

/* A driver other than mlx5's pins nothing for a change, and a limit of 0 answers EPERM. */
static enum mr_certainty judge_certainty(const struct mr_inquiry *inquiry,
					 const struct memlock *memlock)
{
	if ((inquiry->operation == MR_OP_REREG && !mr_inquiry_is_driver(inquiry, "mlx5")) ||
	    (inquiry->refusal->errnum == ENOMEM && !memlock->limit.soft && !is_other_rule(inquiry)))
		return MR_POSSIBLE;
	return mr_certain_if(memlock->is_lifted == MR_NO && !is_other_rule(inquiry));
}

/* Finds where the limit came from.  Return: with a figure that goes behind a sentence: "; lowered in containerd" */
static struct mr_finding explain_limit(struct mr_inquiry *inquiry, const struct memlock *memlock,
				       uint64_t needed, struct mr_suspicion *suspicion)
{
	struct mr_finding origin = { .verdict = MR_VERDICT_BAD };

	mr_memlock_explain(inquiry->host, &memlock->limit, needed, &origin);
	mr_suspect_remedy(suspicion, "%s", origin.remedy);
	mr_evidence_limit(suspicion, "hard_limit", memlock->limit.hard);
	if (origin.detail[0])
		mr_evidence_text(suspicion, "origin", "%s", origin.detail);
	mr_evidence_text(suspicion, "cap_ipc_lock", "%s",
			 mr_inquiry_check(inquiry, "MR-IPC-LOCK", NULL).figure);
	return origin;
}

static void look_at_zero(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	struct memlock memlock;
	uint64_t limit;

	if (!find_memlock(inquiry, &memlock))
		return;
	limit = memlock.limit.soft;
	mr_evidence_limit(suspicion, "limit", limit);
	if (limit)
		mr_rule_out(suspicion, "RLIMIT_MEMLOCK is %s, not 0",
			    limit == UINT64_MAX ? "unlimited" : MR_SIZE(limit));
	else if (memlock.is_lifted == MR_YES)
		mr_rule_out(suspicion, "CAP_IPC_LOCK lifts the limit");
	else
		mr_suspect(suspicion, judge_certainty(inquiry, &memlock),
			   "no memory can be pinned: RLIMIT_MEMLOCK is 0%s",
			   explain_limit(inquiry, &memlock, memlock.asked, suspicion).figure);
}

/*
 * The refused thread of another process waits during the examination, but its other threads do not: their regions at
 * the time of the refusal may no longer exist, and need not be known.
 */
static void suspect_other_thread(struct mr_inquiry *inquiry, const struct memlock *memlock,
				 struct mr_suspicion *suspicion)
{
	const uint64_t most = inquiry->refusal->most_held;

	if (exceeds(memlock, memlock->asked, (struct mr_opt_u64){ most, true }) != MR_YES)
		return;
	mr_evidence_number(suspicion, "most_registered", most);
	mr_suspect(suspicion, MR_POSSIBLE,
		   "%s are pinned now, but up to %s were registered at once, this call needs %s, "
		   "and RLIMIT_MEMLOCK is %s%s: another thread may have deregistered since",
		   MR_SIZE(memlock->pinned.value), MR_SIZE(most), MR_SIZE(memlock->asked),
		   MR_SIZE(memlock->limit.soft),
		   explain_limit(inquiry, memlock, most + memlock->asked, suspicion).figure);
}

/*
 * The size of a queue's buffers beyond the least is unknown: the inline data and the pieces of a request to send
 * make it as much as MORE times as large.
 */
#define MORE 16

static void suspect_larger_queue(struct mr_inquiry *inquiry, const struct memlock *memlock,
				 struct mr_suspicion *suspicion)
{
	const uint64_t pinned = memlock->pinned.value;
	uint64_t most;

	if (__builtin_mul_overflow(memlock->asked, MORE, &most))
		most = UINT64_MAX;
	if (inquiry->refusal->by_kernel != MR_NO &&
	    exceeds(memlock, most, memlock->pinned) != MR_NO)
		mr_suspect(suspicion, MR_LIKELY,
			   "%s are pinned, this call needs at least %s, and RLIMIT_MEMLOCK is %s%s",
			   MR_SIZE(pinned), MR_SIZE(memlock->asked), MR_SIZE(memlock->limit.soft),
			   explain_limit(inquiry, memlock, pinned + most, suspicion).figure);
}

/* ib_umem_get() answers EINVAL to no page, and to more than it can count. */
static bool can_be_counted(const struct memlock *memlock)
{
	return memlock->asked && memlock->asked / memlock->page <= UINT32_MAX;
}

static void look_at_memlock(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_process_status *status =
		inquiry->host->process ? mr_inquiry_status(inquiry) : NULL;
	struct memlock memlock;
	uint64_t limit, pinned;
	bool is_limited;

	if (!find_memlock(inquiry, &memlock) || !can_be_counted(&memlock))
		return;
	limit = memlock.limit.soft;
	pinned = memlock.pinned.value;
	is_limited = memlock.is_lifted != MR_YES && limit != UINT64_MAX;
	mr_evidence_limit(suspicion, "limit", limit);
	if (memlock.pinned.known)
		mr_evidence_number(suspicion, "pinned", pinned);
	mr_evidence_number(suspicion, "asked", memlock.asked);
	if (memlock.exceeded == MR_YES && (memlock.is_lifted != MR_YES || is_other_rule(inquiry)))
		mr_suspect(
			suspicion, judge_certainty(inquiry, &memlock),
			"%s %s pinned, this call needs %s%s, and RLIMIT_MEMLOCK is %s%s",
			memlock.pinned.known ? MR_SIZE(pinned) : "some memory",
			memlock.pinned.known ? "are" : "may be",
			memlock.is_least ? "at least " : "", MR_SIZE(memlock.asked), MR_SIZE(limit),
			explain_limit(inquiry, &memlock, pinned + memlock.asked, suspicion).figure);
	else if (memlock.is_lifted == MR_YES &&
		 (memlock.exceeded == MR_NO || !is_other_rule(inquiry)))
		mr_rule_out(suspicion, "CAP_IPC_LOCK lifts the limit");
	else if (memlock.exceeded != MR_NO)
		return;
	else if (is_limited && status && status->threads.known && status->threads.value > 1)
		suspect_other_thread(inquiry, &memlock, suspicion);
	else if (is_limited && memlock.is_least)
		suspect_larger_queue(inquiry, &memlock, suspicion);
	else if (limit == UINT64_MAX)
		mr_rule_out(suspicion, "RLIMIT_MEMLOCK is unlimited");
	else
		mr_rule_out(suspicion,
			    "%s are pinned, this call needs %s, and RLIMIT_MEMLOCK is %s",
			    MR_SIZE(pinned), MR_SIZE(memlock.asked), MR_SIZE(limit));
}

/*
 * Why the limit counts although the process seems to be exempt.  It is never the first cause: a higher limit
 * helps in each case, a capability does not.
 */
static void look_at_exemption(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	struct memlock memlock;

	if (!find_memlock(inquiry, &memlock) || memlock.is_lifted == MR_YES ||
	    (inquiry->refusal->errnum == EPERM
		     ? memlock.limit.soft
		     : !can_be_counted(&memlock) || memlock.exceeded != MR_YES))
		return;
	mr_suspect_by_check(inquiry, suspicion, "", MR_LIKELY, MR_UNRELATED);
	if (suspicion->certainty == MR_RULED_OUT)
		suspicion->certainty = MR_UNRELATED;
}

/* From this size on a dma-buf was seen to be refused where the IOMMU translates each page. */
#define LARGE_DMABUF (UINT64_C(1) << 30)

/* Pinning leaves each page in memory (mm/gup.c), so that it may have taken what is not available any more. */
static bool is_in_memory(struct mr_inquiry *inquiry)
{
	const uint64_t page = mr_page_size(inquiry->host);
	struct mr_range range = inquiry->range;
	struct mr_absent_page absent;

	if (!range.length || mr_range_wraps(&range, page))
		return false;
	mr_extend_to_pages(page, &range.addr, &range.length);
	return !mr_absent_page_find(inquiry->host, range.addr, range.addr + range.length,
				    MR_PAGE_READ, &absent);
}

static void look_at_available(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	if (is_in_memory(inquiry))
		mr_rule_out(suspicion, "all pages of the range are in memory");
	else
		mr_suspect_by_check(inquiry, suspicion, "", MR_POSSIBLE, MR_LIKELY);
}

/* Pages are moved out of CMA to be pinned, where there is enough that is free outside. */
static void look_at_cma(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const uint64_t length = inquiry->range.length;
	struct mr_finding finding;
	struct mr_meminfo info;
	bool is_low;

	if (inquiry->environment->simulated)
		return;
	is_low = !mr_meminfo_read(inquiry->host, &info) && info.free.known && info.cma_free.known &&
		 (info.free.value <= info.cma_free.value ||
		  info.free.value - info.cma_free.value < length);
	finding = mr_suspect_by_check(inquiry, suspicion, "", mr_likely_if(is_low),
				      mr_likely_if(is_low));
	if (finding.verdict == MR_VERDICT_OK && is_low)
		suspicion->certainty = MR_UNRELATED;
	else if (finding.verdict == MR_VERDICT_OK)
		mr_rule_out(suspicion, "%s, and enough is free outside", finding.figure);
}

static void look_at_iommu(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	if (inquiry->environment->simulated || inquiry->request->length < LARGE_DMABUF)
		return;
	mr_suspect_by_check(inquiry, suspicion, "IOMMU: ", MR_LIKELY, MR_LIKELY);
}

#include "lib/diagnose/causes/memlock.inc"
