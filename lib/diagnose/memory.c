// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/diagnose/diagnose.h"

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
	mr_finding_judge(
		finding, MR_VERDICT_BAD,
		"raise vm.overcommit_ratio, or set vm.overcommit_memory to 0",
		"%s planned, and vm.overcommit_memory is 2: CommitLimit is %s, and %s are committed",
		MR_SIZE(wanted), MR_SIZE(info->commit_limit.value), MR_SIZE(info->committed.value));
	return true;
}

static void judge_planned(const struct mr_question *question, const struct mr_meminfo *info,
			  const struct mr_huge_pools *pools, struct mr_finding *finding)
{
	const uint64_t wanted = question->size.value;
	const uint64_t swap = info->swap_free.known ? info->swap_free.value : 0;

	if (wanted > info->total.value) {
		mr_finding_judge(finding, MR_VERDICT_BAD,
				 "register less: registered memory stays resident",
				 "%s planned, the host has %s (MemTotal)", MR_SIZE(wanted),
				 MR_SIZE(info->total.value));
	} else if (question->huge_size) {
		mr_finding_set(finding, MR_VERDICT_OK, "not needed: huge pages are planned");
	} else if (wanted > info->available.value && wanted <= mr_huge_pools_bytes(pools, true)) {
		mr_finding_judge(
			finding, MR_VERDICT_WARN, "register huge pages (hugetlb), or reserve fewer",
			"%s planned, and only free huge pages have room for it", MR_SIZE(wanted));
	} else if (exceeds_commit_limit(question, info, finding)) {
		return;
	} else if (wanted > info->available.value) {
		const bool fits = wanted - info->available.value <= swap;

		mr_finding_set(finding, fits ? MR_VERDICT_WARN : MR_VERDICT_BAD,
			       "%s planned, %s of %s are available (MemAvailable)", MR_SIZE(wanted),
			       MR_SIZE(info->available.value), MR_SIZE(info->total.value));
		mr_finding_remedy(finding, "end programs that use much memory, or register less%s",
				  fits ? ": other programs would be swapped out" : "");
	} else {
		mr_finding_set(finding, MR_VERDICT_OK, "%s planned of %s (MemTotal)",
			       MR_SIZE(wanted), MR_SIZE(info->total.value));
	}
}

void mr_check_available(const struct mr_question *question, struct mr_finding *finding)
{
	struct mr_huge_pools pools;
	struct mr_meminfo info;
	const int rc = mr_meminfo_read(question->host, &info);
	uint64_t huge;

	mr_huge_pools_read(question->host, NULL, &pools);
	huge = mr_huge_pools_bytes(&pools, false);
	if (rc || !info.total.known || !info.available.known) {
		mr_finding_unread(finding, "/proc/meminfo", rc ? -rc : ENODATA);
		return;
	}
	if (question->size.known)
		judge_planned(question, &info, &pools, finding);
	else if (huge < info.total.value && info.available.value < (info.total.value - huge) / 20)
		mr_finding_judge(finding, MR_VERDICT_WARN,
				 "find the programs that use memory: ps -e --sort -rss v",
				 "less than 5 %% of %s (MemTotal%s) is available",
				 MR_SIZE(info.total.value - huge),
				 huge ? " without huge pages" : "");
	else
		mr_finding_set(finding, MR_VERDICT_OK, "%s (MemTotal)", MR_SIZE(info.total.value));
	mr_finding_detail(finding, "%s available", MR_SIZE(info.available.value));
}

/* mm/mmap.c: DEFAULT_MAX_MAP_COUNT, for the kernels of most distributions */
#define DEFAULT_MAX_MAPS 65530U

/* Mappings that opening a device takes: libibverbs loads all its providers for one that it has not seen, some 20. */
#define MAPS_TO_OPEN 100U

