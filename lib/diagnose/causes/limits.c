// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Memory that cannot be pinned, or mapped for the device, as the host has no more of it. */
#include <errno.h>

#include "lib/diagnose/causes/tables.h"
#include "lib/diagnose/devices.h"
#include "lib/diagnose/kernel.h"
#include "lib/diagnose/memory.h"
#include "lib/diagnose/size_text.h"
#include "lib/host/host.h"
#include "lib/host/processes.h"
#include "lib/verbs/verbs.h"

/* From this size on a dma-buf was seen to be refused where the IOMMU translates each page. */
#define LARGE_DMABUF (UINT64_C(1) << 30)

/* Whether the call pins memory of the process; @length: bytes. */
static bool pins(const struct mr_inquiry *inquiry, uint64_t *length)
{
	struct mr_range range;
	const bool is_pinned = mr_inquiry_range(inquiry, &range) &&
			       !(mr_inquiry_access(inquiry) & MR_ACCESS_ON_DEMAND);

	*length = is_pinned ? range.length : 0;
	return is_pinned;
}

/* Takes the finding of a check of stat --host about a registration of @length bytes. */
static struct mr_finding take(const struct mr_inquiry *inquiry, uint64_t length,
			      void (*check)(const struct mr_question *, struct mr_finding *),
			      struct mr_suspicion *suspicion)
{
	const struct mr_question question = { .host = inquiry->host, .size = { length, true } };
	struct mr_finding finding = { .verdict = MR_VERDICT_NA };

	check(&question, &finding);
	if (finding.verdict < MR_VERDICT_WARN)
		return finding;
	mr_evidence_number(suspicion, "asked", length);
	if (finding.detail[0])
		mr_evidence_text(suspicion, "detail", "%s", finding.detail);
	mr_suspect_remedy(suspicion, "%s", finding.remedy);
	return finding;
}

/* Pinning leaves each page in memory (mm/gup.c), so that it may have taken what is not available any more. */
static bool is_in_memory(struct mr_inquiry *inquiry)
{
	const uint64_t page = mr_page_size(inquiry->host);
	struct mr_absent_page absent;
	struct mr_range range;

	if (!mr_inquiry_range(inquiry, &range) || !range.length ||
	    range.addr + range.length > UINT64_MAX - (page - 1) ||
	    range.addr + range.length < range.addr)
		return false;
	mr_extend_to_pages(page, &range.addr, &range.length);
	return !mr_absent_page_find(inquiry->host, range.addr, range.addr + range.length,
				    MR_PAGE_READ, &absent);
}

static void look_at_available(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	struct mr_finding finding;
	uint64_t length;

	if (!pins(inquiry, &length))
		return;
	if (is_in_memory(inquiry)) {
		mr_rule_out(suspicion, "all pages of the range are in memory");
		return;
	}
	finding = take(inquiry, length, mr_check_available, suspicion);
	if (finding.verdict == MR_VERDICT_OK)
		mr_rule_out(suspicion, "%s", finding.figure);
	else if (finding.verdict >= MR_VERDICT_WARN)
		mr_suspect(suspicion, finding.verdict == MR_VERDICT_BAD ? MR_LIKELY : MR_POSSIBLE,
			   "%s", finding.figure);
}

/* Memory outside of CMA that is free: where there is enough, pages can be moved out to be pinned. */
static bool is_rest_low(struct mr_inquiry *inquiry, uint64_t length)
{
	struct mr_meminfo info;

	if (mr_meminfo_read(inquiry->host, &info) || !info.free.known || !info.cma_free.known)
		return false;
	return info.free.value <= info.cma_free.value ||
	       info.free.value - info.cma_free.value < length;
}

static void look_at_cma(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_environment *environment = inquiry->refusal->environment;
	struct mr_finding finding;
	uint64_t length;

	if (!pins(inquiry, &length) || (environment && environment->simulated))
		return;
	finding = take(inquiry, length, mr_check_cma, suspicion);
	if (finding.verdict == MR_VERDICT_OK && !is_rest_low(inquiry, length))
		mr_rule_out(suspicion, "%s, and enough is free outside", finding.figure);
	else if (finding.verdict >= MR_VERDICT_WARN)
		mr_suspect(suspicion, is_rest_low(inquiry, length) ? MR_LIKELY : MR_POSSIBLE, "%s",
			   finding.figure);
}

static void look_at_iommu(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	struct mr_finding finding;

	if (!refusal->request || (refusal->environment && refusal->environment->simulated) ||
	    refusal->request->length < LARGE_DMABUF)
		return;
	finding = take(inquiry, refusal->request->length, mr_check_iommu, suspicion);
	if (finding.verdict == MR_VERDICT_OK)
		mr_rule_out(suspicion, "IOMMU: %s", finding.figure);
	else if (finding.verdict >= MR_VERDICT_WARN)
		mr_suspect(suspicion, MR_LIKELY, "IOMMU: %s", finding.figure);
}

const struct mr_cause mr_causes_of_limits[] = {
	{ .id = "MR-AVAILABLE",
	  .subject = "memory available",
	  .operations = MR_ON_PINNING,
	  .errnums = { ENOMEM },
	  .layer = MR_LAYER_MEMORY,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_available,
	  .what = "What is registered stays in memory, and the host has not as much available.  More "
		  "often a process is killed than that the call is refused.",
	  .recognise = "MemAvailable in /proc/meminfo, and \"Out of memory\" in the kernel's log.",
	  .remedy = "end what holds memory, or register less",
	  .sources = "Documentation/filesystems/proc.rst; mm/gup.c faultin_page()" },
	{ .id = "MR-CMA",
	  .subject = "memory of the contiguous allocator",
	  .operations = MR_ON_PINNING,
	  .errnums = { ENOMEM },
	  .layer = MR_LAYER_MEMORY,
	  .frequency = MR_RARE,
	  .look = look_at_cma,
	  .what = "Pages in areas of the contiguous memory allocator (CMA) cannot stay pinned: the kernel "
		  "moves them out first, and refuses where it finds no room, or cannot move them.  "
		  "Scratch memory of kexec handover (kho=on) is of that kind.",
	  .recognise =
		  "CmaFree in /proc/meminfo is more than CmaTotal, or nearly all that is free is in CMA; "
		  "tracing shows migrate_pages() with -EAGAIN below __gup_longterm_locked().",
	  .remedy = "boot with kho=off, or with a smaller cma= or hugetlb_cma=",
	  .sources = "mm/gup.c check_and_migrate_movable_pages(); NVIDIA/NV-Kernels#590" },
	{ .id = "MR-IOMMU",
	  .subject = "IOMMU",
	  .operations = MR_ON_DMABUFS,
	  .errnums = { ENOMEM },
	  .layer = MR_LAYER_DMABUF,
	  .frequency = MR_RARE,
	  .look = look_at_iommu,
	  .what = "With full translation by the IOMMU each page of a dma-buf is mapped for the device, "
		  "and for large ones the mappings run out.",
	  .recognise = "The file type of the device's iommu_group in /sys is DMA or DMA-FQ, not "
		       "identity, and smaller dma-bufs can be registered.",
	  .remedy = "boot with iommu=pt, or register large dma-bufs in pieces of 1 GiB",
	  .sources = "drivers/iommu/dma-iommu.c iommu_dma_map_sg(); uccl-project/uccl#761" },
	{ .id = NULL },
};
