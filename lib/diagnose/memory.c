// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/base.h"
#include "lib/diagnose/copy_on_fork.h"
#include "lib/diagnose/memory.h"
#include "lib/diagnose/size_text.h"
#include "lib/host/host.h"
#include "lib/host/processes.h"

#define SIZE(bytes) mr_size_text(bytes).text

/* ---- available memory ---- */

/* Where vm.overcommit_memory is 2, the kernel promises no more than CommitLimit. */
static bool exceeds_commit_limit(const struct mr_question *question, const struct mr_meminfo *info,
				 struct mr_finding *finding)
{
	const uint64_t wanted = question->size.value;
	uint64_t mode;

	if (!mr_host_number(question->host, &mode, "/proc/sys/vm/overcommit_memory") || mode != 2 ||
	    !info->commit_limit.known || !info->committed.known ||
	    (info->committed.value <= info->commit_limit.value &&
	     wanted <= info->commit_limit.value - info->committed.value))
		return false;
	mr_finding_set(
		finding, MR_VERDICT_BAD,
		"%s planned, and vm.overcommit_memory is 2: of %s (CommitLimit) %s are promised",
		SIZE(wanted), SIZE(info->commit_limit.value), SIZE(info->committed.value));
	mr_finding_remedy(finding, "raise vm.overcommit_ratio, or set vm.overcommit_memory to 0");
	return true;
}

static void judge_planned(const struct mr_question *question, const struct mr_meminfo *info,
			  const struct mr_huge_pools *pools, struct mr_finding *finding)
{
	const uint64_t wanted = question->size.value;
	const uint64_t swap = info->swap_free.known ? info->swap_free.value : 0;

	if (wanted > info->total.value) {
		mr_finding_set(finding, MR_VERDICT_BAD, "%s planned, the host has %s (MemTotal)",
			       SIZE(wanted), SIZE(info->total.value));
		mr_finding_remedy(finding, "register less: what is registered stays in memory");
	} else if (question->huge_size) {
		mr_finding_set(finding, MR_VERDICT_OK, "not needed: huge pages are planned");
	} else if (wanted > info->available.value && wanted <= mr_huge_pools_room(pools)) {
		mr_finding_set(finding, MR_VERDICT_WARN,
			       "%s planned, for which huge pages alone have room", SIZE(wanted));
		mr_finding_remedy(finding, "register huge pages (hugetlb), or set fewer aside");
	} else if (exceeds_commit_limit(question, info, finding)) {
		return;
	} else if (wanted > info->available.value) {
		const bool fits = wanted - info->available.value <= swap;

		mr_finding_set(finding, fits ? MR_VERDICT_WARN : MR_VERDICT_BAD,
			       "%s planned, %s of %s are available (MemAvailable)", SIZE(wanted),
			       SIZE(info->available.value), SIZE(info->total.value));
		mr_finding_remedy(finding, "end what holds memory, or register less%s",
				  fits ? ": other programs would be swapped out" : "");
	} else {
		mr_finding_set(finding, MR_VERDICT_OK, "%s planned of %s (MemTotal)", SIZE(wanted),
			       SIZE(info->total.value));
	}
}

void mr_check_available(const struct mr_question *question, struct mr_finding *finding)
{
	struct mr_huge_pools pools;
	struct mr_meminfo info;
	const int rc = mr_meminfo_read(question->host, &info);
	uint64_t huge;

	mr_huge_pools_read(question->host, NULL, &pools);
	huge = mr_huge_pools_total(&pools);
	if (rc || !info.total.known || !info.available.known) {
		mr_finding_unread(finding, "/proc/meminfo", rc ? -rc : ENODATA);
		return;
	}
	if (question->size.known)
		judge_planned(question, &info, &pools, finding);
	else if (huge < info.total.value && info.available.value < (info.total.value - huge) / 20) {
		mr_finding_set(finding, MR_VERDICT_WARN,
			       "less than 5 %% of %s (MemTotal%s) is available",
			       SIZE(info.total.value - huge), huge ? " without huge pages" : "");
		mr_finding_remedy(finding, "see which programs hold memory: ps -e --sort -rss v");
	} else {
		mr_finding_set(finding, MR_VERDICT_OK, "%s (MemTotal)", SIZE(info.total.value));
	}
	mr_finding_detail(finding, "%s available", SIZE(info.available.value));
}