void mr_check_map_count(const struct mr_question *question, struct mr_finding *finding)
{
	const struct mr_opt_u64 max =
		mr_host_opt_number(question->host, "/proc/sys/vm/max_map_count");
	const struct mr_opt_u64 used = mr_mappings_used(question->host);
	struct mr_fork fork;

	mr_fork_read(question->host, &fork);
	if (!max.known)
		mr_finding_judge(finding, MR_VERDICT_UNKNOWN, "sysctl vm.max_map_count",
				 "/proc/sys/vm/max_map_count cannot be read");
	else if (used.known && (used.value >= max.value - max.value / 10 ||
				used.value + MAPS_TO_OPEN > max.value))
		mr_finding_judge(finding, MR_VERDICT_BAD, "raise vm.max_map_count (sysctl)",
				 "%" PRIu64 " of %" PRIu64
				 " mappings are used (vm.max_map_count), a "
				 "registration needs some %u more",
				 used.value, max.value, MAPS_TO_OPEN);
	/*
	 * Fork protection calls madvise(MADV_DONTFORK) for the pages of a region.  This splits the mapping in up to
	 * three, so a region needs up to two more.
	 */
	else if (fork.is_requested && mr_copies_on_fork(question->host) != MR_YES &&
		 max.value <= DEFAULT_MAX_MAPS)
		mr_finding_judge(finding, MR_VERDICT_WARN,
				 "raise vm.max_map_count (sysctl), or unset RDMAV_FORK_SAFE and "
				 "IBV_FORK_SAFE for programs that do not fork",
				 "vm.max_map_count is %" PRIu64
				 ": with fork protection a process has room for about %" PRIu64
				 " regions",
				 max.value, max.value / 2);
	else
		mr_finding_set(finding, MR_VERDICT_OK, "vm.max_map_count is %" PRIu64, max.value);
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
					  node.pools[i].total.value, MR_SIZE(node.pools[i].size),
					  node.pools[i].free.value);
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
		mr_finding_judge(finding, MR_VERDICT_BAD,
				 "plan another size: ls /sys/kernel/mm/hugepages",
				 "this kernel has no huge pages of %s", MR_SIZE(page));
	} else if (!mr_huge_pool_room(mr_huge_pools_find(pools, page)).known) {
		mr_finding_judge(finding, MR_VERDICT_UNKNOWN, "grep . /sys/kernel/mm/hugepages/*/*",
				 "a pool in /sys/kernel/mm/hugepages cannot be read");
	} else if (mr_shortage_find(&planned, question->host, &reason) == MR_SHORTAGE_HUGE_POOL) {
		mr_finding_judge(finding, MR_VERDICT_BAD, reason.remedy, "%s", reason.text);
	} else {
		mr_finding_set(finding, MR_VERDICT_OK, "enough of %s are free", MR_SIZE(page));
	}
}

/* Sets the finding to the pages that there are, and adds to its detail what use changes. */
static void show_pools(const struct mr_huge_pools *pools, bool is_planned,
		       struct mr_finding *finding)
{
	char text[160] = "";
	bool is_known = true;

	for (size_t i = 0; i < pools->count; i++) {
		const struct mr_huge_pool *pool = &pools->pools[i];
		const struct mr_opt_u64 room = mr_huge_pool_room(pool);
		const bool is_pool_known = pool->total.known && room.known;

		is_known &= is_pool_known;
		if (is_pool_known && (pool->total.value || room.value))
			mr_text_add(text, sizeof(text), ", ", "%" PRIu64 " of %s",
				    pool->total.value, MR_SIZE(pool->size));
		if (is_pool_known && pool->total.value)
			mr_finding_detail(finding,
					  "%s: %" PRIu64 " free, %" PRIu64 " reserved, %" PRIu64
					  " surplus",
					  MR_SIZE(pool->size), pool->free.value,
					  pool->reserved.value, pool->surplus.value);
	}
	if (is_planned)
		return;
	if (!is_known)
		mr_finding_judge(finding, MR_VERDICT_UNKNOWN, "grep . /sys/kernel/mm/hugepages/*/*",
				 "a pool in /sys/kernel/mm/hugepages cannot be read");
	else if (!text[0])
		mr_finding_set(finding, MR_VERDICT_NA, "none are reserved");
	else /* Pages in use are no fault. */
		mr_finding_set(finding, MR_VERDICT_OK, "%s", text);
}

