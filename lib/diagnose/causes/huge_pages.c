// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Pages of hugetlb that a registration would fault in, and that cannot be had.  The fault answers SIGBUS, for
 * pinning EFAULT: mm/hugetlb.c alloc_hugetlb_folio(), which looks at the control group, then at the pool.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "lib/diagnose/causes/pinning.h"
#include "lib/diagnose/causes/preparing.h"
#include "lib/diagnose/causes/tables.h"
#include "lib/diagnose/size_text.h"
#include "lib/host/host.h"

/* The mapping of huge pages in the range, where nothing else explains the refusal. */
static const struct mr_obstacle *find_huge(struct mr_inquiry *inquiry)
{
	const struct mr_obstacle *obstacle =
		inquiry->refusal->errnum == EFAULT ? mr_obstacle_find(inquiry) : NULL;

	return obstacle && obstacle->has_huge && obstacle->huge_details.page_size &&
			       mr_obstacle_may_be_in(obstacle, &obstacle->huge)
		       ? obstacle
		       : NULL;
}

/*
 * Whether a page of the range has to be allocated.  It is certain for anonymous memory of which no page is there;
 * pages of a file may be there without being mapped.
 */
static bool needs_page(const struct mr_obstacle *obstacle)
{
	return !obstacle->huge_details.huge && !obstacle->huge.shared &&
	       !strncmp(obstacle->huge.path, "/anon_hugepage", 14);
}

static void add_mapping(const struct mr_obstacle *obstacle, struct mr_suspicion *suspicion)
{
	mr_evidence_text(suspicion, "mapping", "0x%" PRIx64 "-0x%" PRIx64, obstacle->huge.start,
			 obstacle->huge.end);
	mr_evidence_number(suspicion, "page_size", obstacle->huge_details.page_size);
	mr_evidence_number(suspicion, "present", obstacle->huge_details.huge);
}

static void look_at_faults_of_group(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_obstacle *obstacle = find_huge(inquiry);
	const uint64_t page = obstacle ? obstacle->huge_details.page_size : 0;
	struct mr_huge_limit limit;
	struct mr_cgroup group;

	if (!obstacle || mr_cgroup_find(inquiry->host, "hugetlb", &group))
		return;
	while (!mr_huge_limit_read(inquiry->host, &group, page, MR_HUGE_FAULTED, &limit) ||
	       !limit.used.known ||
	       (limit.max.value >= page && limit.used.value <= limit.max.value - page))
		if (!mr_cgroup_up(&group))
			return;
	add_mapping(obstacle, suspicion);
	mr_evidence_text(suspicion, "group", "%.100s", group.path[0] ? group.path : "/");
	mr_evidence_number(suspicion, "limit", limit.max.value);
	mr_evidence_number(suspicion, "used", limit.used.value);
	mr_suspect(
		suspicion, needs_page(obstacle) ? MR_CERTAIN : MR_LIKELY,
		"the control group may have %s in huge pages of %s and has %s: no page can be had",
		mr_size_text(limit.max.value).text, mr_size_text(page).text,
		mr_size_text(limit.used.value).text);
	mr_suspect_remedy(suspicion,
			  "raise %s%s/%s, or ask for huge pages in the pod or job "
			  "(hugepages-2Mi), or use ordinary memory",
			  group.mount, group.path, limit.file);
}

static void look_at_faults_of_pool(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_obstacle *obstacle = find_huge(inquiry);
	const uint64_t page = obstacle ? obstacle->huge_details.page_size : 0;
	const struct mr_huge_pool *pool;
	struct mr_huge_pools pools;
	struct mr_opt_u64 room;

	if (!obstacle || mr_huge_pools_read(inquiry->host, NULL, &pools))
		return;
	pool = mr_huge_pools_find(&pools, page);
	if (!pool || !pool->free.known || !pool->total.known)
		return;
	room = mr_huge_pool_room(pool);
	add_mapping(obstacle, suspicion);
	mr_evidence_number(suspicion, "total", pool->total.value);
	mr_evidence_number(suspicion, "free", pool->free.value);
	if (pool->free.value &&
	    (!obstacle->huge_details.is_unreserved || !room.known || room.value)) {
		mr_rule_out(suspicion, "%" PRIu64 " huge pages of %s are free", pool->free.value,
			    mr_size_text(page).text);
		return;
	}
	mr_suspect(
		suspicion,
		room.known && !room.value && obstacle->huge_details.is_unreserved &&
				needs_page(obstacle)
			? MR_CERTAIN
			: MR_LIKELY,
		"%" PRIu64 " of %" PRIu64
		" huge pages of %s are free, none of them unreserved, and the memory has none yet",
		pool->free.value, pool->total.value, mr_size_text(page).text);
}