/* ---- mappings ---- */

/* mm/mmap.c: DEFAULT_MAX_MAP_COUNT, for the kernels of most distributions */
#define DEFAULT_MAX_MAPS 65530U

/* Mappings that opening a device takes: libibverbs loads all its providers for one that it has not seen, some 20. */
#define MAPS_TO_OPEN 100U

/*
 * Fork protection calls madvise(MADV_DONTFORK) for the pages of a region.  That splits the mapping in up to
 * three, so a region needs up to two more.
 */
static void judge_split_mappings(uint64_t max, struct mr_finding *finding)
{
	if (max > DEFAULT_MAX_MAPS) {
		mr_finding_set(finding, MR_VERDICT_OK, "vm.max_map_count is %" PRIu64, max);
		return;
	}
	mr_finding_set(finding, MR_VERDICT_WARN,
		       "vm.max_map_count is %" PRIu64
		       ": with fork protection a process has room for about %" PRIu64 " regions",
		       max, max / 2);
	mr_finding_remedy(
		finding,
		"raise vm.max_map_count (sysctl), or unset RDMAV_FORK_SAFE and IBV_FORK_SAFE for "
		"programs that do not fork");
}

void mr_check_map_count(const struct mr_question *question, struct mr_finding *finding)
{
	const struct mr_opt_u64 max = mr_mappings_max(question->host);
	const struct mr_opt_u64 used = mr_mappings_used(question->host);
	struct mr_fork fork;

	mr_fork_read(question->host, &fork);
	if (!max.known) {
		mr_finding_set(finding, MR_VERDICT_UNKNOWN,
			       "/proc/sys/vm/max_map_count cannot be read");
		mr_finding_remedy(finding, "sysctl vm.max_map_count");
	} else if (used.known && (used.value >= max.value - max.value / 10 ||
				  used.value + MAPS_TO_OPEN > max.value)) {
		mr_finding_set(finding, MR_VERDICT_BAD,
			       "%" PRIu64 " of %" PRIu64 " mappings are used (vm.max_map_count), a "
			       "registration needs some %u more",
			       used.value, max.value, MAPS_TO_OPEN);
		mr_finding_remedy(finding, "raise vm.max_map_count (sysctl)");
	} else if (fork.is_asked && mr_copies_on_fork(question->host) != MR_YES) {
		judge_split_mappings(max.value, finding);
	} else {
		mr_finding_set(finding, MR_VERDICT_OK, "vm.max_map_count is %" PRIu64, max.value);
	}
	if (used.known)
		mr_finding_detail(finding, "this process has %" PRIu64, used.value);
}

/* ---- huge pages ---- */

struct node_search {
	struct mr_host *host;
	struct mr_finding *finding;
};

/* Adds to the detail how many pages a NUMA node has. */
static void show_node(const char *name, void *data)
{
	const struct node_search *search = data;
	struct mr_huge_pools node;

	if (strncmp(name, "node", 4) || mr_huge_pools_read(search->host, name, &node))
		return;
	for (size_t i = 0; i < node.count; i++)
		if (node.pools[i].total.known && node.pools[i].total.value)
			mr_finding_detail(search->finding,
					  "%s: %" PRIu64 " of %s, %" PRIu64 " free", name,
					  node.pools[i].total.value, SIZE(node.pools[i].size),
					  node.pools[i].free.value);
}