void mr_check_huge_pages(const struct mr_question *question, struct mr_finding *finding)
{
	struct node_search search = { question->host, finding };
	struct mr_huge_pools pools;
	const int rc = mr_huge_pools_read(question->host, NULL, &pools);

	if (rc == -ENOENT && mr_host_exists(question->host, "/sys/kernel/mm")) {
		mr_finding_judge(finding, question->huge_size ? MR_VERDICT_BAD : MR_VERDICT_NA,
				 question->huge_size ? "plan other memory" : "",
				 "this kernel has none (CONFIG_HUGETLBFS)");
	} else if (rc) {
		mr_finding_unread(finding, "/sys/kernel/mm/hugepages", -rc);
	} else {
		if (question->huge_size)
			judge_planned_pool(question, &pools, finding);
		show_pools(&pools, question->huge_size, finding);
		mr_host_list(question->host, show_node, &search, "/sys/devices/system/node");
	}
}

/* From this size on, pinning 4 KiB pages one by one takes tenths of a second and more. */
#define SLOW_PLAN (UINT64_C(1) << 30)

void mr_check_thp(const struct mr_question *question, struct mr_finding *finding)
{
	char mode[16];
	const int rc = mr_thp_mode(question->host, mode, sizeof(mode));

	if (rc == -ENOENT && mr_host_exists(question->host, "/sys/kernel/mm"))
		mr_finding_set(finding, MR_VERDICT_NA,
			       "this kernel has none (CONFIG_TRANSPARENT_HUGEPAGE)");
	else if (rc)
		mr_finding_unread(finding, "/sys/kernel/mm/transparent_hugepage/enabled", -rc);
	else if (!strcmp(mode, "never") && question->size.known &&
		 question->size.value >= SLOW_PLAN && !question->huge_size)
		mr_finding_judge(
			finding, MR_VERDICT_WARN,
			"echo madvise >/sys/kernel/mm/transparent_hugepage/enabled, or use "
			"hugetlb pages",
			"never, and %s planned: slow in small pages",
			MR_SIZE(question->size.value));
	else
		mr_finding_set(finding, MR_VERDICT_OK, "%s", mode);
}

/*
 * Pages in blocks of type CMA cannot stay pinned, so the kernel moves them out first.  It counts the free
 * pages of all such blocks in CmaFree, but in CmaTotal those of CMA areas alone.  More free ones than there
 * are in areas mean that something else has given its blocks this type: scratch memory of kexec handover.
 */
void mr_check_cma(const struct mr_question *question, struct mr_finding *finding)
{
	struct mr_meminfo info;
	const int rc = mr_meminfo_read(question->host, &info);
	const uint64_t cma = info.cma_total.value, total = info.total.value;
	const uint64_t rest = total > cma ? total - cma : 0;

	if (rc || !info.total.known) {
		mr_finding_unread(finding, "/proc/meminfo", rc ? -rc : ENODATA);
		return;
	}
	if (!info.cma_total.known || !info.cma_free.known) {
		mr_finding_set(finding, MR_VERDICT_NA, "this kernel has none (CONFIG_CMA)");
		return;
	}
	if (info.cma_free.value > cma)
		mr_finding_judge(
			finding, MR_VERDICT_WARN,
			"where registration fails with ENOMEM and MemFree is low: boot with "
			"kho=off",
			"CmaFree %s > CmaTotal %s: the surplus belongs to no CMA area (scratch "
			"memory of kexec handover), and cannot stay pinned",
			MR_SIZE(info.cma_free.value), MR_SIZE(cma));
	else if (!cma)
		mr_finding_set(finding, MR_VERDICT_NA, "no memory is reserved");
	else if (question->size.value > rest) /* 0: unknown */
		mr_finding_judge(
			finding, MR_VERDICT_BAD, "boot with a smaller cma= or hugetlb_cma=",
			"%s planned, and %s are free outside CMA: memory in CMA cannot stay pinned",
			MR_SIZE(question->size.value), MR_SIZE(rest));
	else
		mr_finding_set(finding, MR_VERDICT_OK, "CmaTotal %s of %s", MR_SIZE(cma),
			       MR_SIZE(total));
	mr_finding_detail(finding, "%s of CMA free, %s free in all", MR_SIZE(info.cma_free.value),
			  MR_SIZE(info.free.value));
}

#define NO_LIMIT UINT64_MAX

/* Results so far, on the way up. */
struct walk {
	const struct mr_question *question;
	struct mr_finding *finding;
	struct mr_cgroup group; /* the one that is looked at */
	bool is_enabled;        /* some group has limits of the controller */
	uint64_t lowest;        /* limit so far */
	const char *lowest_name;
};