static void look_at_group(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	if (inquiry->operation == MR_OP_PREPARE)
		mr_suspect_shortage(inquiry, MR_SHORTAGE_HUGE_GROUP, MR_CERTAIN, suspicion);
	else
		look_at_faults_of_group(inquiry, suspicion);
}

static void look_at_pool(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	if (inquiry->operation == MR_OP_PREPARE)
		mr_suspect_shortage(inquiry, MR_SHORTAGE_HUGE_POOL, MR_CERTAIN, suspicion);
	else
		look_at_faults_of_pool(inquiry, suspicion);
}

/* /proc/sysvipc/shm has a heading, and a line for each segment. */
static bool count_segment(const char *line, void *data)
{
	*(uint64_t *)data += strncmp(line, "       key", 10) != 0;
	return true;
}

static void look_at_segments(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	uint64_t most, count = 0;

	if (strcmp(inquiry->refusal->call, "shmget") != 0 ||
	    !mr_host_number(inquiry->host, &most, "/proc/sys/kernel/shmmni") ||
	    mr_host_lines(inquiry->host, "/proc/sysvipc/shm", count_segment, &count))
		return;
	mr_evidence_number(suspicion, "segments", count);
	mr_evidence_number(suspicion, "shmmni", most);
	if (count >= most)
		mr_suspect(suspicion, MR_LIKELY,
			   "there are %" PRIu64
			   " segments of shared memory, and kernel.shmmni is %" PRIu64,
			   count, most);
	else
		mr_rule_out(suspicion,
			    "there are %" PRIu64 " of %" PRIu64 " segments of shared memory", count,
			    most);
}

const struct mr_cause mr_causes_of_huge_pages[] = {
	{ .id = "MR-CGROUP-HUGETLB",
	  .subject = "huge pages of the control group",
	  .operations = MR_ON_PINNING | MR_ON(PREPARE),
	  .errnums = { EFAULT, ENOMEM },
	  .layer = MR_LAYER_MEMORY,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_group,
	  .what = "The control group limits huge pages: how many may be reserved, which mmap(2) does, and "
		  "how many used.  Kubernetes sets 0 for pods that ask for none: "
		  "mmap(2) of huge pages works then, but no page can be faulted in.",
	  .recognise =
		  "hugetlb.2MB.max of the control group (version 1: limit_in_bytes), and its count "
		  "of failures in hugetlb.2MB.events.",
	  .remedy = "ask for huge pages in the pod or job, or use ordinary memory",
	  .sources = "mm/hugetlb_cgroup.c; openucx/ucx#8999; kata-containers/runtime#2172" },
	{ .id = "MR-HUGEPAGES",
	  .subject = "huge pages",
	  .operations = MR_ON_PINNING | MR_ON(PREPARE),
	  .errnums = { EFAULT, ENOMEM },
	  .layer = MR_LAYER_MEMORY,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_pool,
	  .what = "Too few huge pages are free.  mmap(2) refuses then, with ENOMEM; or the range is mapped "
		  "with huge pages that were not reserved (MAP_NORESERVE, or bound "
		  "to a NUMA node without any), and none is left.",
	  .recognise = "HugePages_Free in /proc/meminfo is not more than HugePages_Rsvd.",
	  .remedy =
		  "raise vm.nr_hugepages, end what holds huge pages, or map without MAP_NORESERVE to "
		  "learn of it at once",
	  .sources =
		  "mm/hugetlb.c alloc_hugetlb_folio(); Documentation/admin-guide/mm/hugetlbpage.rst" },
	{ .id = "MR-SHMMNI",
	  .subject = "the number of System V shared memory segments",
	  .operations = MR_ON(PREPARE),
	  .errnums = { ENOSPC },
	  .layer = MR_LAYER_MEMORY,
	  .frequency = MR_RARE,
	  .look = look_at_segments,
	  .what = "shmget(2) makes at most kernel.shmmni segments, however many huge pages are free. "
		  "perftest takes one for each queue pair with --use_hugepages and --mr_per_qp.",
	  .recognise = "ipcs -m has as many lines as /proc/sys/kernel/shmmni says.  mrctl reg "
		       "--memory hugetlb:2M takes huge pages in another way.",
	  .remedy = "sysctl -w kernel.shmmni=N, or remove segments that are left over (ipcrm)",
	  .sources = "shmget(2); ipc/shm.c newseg(); linux-rdma/perftest#395" },
	{ .id = NULL },
};