/* Writes the pages that there are: "1024 of 2 MiB, 4 of 1 GiB".  Return: whether all is known. */
static bool write_pools(const struct mr_huge_pools *pools, char *text, size_t size)
{
	bool is_known = true;
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < pools->count; i++) {
		const struct mr_huge_pool *pool = &pools->pools[i];
		const struct mr_opt_u64 room = mr_huge_pool_room(pool);

		if (!pool->total.known || !room.known)
			is_known = false;
		else if (pool->total.value || room.value)
			used += (size_t)snprintf(text + used, size - used, "%s%" PRIu64 " of %s",
						 used ? ", " : "", pool->total.value,
						 SIZE(pool->size));
		if (used >= size)
			used = size - 1;
	}
	return is_known;
}

/* Memory of a size that is not known is at least a page. */
static void judge_planned_pool(const struct mr_question *question,
			       const struct mr_huge_pools *pools, struct mr_finding *finding)
{
	const uint64_t page = question->huge_size;
	const struct mr_shortage planned = { .length = question->size.known ? question->size.value
									    : page,
					     .huge_size = page };
	struct mr_shortage_reason reason;

	if (!mr_huge_pools_find(pools, page)) {
		mr_finding_set(finding, MR_VERDICT_BAD, "this kernel has none of %s", SIZE(page));
		mr_finding_remedy(finding,
				  "plan another size of them: ls /sys/kernel/mm/hugepages");
	} else if (!mr_huge_pool_room(mr_huge_pools_find(pools, page)).known) {
		mr_finding_set(finding, MR_VERDICT_UNKNOWN,
			       "a pool in /sys/kernel/mm/hugepages cannot be read");
		mr_finding_remedy(finding, "grep . /sys/kernel/mm/hugepages/*/*");
	} else if (mr_shortage_find(&planned, question->host, &reason) == MR_SHORTAGE_HUGE_POOL) {
		mr_finding_set(finding, MR_VERDICT_BAD, "%s", reason.text);
		mr_finding_remedy(finding, "%s", reason.remedy);
	} else {
		mr_finding_set(finding, MR_VERDICT_OK, "enough of %s are free", SIZE(page));
	}
}

static void judge_pools(const struct mr_question *question, const struct mr_huge_pools *pools,
			struct mr_finding *finding)
{
	char text[160];

	if (question->huge_size) {
		judge_planned_pool(question, pools, finding);
		return;
	}
	if (!write_pools(pools, text, sizeof(text))) {
		mr_finding_set(finding, MR_VERDICT_UNKNOWN,
			       "a pool in /sys/kernel/mm/hugepages cannot be read");
		mr_finding_remedy(finding, "grep . /sys/kernel/mm/hugepages/*/*");
	} else if (!text[0]) {
		mr_finding_set(finding, MR_VERDICT_NA, "none are set aside");
	} else {
		/* That all are in use is what they are for. */
		mr_finding_set(finding, MR_VERDICT_OK, "%s", text);
	}
}

/* Adds to the detail what use changes. */
static void show_use(const struct mr_huge_pools *pools, struct mr_finding *finding)
{
	for (size_t i = 0; i < pools->count; i++) {
		const struct mr_huge_pool *pool = &pools->pools[i];

		if (pool->total.known && pool->total.value && mr_huge_pool_room(pool).known)
			mr_finding_detail(finding,
					  "%s: %" PRIu64 " free, %" PRIu64 " promised, %" PRIu64
					  " surplus",
					  SIZE(pool->size), pool->free.value, pool->reserved.value,
					  pool->surplus.value);
	}
}

void mr_check_huge_pages(const struct mr_question *question, struct mr_finding *finding)
{
	struct node_search search = { question->host, finding };
	struct mr_huge_pools pools;
	const int rc = mr_huge_pools_read(question->host, NULL, &pools);

	if (rc == -ENOENT && mr_host_exists(question->host, "/sys/kernel/mm")) {
		mr_finding_set(finding, question->huge_size ? MR_VERDICT_BAD : MR_VERDICT_NA,
			       "this kernel has none (CONFIG_HUGETLBFS)");
		if (question->huge_size)
			mr_finding_remedy(finding, "plan other memory");
	} else if (rc) {
		mr_finding_unread(finding, "/sys/kernel/mm/hugepages", -rc);
	} else {
		judge_pools(question, &pools, finding);
		show_use(&pools, finding);
		mr_host_list(question->host, show_node, &search, "/sys/devices/system/node");
	}
}