/* Sets the finding, where the verdict is worse than that of the groups below. */
static void find_worse(struct walk *walk, enum mr_verdict verdict, const char *remedy,
		       const char *fmt, ...) __attribute__((format(printf, 4, 5)));
static void find_worse(struct walk *walk, enum mr_verdict verdict, const char *remedy,
		       const char *fmt, ...)
{
	char figure[sizeof(walk->finding->figure)];
	va_list ap;

	if (verdict <= walk->finding->verdict)
		return;
	va_start(ap, fmt);
	vsnprintf(figure, sizeof(figure), fmt, ap);
	va_end(ap);
	*walk->finding = (struct mr_finding){ 0 };
	mr_finding_judge(walk->finding, verdict, remedy, "%s", figure);
	mr_finding_detail(walk->finding, "%s%s", walk->group.mount, walk->group.path);
}

/*
 * Looks at the group of this process, and those above.  Without any that has limits of the controller, the
 * finding is n/a.  Return: whether there is a limit, and none is bad: then the figure is still empty.
 */
static bool walk_up(struct walk *walk, const char *controller, void (*look)(struct walk *walk))
{
	const int rc = mr_cgroup_find(walk->question->host, controller, &walk->group);
	bool is_below;

	if (rc == -ENOENT) {
		mr_finding_set(walk->finding, MR_VERDICT_NA, "no control group limits it");
		return false;
	}
	if (rc) {
		mr_finding_set(walk->finding, MR_VERDICT_UNKNOWN, "the control group: %s",
			       rc == -EXDEV ? "it is not below the mount point"
					    : mr_errno_text(-rc));
		return false;
	}
	is_below = walk->group.is_below;
	walk->lowest = NO_LIMIT;
	do {
		look(walk);
	} while (mr_cgroup_up(&walk->group));
	if (!walk->is_enabled)
		mr_finding_set(walk->finding, MR_VERDICT_NA,
			       "no control group that can be seen limits it");
	else if (!walk->finding->figure[0] && walk->lowest == NO_LIMIT)
		mr_finding_set(walk->finding, MR_VERDICT_OK, "no limit");
	if (is_below)
		mr_finding_detail(walk->finding, "groups above %s cannot be seen from here",
				  walk->group.mount);
	return !walk->finding->figure[0];
}

/*
 * Compares the use with what a process needs that registers memory: to open the device, and a protection domain
 * and a region.  libmlx5 takes an object before them, when it opens the device: a UAR (providers/mlx5/verbs.c
 * mlx5_set_singleton_nc_uar()).
 */
static void judge_rdma(struct walk *walk, const struct mr_rdma_pool *pool,
		       enum mr_rdma_resource resource)
{
	const uint64_t max = pool->max[resource].value, used = pool->used[resource].value;
	const uint64_t left = used < max ? max - used : 0;
	const char *name = mr_rdma_resources[resource];
	struct mr_rdma_device device;
	char remedy[256];
	uint64_t needs = 1;

	if (!pool->max[resource].known || max == NO_LIMIT)
		return;
	if (resource != MR_RDMA_HANDLE) {
		mr_rdma_device_read_place(walk->question->host, pool->device, &device);
		needs = strcmp(device.driver, "mlx5_core") != 0 ? 2 : 3;
	}
	if (max < walk->lowest)
		walk->lowest_name = name;
	walk->lowest = max < walk->lowest ? max : walk->lowest;
	snprintf(remedy, sizeof(remedy),
		 "raise %s in rdma.max of the control group (-v names it), or end processes of "
		 "the group that hold objects",
		 name);
	if (!pool->used[resource].known && max >= needs)
		find_worse(walk, MR_VERDICT_UNKNOWN, "",
			   "%s: %s at most %" PRIu64 ", use not known", pool->device, name, max);
	else if (left < needs || left < max / 10)
		find_worse(walk, left < needs ? MR_VERDICT_BAD : MR_VERDICT_WARN, remedy,
			   "%s: %s %" PRIu64 " of %" PRIu64
			   " in use, a registration needs %" PRIu64,
			   pool->device, name, used, max, needs);
}

