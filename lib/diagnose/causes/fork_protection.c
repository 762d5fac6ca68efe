// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Fork protection of libibverbs.  Where the kernel does not copy pinned pages on fork(2), it keeps the range from
 * children by madvise(MADV_DONTFORK) before it asks the kernel to register it; before rdma-core 51 it does so on all
 * kernels.  That splits mappings, and fails by rules of its own: libibverbs/memory.c ibv_madvise_range(),
 * mm/madvise.c.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "lib/diagnose/causes/pinning.h"
#include "lib/diagnose/causes/tables.h"
#include "lib/diagnose/copy_on_fork.h"
#include "lib/diagnose/size_text.h"
#include "lib/host/host.h"
#include "lib/host/processes.h"
#include "lib/verbs/verbs.h"

/* The first release whose ibv_fork_init(3) does nothing where the kernel copies pinned pages. */
#define ASKS_KERNEL_SINCE 51

/* Whether libibverbs protects the range of the call. */
static bool is_protected(struct mr_inquiry *inquiry, struct mr_fork *fork)
{
	const struct mr_environment *environment = inquiry->refusal->environment;
	const long release = environment ? strtol(environment->rdma_core, NULL, 10) : 0;
	struct mr_range range;

	if (inquiry->refusal->via != MR_VIA_LIBRARY || !mr_inquiry_range(inquiry, &range) ||
	    !range.addr || !range.length || mr_inquiry_access(inquiry) & MR_ACCESS_ON_DEMAND)
		return false;
	mr_fork_read(inquiry->host, fork);
	if (inquiry->refusal->fork_safe != MR_UNKNOWN)
		return inquiry->refusal->fork_safe == MR_YES;
	return fork->is_asked && ((release > 0 && release < ASKS_KERNEL_SINCE) ||
				  mr_copies_on_fork(inquiry->host) != MR_YES);
}

/* A range that is protected already, as it is registered, is not protected again. */
static enum mr_certainty sure(const struct mr_inquiry *inquiry)
{
	return inquiry->refusal->held || inquiry->refusal->region_known ? MR_LIKELY : MR_CERTAIN;
}

static void look_at_range(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_obstacle *obstacle;
	struct mr_fork fork;

	if (!is_protected(inquiry, &fork))
		return;
	obstacle = mr_obstacle_find(inquiry);
	if (!obstacle || obstacle->kind < MR_OBSTACLE_UNMAPPED || obstacle->kind > MR_OBSTACLE_END)
		return;
	mr_evidence_hex(suspicion, "address", obstacle->addr);
	mr_evidence_number(suspicion, "unmapped", obstacle->hole);
	mr_suspect(suspicion, sure(inquiry),
		   "nothing is mapped in the %s at 0x%" PRIx64
		   ", and fork protection (RDMAV_FORK_SAFE) cannot advise the kernel of it",
		   mr_size_text(obstacle->hole).text, obstacle->addr);
}

/*
 * madvise(2) splits the mapping at both ends of the range, and each part counts.  It turns the ENOMEM of
 * split_vma() into EAGAIN.
 */
static void look_at_count(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const bool opens = inquiry->operation == MR_OP_OPEN;
	const bool maps = opens || inquiry->operation == MR_OP_PREPARE;
	struct mr_opt_u64 max, used;
	struct mr_fork fork;

	if (!maps && !is_protected(inquiry, &fork))
		return;
	if (opens)
		suspicion->layer = MR_LAYER_MEMORY;
	max = mr_mappings_max(inquiry->host);
	used = mr_mappings_used(inquiry->host);
	if (!max.known || !used.known)
		return;
	mr_evidence_number(suspicion, "mappings", used.value);
	mr_evidence_number(suspicion, "max_map_count", max.value);
	if (used.value + 2 < max.value) {
		mr_rule_out(suspicion,
			    "the process has %" PRIu64 " mappings, and may have %" PRIu64,
			    used.value, max.value);
		return;
	}
	mr_suspect(suspicion, maps || inquiry->refusal->errnum == EAGAIN ? MR_LIKELY : MR_POSSIBLE,
		   "the process has %" PRIu64 " mappings, vm.max_map_count is %" PRIu64 "%s",
		   used.value, max.value,
		   maps ? "" : ", and fork protection (RDMAV_FORK_SAFE) splits them");
	if (maps)
		mr_suspect_remedy(suspicion, "raise it (sysctl vm.max_map_count), or map fewer, "
					     "larger areas");
}