/* ---- transparent huge pages ---- */

/* From this size on, pinning 4 KiB pages one by one takes tenths of a second and more. */
#define SLOW_PLAN (UINT64_C(1) << 30)

void mr_check_thp(const struct mr_question *question, struct mr_finding *finding)
{
	char mode[16];
	const int rc = mr_thp_mode(question->host, mode, sizeof(mode));

	if (rc == -ENOENT && mr_host_exists(question->host, "/sys/kernel/mm")) {
		mr_finding_set(finding, MR_VERDICT_NA,
			       "this kernel has none (CONFIG_TRANSPARENT_HUGEPAGE)");
	} else if (rc) {
		mr_finding_unread(finding, "/sys/kernel/mm/transparent_hugepage/enabled", -rc);
	} else if (!strcmp(mode, "never") && question->size.known &&
		   question->size.value >= SLOW_PLAN && !question->huge_size) {
		mr_finding_set(finding, MR_VERDICT_WARN,
			       "never, and %s planned: slow in small pages",
			       SIZE(question->size.value));
		mr_finding_remedy(
			finding,
			"echo madvise >/sys/kernel/mm/transparent_hugepage/enabled, or use "
			"hugetlb pages");
	} else {
		mr_finding_set(finding, MR_VERDICT_OK, "%s", mode);
	}
}

/* ---- contiguous memory ---- */

/*
 * Pages in blocks of type CMA cannot stay pinned, so the kernel moves them out first.  It counts the free
 * pages of all such blocks in CmaFree, but in CmaTotal those of CMA areas alone.  More free ones than there
 * are in areas mean that something else has given its blocks this type: scratch memory of kexec handover.
 */
static void judge_cma(const struct mr_question *question, const struct mr_meminfo *info,
		      struct mr_finding *finding)
{
	const uint64_t cma = info->cma_total.value;
	const uint64_t rest = info->total.value > cma ? info->total.value - cma : 0;

	if (info->cma_free.value > cma) {
		mr_finding_set(
			finding, MR_VERDICT_WARN,
			"CmaFree %s > CmaTotal %s: blocks that no CMA area owns, where nothing can "
			"stay pinned (scratch memory of kexec handover)",
			SIZE(info->cma_free.value), SIZE(cma));
		mr_finding_remedy(
			finding,
			"where registration fails with ENOMEM and MemFree is low: boot with "
			"kho=off");
	} else if (!cma) {
		mr_finding_set(finding, MR_VERDICT_NA, "no memory is set aside");
	} else if (question->size.known && question->size.value > rest) {
		mr_finding_set(
			finding, MR_VERDICT_BAD,
			"%s planned, and outside of CMA there are %s: nothing stays pinned in CMA",
			SIZE(question->size.value), SIZE(rest));
		mr_finding_remedy(finding, "boot with a smaller cma= or hugetlb_cma=");
	} else {
		mr_finding_set(finding, MR_VERDICT_OK, "CmaTotal %s of %s", SIZE(cma),
			       SIZE(info->total.value));
	}
	mr_finding_detail(finding, "%s of CMA free, %s free in all", SIZE(info->cma_free.value),
			  SIZE(info->free.value));
}

void mr_check_cma(const struct mr_question *question, struct mr_finding *finding)
{
	struct mr_meminfo info;
	const int rc = mr_meminfo_read(question->host, &info);

	if (rc || !info.total.known) {
		mr_finding_unread(finding, "/proc/meminfo", rc ? -rc : ENODATA);
	} else if (!info.cma_total.known || !info.cma_free.known) {
		mr_finding_set(finding, MR_VERDICT_NA, "this kernel has none (CONFIG_CMA)");
	} else {
		judge_cma(question, &info, finding);
	}
}