static void look_at_rdma(struct walk *walk)
{
	struct mr_rdma_pools pools;
	const int rc = mr_rdma_pools_read(walk->question->host, &walk->group, &pools);

	if (rc == -ENOENT)
		return;
	walk->is_enabled = true;
	if (rc)
		find_worse(walk, MR_VERDICT_UNKNOWN, "", "rdma.max: %s", mr_errno_text(-rc));
	for (size_t i = 0; i < pools.count; i++)
		for (int resource = 0; resource < MR_RDMA_RESOURCES; resource++)
			judge_rdma(walk, &pools.pools[i], (enum mr_rdma_resource)resource);
}

/* "rdma 0 105 1": its hierarchy, groups in it, whether it is enabled */
static bool take_controller(const char *line, void *data)
{
	unsigned int groups, is_enabled;

	if (sscanf(line, "rdma %*u %u %u", &groups, &is_enabled) != 2)
		return false;
	*(bool *)data = is_enabled && groups > 1;
	return true;
}

/*
 * A group that cannot be seen is distinguished from none: a group has files of the controller where the group above
 * enables it, so
 * the limit of a group further up may be in force without any here.
 */
void mr_check_rdma_cgroup(const struct mr_question *question, struct mr_finding *finding)
{
	struct walk walk = { question, finding, .is_enabled = false };
	struct mr_cgroup group;
	bool has_groups = false;
	int rc;

	if (mr_kernel_has_no_say(question, finding))
		return;
	if (walk_up(&walk, "rdma", look_at_rdma))
		mr_finding_set(finding, MR_VERDICT_OK, "%s at most %" PRIu64 ", enough are left",
			       walk.lowest_name, walk.lowest);
	rc = mr_cgroup_find(question->host, "rdma", &group);
	mr_host_lines(question->host, take_controller, &has_groups, "/proc/cgroups");
	if (finding->verdict != MR_VERDICT_NA || !has_groups ||
	    (rc ? rc != -ENOENT && rc != -EXDEV : !group.is_below) ||
	    !mr_host_exists(question->host, "/sys/class/infiniband_verbs"))
		return;
	mr_finding_judge(finding, MR_VERDICT_UNKNOWN,
			 "mrctl stat --probe; on the host: rdma.max of each group",
			 "a group that cannot be seen from here may limit it");
	finding->is_hidden = true;
}

#define MEMORY_REMEDY                                                                                      \
	"raise memory.max and memory.high of the control group (-v names it): MemoryMax= and MemoryHigh= " \
	"of the unit, or the memory limit of the pod or job"

/* Pinned memory can neither be swapped out nor dropped, so it has to fit.  Huge pages are not counted here. */
static void judge_memory_size(struct walk *walk, const struct mr_memory_group *memory)
{
	const uint64_t max = memory->max.value, size = walk->question->size.value;
	const uint64_t left = memory->used.value < max ? max - memory->used.value : 0;

	if (max < size)
		find_worse(walk, MR_VERDICT_BAD, MEMORY_REMEDY, "%s < %s asked", MR_SIZE(max),
			   MR_SIZE(size));
	else if (max != NO_LIMIT && !memory->used.known)
		find_worse(walk, MR_VERDICT_UNKNOWN, "", "at most %s, use not known", MR_SIZE(max));
	else if (max != NO_LIMIT && left < size)
		find_worse(walk, MR_VERDICT_WARN, MEMORY_REMEDY, "%s of %s are left < %s asked",
			   MR_SIZE(left), MR_SIZE(max), MR_SIZE(size));
	else if (memory->high.known && memory->high.value < size)
		find_worse(walk, MR_VERDICT_WARN, MEMORY_REMEDY, "slows down beyond %s < %s asked",
			   MR_SIZE(memory->high.value), MR_SIZE(size));
}

static void look_at_memory(struct walk *walk)
{
	struct mr_memory_group memory;

	if (!mr_memory_group_read(walk->question->host, &walk->group, &memory))
		return;
	walk->is_enabled = true;
	if (memory.max.value < walk->lowest)
		walk->lowest = memory.max.value;
	if (walk->question->size.known && !walk->question->huge_size)
		judge_memory_size(walk, &memory);
	else if (memory.used.known && memory.max.value != NO_LIMIT &&
		 memory.used.value > memory.max.value / 20 * 19)
		find_worse(walk, MR_VERDICT_WARN, MEMORY_REMEDY, "%s of %s in use > 95 %%",
			   MR_SIZE(memory.used.value), MR_SIZE(memory.max.value));
}