/* Whether an end of the range is inside of a huge page, where the mapping cannot be split. */
static bool splits_huge_page(const struct mr_obstacle *obstacle, uint64_t addr)
{
	const struct mr_mapping *huge = &obstacle->huge;
	const uint64_t page = obstacle->huge_details.page_size;

	return addr > huge->start && addr < huge->end && page && addr % page;
}

static void look_at_huge_pages(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_obstacle *obstacle;
	struct mr_range range;
	struct mr_fork fork;

	if (!is_protected(inquiry, &fork) || fork.huge_pages || !mr_inquiry_range(inquiry, &range))
		return;
	obstacle = mr_obstacle_find(inquiry);
	if (!obstacle || !obstacle->has_huge)
		return;
	mr_extend_to_pages(mr_page_size(inquiry->host), &range.addr, &range.length);
	mr_evidence_hex(suspicion, "address", range.addr);
	mr_evidence_number(suspicion, "length", range.length);
	mr_evidence_number(suspicion, "page_size", obstacle->huge_details.page_size);
	if (splits_huge_page(obstacle, range.addr) ||
	    splits_huge_page(obstacle, range.addr + range.length))
		mr_suspect(suspicion, sure(inquiry),
			   "the range ends inside of a huge page of %s, and fork protection "
			   "(RDMAV_FORK_SAFE) would have to split that",
			   mr_size_text(obstacle->huge_details.page_size).text);
	else
		mr_rule_out(suspicion, "the range begins and ends with a huge page");
}

const struct mr_cause mr_causes_of_fork_protection[] = {
	{ .id = "MR-FORK-RANGE",
	  .subject = "fork protection of memory that is not mapped",
	  .operations = MR_ON_PINNING,
	  .errnums = { ENOMEM },
	  .layer = MR_LAYER_LIBIBVERBS,
	  .frequency = MR_RARE,
	  .look = look_at_range,
	  .what = "With fork protection libibverbs advises the kernel of the range before it registers "
		  "it (MADV_DONTFORK).  That fails with ENOMEM where nothing is mapped, although "
		  "memory is not short: without the protection the answer is EFAULT.",
	  .recognise = "RDMAV_FORK_SAFE or IBV_FORK_SAFE is set, or the program calls "
		       "ibv_fork_init(), and /proc/PID/maps leaves a gap in the range.",
	  .remedy = "register only what is mapped",
	  .sources = "libibverbs/memory.c ibv_dontfork_range(); madvise(2)" },
	{ .id = "MR-MAP-COUNT",
	  .subject = "mappings of a process",
	  .operations = MR_ON_PINNING | MR_ON(PREPARE) | MR_ON(OPEN),
	  .errnums = { EAGAIN, ENOMEM },
	  .layer = MR_LAYER_LIBIBVERBS,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_count,
	  .what = "A process may have vm.max_map_count mappings.  With fork protection each "
		  "registration splits some (MADV_DONTFORK), and programs that register and "
		  "deregister for hours reach the limit.  Then neither memory nor pages of the "
		  "device can be mapped.",
	  .recognise =
		  "The maps of the process in /proc have nearly as many lines as "
		  "vm.max_map_count says, and, where a registration is refused, RDMAV_FORK_SAFE or IBV_FORK_SAFE is set.  The "
		  "kernel's log has nothing.",
	  .remedy =
		  "unset RDMAV_FORK_SAFE where the kernel copies pinned pages on fork (Linux 5.13), "
		  "register fewer, larger regions, or raise it: sysctl vm.max_map_count",
	  .sources = "libibverbs/memory.c ibv_madvise_range(); mm/vma.c split_vma(); "
		     "kvcache-ai/Mooncake#3639; openucx/ucx#11573" },
	{ .id = "MR-FORK-HUGEPAGES",
	  .subject = "fork protection of a part of a huge page",
	  .operations = MR_ON_PINNING,
	  .errnums = { EINVAL },
	  .layer = MR_LAYER_LIBIBVERBS,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_huge_pages,
	  .what = "With fork protection libibverbs has the kernel split mappings at both ends of the "
		  "range (MADV_DONTFORK), and one of huge pages can be split between those only.",
	  .recognise =
		  "RDMAV_FORK_SAFE or IBV_FORK_SAFE is set, KernelPageSize in /proc/PID/smaps is "
		  "more than 4 kB, and the range does not begin and end with such a page.",
	  .remedy = "set RDMAV_HUGEPAGES_SAFE=1 (slow), or register whole huge pages",
	  .sources = "libibverbs/memory.c ibv_madvise_range(); mm/hugetlb.c hugetlb_vm_op_split(); "
		     "openucx/ucx#6985; ofiwg/libfabric#4969" },
	{ .id = NULL },
};
