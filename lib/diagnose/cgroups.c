// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What control groups allow.  A limit of each group counts, from that of this process up to the root.  Paths of
 * groups differ between hosts that are equal, so only the detail names them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/diagnose/cgroups.h"
#include "lib/diagnose/simulated.h"
#include "lib/diagnose/size_text.h"
#include "lib/host/host.h"

#define NO_LIMIT UINT64_MAX

/* What was found so far, on the way up. */
struct walk {
	const struct mr_question *question;
	struct mr_finding *finding;
	struct mr_cgroup group; /* the one that is looked at */
	bool is_enabled;        /* some group has limits of the controller */
	uint64_t lowest;        /* limit so far */
	const char *lowest_name;
};

/* Sets verdict and figure, where the verdict is worse than that of the groups below.  Return: whether it is. */
static bool find_worse(struct walk *walk, enum mr_verdict verdict, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static bool find_worse(struct walk *walk, enum mr_verdict verdict, const char *fmt, ...)
{
	char figure[sizeof(walk->finding->figure)];
	va_list ap;

	if (verdict <= walk->finding->verdict)
		return false;
	va_start(ap, fmt);
	vsnprintf(figure, sizeof(figure), fmt, ap);
	va_end(ap);
	*walk->finding = (struct mr_finding){ 0 };
	mr_finding_set(walk->finding, verdict, "%s", figure);
	mr_finding_detail(walk->finding, "%s%s", walk->group.mount, walk->group.path);
	return true;
}

/*
 * Looks at the group of this process, and those above.  Without any that has limits of the controller, the
 * finding is n/a; without a bad limit, its figure is still empty.
 */
static void walk_up(struct walk *walk, const char *controller, void (*look)(struct walk *walk))
{
	const int rc = mr_cgroup_find(walk->question->host, controller, &walk->group);
	bool is_below;

	if (rc == -ENOENT) {
		mr_finding_set(walk->finding, MR_VERDICT_NA, "no control group limits it");
		return;
	}
	if (rc) {
		mr_finding_set(walk->finding, MR_VERDICT_UNKNOWN, "the control group: %s",
			       rc == -EXDEV ? "it is outside of what is mounted here"
					    : mr_errno_text(-rc));
		return;
	}
	is_below = walk->group.is_below;
	walk->lowest = NO_LIMIT;
	do {
		look(walk);
	} while (mr_cgroup_up(&walk->group));
	if (!walk->is_enabled)
		mr_finding_set(walk->finding, MR_VERDICT_NA,
			       "no control group that can be seen limits it");
	if (is_below)
		mr_finding_detail(walk->finding, "groups above %s cannot be seen from here",
				  walk->group.mount);
}

static bool has_finding(const struct walk *walk)
{
	return walk->finding->figure[0];
}

/* ---- RDMA objects ---- */

/*
 * What a process needs that registers memory: to open the device, and a protection domain and a region.  libmlx5
 * takes an object before them, when it opens the device: a UAR (providers/mlx5/verbs.c mlx5_set_singleton_nc_uar()).
 */
static uint64_t rdma_needs(struct mr_host *host, const char *name, enum mr_rdma_resource resource)
{
	struct mr_rdma_device device;

	if (resource == MR_RDMA_HANDLE)
		return 1;
	mr_rdma_device_read_place(host, name, &device);
	return strcmp(device.driver, "mlx5_core") != 0 ? 2 : 3;
}

static void judge_rdma(struct walk *walk, const struct mr_rdma_pool *pool,
		       enum mr_rdma_resource resource)
{
	const uint64_t max = pool->max[resource].value, used = pool->used[resource].value;
	const uint64_t left = used < max ? max - used : 0;
	const char *name = mr_rdma_resources[resource];
	uint64_t needs;

	if (!pool->max[resource].known || max == NO_LIMIT)
		return;
	needs = rdma_needs(walk->question->host, pool->device, resource);
	if (max < walk->lowest) {
		walk->lowest = max;
		walk->lowest_name = name;
	}
	if (!pool->used[resource].known && max >= needs) {
		find_worse(walk, MR_VERDICT_UNKNOWN, "%s: %s at most %" PRIu64 ", use not known",
			   pool->device, name, max);
		return;
	}
	if (left >= needs && left >= max / 10)
		return;
	if (find_worse(walk, left < needs ? MR_VERDICT_BAD : MR_VERDICT_WARN,
		       "%s: %s %" PRIu64 " of %" PRIu64 " in use, a registration needs %" PRIu64,
		       pool->device, name, used, max, needs))
		mr_finding_remedy(walk->finding,
				  "raise %s in rdma.max of the control group (-v names it), or end "
				  "processes of the group that hold objects",
				  name);
}

static void look_at_rdma(struct walk *walk)
{
	struct mr_rdma_pools pools;
	const int rc = mr_rdma_pools_read(walk->question->host, &walk->group, &pools);

	if (rc == -ENOENT)
		return;
	walk->is_enabled = true;
	if (rc)
		find_worse(walk, MR_VERDICT_UNKNOWN, "rdma.max: %s", mr_errno_text(-rc));
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
 * Tells a group that cannot be seen from none: a group has files of the controller where the group above enables it, so
 * the limit of a group further up may be in force without any here.  Return: whether there may be such a limit.
 */
static bool may_be_hidden(struct mr_host *host)
{
	struct mr_cgroup group;
	bool has_groups = false;
	const int rc = mr_cgroup_find(host, "rdma", &group);

	mr_host_lines(host, "/proc/cgroups", take_controller, &has_groups);
	return has_groups && (rc == -ENOENT || rc == -EXDEV || (!rc && group.is_below));
}

void mr_check_rdma_cgroup(const struct mr_question *question, struct mr_finding *finding)
{
	struct walk walk = { question, finding, .is_enabled = false };

	if (mr_kernel_has_no_say(question, finding))
		return;
	walk_up(&walk, "rdma", look_at_rdma);
	if (has_finding(&walk) && finding->verdict == MR_VERDICT_NA &&
	    may_be_hidden(question->host) &&
	    mr_host_exists(question->host, "/sys/class/infiniband_verbs")) {
		mr_finding_set(finding, MR_VERDICT_UNKNOWN,
			       "a group that cannot be seen from here may limit it");
		mr_finding_remedy(finding,
				  "mrctl stat --probe; on the host: rdma.max of each group");
		finding->is_hidden = true;
		return;
	}
	if (has_finding(&walk))
		return;
	if (walk.lowest == NO_LIMIT)
		mr_finding_set(finding, MR_VERDICT_OK, "no limit");
	else
		mr_finding_set(finding, MR_VERDICT_OK, "%s at most %" PRIu64 ", enough are left",
			       walk.lowest_name, walk.lowest);
}

/* ---- memory ---- */

#define MEMORY_REMEDY                                                                                      \
	"raise memory.max and memory.high of the control group (-v names it): MemoryMax= and MemoryHigh= " \
	"of the unit, or the memory limit of the pod or job"

/* Pinned memory can neither be swapped out nor dropped, so it has to fit.  Huge pages are not counted here. */
static void judge_memory_size(struct walk *walk, const struct mr_memory_group *memory)
{
	const uint64_t max = memory->max.value, size = walk->question->size.value;
	const uint64_t left = memory->used.value < max ? max - memory->used.value : 0;
	bool is_set = false;

	if (max < size)
		is_set = find_worse(walk, MR_VERDICT_BAD, "%s < %s asked", mr_size_text(max).text,
				    mr_size_text(size).text);
	else if (max != NO_LIMIT && !memory->used.known)
		find_worse(walk, MR_VERDICT_UNKNOWN, "at most %s, use not known",
			   mr_size_text(max).text);
	else if (max != NO_LIMIT && left < size)
		is_set = find_worse(walk, MR_VERDICT_WARN, "%s of %s are left < %s asked",
				    mr_size_text(left).text, mr_size_text(max).text,
				    mr_size_text(size).text);
	else if (memory->high.known && memory->high.value < size)
		is_set = find_worse(walk, MR_VERDICT_WARN, "slows down beyond %s < %s asked",
				    mr_size_text(memory->high.value).text, mr_size_text(size).text);
	if (is_set)
		mr_finding_remedy(walk->finding, "%s", MEMORY_REMEDY);
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
		 memory.used.value > memory.max.value / 20 * 19 &&
		 find_worse(walk, MR_VERDICT_WARN, "%s of %s in use > 95 %%",
			    mr_size_text(memory.used.value).text,
			    mr_size_text(memory.max.value).text))
		mr_finding_remedy(walk->finding, "%s", MEMORY_REMEDY);
}

void mr_check_memory_cgroup(const struct mr_question *question, struct mr_finding *finding)
{
	struct walk walk = { question, finding, .is_enabled = false };

	walk_up(&walk, "memory", look_at_memory);
	if (has_finding(&walk))
		return;
	if (walk.lowest == NO_LIMIT)
		mr_finding_set(finding, MR_VERDICT_OK, "no limit");
	else if (question->size.known && !question->huge_size)
		mr_finding_set(finding, MR_VERDICT_OK, "%s >= %s asked",
			       mr_size_text(walk.lowest).text,
			       mr_size_text(question->size.value).text);
	else
		mr_finding_set(finding, MR_VERDICT_OK, "at most %s",
			       mr_size_text(walk.lowest).text);
}

/* ---- huge pages ---- */

/* Kubernetes sets 0 for pods that ask for no huge pages: mmap() works then, and touching the memory does not. */
static void judge_huge(struct walk *walk, const struct mr_huge_limit *limit, uint64_t page)
{
	const struct mr_opt_u64 size = walk->question->size;
	const bool is_planned = walk->question->huge_size == page;
	const uint64_t whole = size.known ? mr_round_up(size.value, page) : page;
	const uint64_t wanted = whole ? whole : NO_LIMIT;
	const uint64_t max = limit->max.value, used = limit->used.known ? limit->used.value : 0;
	const uint64_t left = used < max ? max - used : 0;
	const enum mr_verdict verdict = is_planned ? MR_VERDICT_BAD : MR_VERDICT_WARN;
	bool is_set = false;

	if (max == NO_LIMIT || (size.known && !is_planned))
		return;
	walk->lowest = max < walk->lowest ? max : walk->lowest;
	if (max < page)
		is_set = find_worse(walk, verdict,
				    "%s is %" PRIu64 ": none of the host's huge pages can be used",
				    limit->file, max);
	else if (size.known && (max < wanted || left < wanted))
		is_set = find_worse(walk, verdict, "%s: %s of %s are left < %s asked", limit->file,
				    mr_size_text(left).text, mr_size_text(max).text,
				    mr_size_text(size.value).text);
	else if (size.known && !limit->used.known)
		find_worse(walk, MR_VERDICT_UNKNOWN, "%s at most %s, use not known", limit->file,
			   mr_size_text(max).text);
	if (is_set)
		mr_finding_remedy(walk->finding, "%s",
				  "for registration of huge pages, raise that limit of the control "
				  "group (-v names it), or the hugepages limit of the pod");
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
				if (pools.pools[i].total.value || pools.pools[i].overcommit.value)
					judge_huge(walk, &limit, pools.pools[i].size);
			}
}

static bool has_huge_pages(struct mr_host *host)
{
	struct mr_huge_pools pools;

	mr_huge_pools_read(host, NULL, &pools);
	for (size_t i = 0; i < pools.count; i++)
		if (pools.pools[i].total.value || pools.pools[i].overcommit.value)
			return true;
	return false;
}

void mr_check_hugetlb_cgroup(const struct mr_question *question, struct mr_finding *finding)
{
	struct walk walk = { question, finding, .is_enabled = false };

	if (!has_huge_pages(question->host)) {
		mr_finding_set(finding, MR_VERDICT_NA, "the host has no huge pages");
		return;
	}
	walk_up(&walk, "hugetlb", look_at_huge);
	if (has_finding(&walk))
		return;
	if (question->size.known && !question->huge_size) {
		mr_finding_set(finding, MR_VERDICT_NA, "no huge pages are planned");
		return;
	}
	if (walk.lowest == NO_LIMIT)
		mr_finding_set(finding, MR_VERDICT_OK, "no limit");
	else
		mr_finding_set(finding, MR_VERDICT_OK, "at most %s",
			       mr_size_text(walk.lowest).text);
}