void mr_check_memory_cgroup(const struct mr_question *question, struct mr_finding *finding)
{
	struct walk walk = { question, finding, .is_enabled = false };

	if (!walk_up(&walk, "memory", look_at_memory))
		return;
	if (question->size.known && !question->huge_size)
		mr_finding_set(finding, MR_VERDICT_OK, "%s >= %s asked", MR_SIZE(walk.lowest),
			       MR_SIZE(question->size.value));
	else
		mr_finding_set(finding, MR_VERDICT_OK, "at most %s", MR_SIZE(walk.lowest));
}

/* ---- huge pages ---- */

#define HUGE_REMEDY                                                                                \
	"for registration of huge pages, raise that limit of the control group (-v names it), or " \
	"the hugepages limit of the pod"

/* Kubernetes sets 0 for pods that request no huge pages: mmap() then succeeds, and touching the memory fails. */
static void judge_huge(struct walk *walk, const struct mr_huge_limit *limit, uint64_t page)
{
	const struct mr_opt_u64 size = walk->question->size;
	const bool is_planned = walk->question->huge_size == page;
	const uint64_t whole = size.known ? mr_round_up(size.value, page) : page;
	const uint64_t wanted = whole ? whole : NO_LIMIT;
	const uint64_t max = limit->max.value, used = limit->used.known ? limit->used.value : 0;
	const uint64_t left = used < max ? max - used : 0;
	const enum mr_verdict verdict = is_planned ? MR_VERDICT_BAD : MR_VERDICT_WARN;

	if (max == NO_LIMIT || (size.known && !is_planned))
		return;
	walk->lowest = max < walk->lowest ? max : walk->lowest;
	if (max < page)
		find_worse(walk, verdict, HUGE_REMEDY,
			   "%s is %" PRIu64 ": none of the host's huge pages can be used",
			   limit->file, max);
	else if (size.known && left < wanted)
		find_worse(walk, verdict, HUGE_REMEDY, "%s: %s of %s are left < %s asked",
			   limit->file, MR_SIZE(left), MR_SIZE(max), MR_SIZE(size.value));
	else if (size.known && !limit->used.known)
		find_worse(walk, MR_VERDICT_UNKNOWN, "", "%s at most %s, use not known",
			   limit->file, MR_SIZE(max));
}

static bool is_empty(const struct mr_huge_pool *pool)
{
	return !pool->total.value && !pool->overcommit.value;
}

static void look_at_huge(struct walk *walk)
{
	struct mr_host *host = walk->question->host;
	struct mr_huge_pools pools;
	struct mr_huge_limit limit;

	mr_huge_pools_read(host, NULL, &pools);
	for (size_t i = 0; i < pools.count; i++)
		for (int count = 0; count < MR_HUGE_COUNTS; count++)
			if (mr_huge_limit_read(host, &walk->group, pools.pools[i].size,
					       (enum mr_huge_count)count, &limit)) {
				walk->is_enabled = true;
				if (!is_empty(&pools.pools[i]))
					judge_huge(walk, &limit, pools.pools[i].size);
			}
}

void mr_check_hugetlb_cgroup(const struct mr_question *question, struct mr_finding *finding)
{
	struct walk walk = { question, finding, .is_enabled = false };
	struct mr_huge_pools pools;
	size_t i = 0;
	bool is_ok;

	mr_huge_pools_read(question->host, NULL, &pools);
	while (i < pools.count && is_empty(&pools.pools[i]))
		i++;
	if (i == pools.count) {
		mr_finding_set(finding, MR_VERDICT_NA, "the host has no huge pages");
		return;
	}
	is_ok = walk_up(&walk, "hugetlb", look_at_huge);
	if ((is_ok || finding->verdict == MR_VERDICT_OK) && question->size.known &&
	    !question->huge_size)
		mr_finding_set(finding, MR_VERDICT_NA, "no huge pages are planned");
	else if (is_ok)
		mr_finding_set(finding, MR_VERDICT_OK, "at most %s", MR_SIZE(walk.lowest));
}
