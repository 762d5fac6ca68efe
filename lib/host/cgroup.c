// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/base.h"
#include "lib/host/host.h"

/* Version 1 writes PAGE_COUNTER_MAX pages for no limit: with any page size that is more than this. */
#define NO_LIMIT (UINT64_C(1) << 62)

/* ---- /proc/PID/cgroup: "4:memory,hugetlb:/path", or "0::/path" for version 2 ---- */

struct group_search {
	const char *controller;
	struct mr_cgroup *group; /* version 0: not found yet */
	char path[PATH_MAX];     /* of the group in its hierarchy */
	bool is_there; /* the hierarchy is mounted, if not the part that the group is in */
	bool is_found;
};

/* Whether a word is between commas, in a list that a colon may end. */
static bool is_in_list(const char *list, const char *word)
{
	const size_t wanted = strlen(word);

	for (size_t length;; list += length + 1) {
		length = strcspn(list, ",:");
		if (length == wanted && !strncmp(list, word, length))
			return true;
		if (list[length] != ',')
			return false;
	}
}

/* A controller of version 1 is not one of version 2 at the same time. */
static bool take_membership(const char *line, void *data)
{
	struct group_search *search = data;
	struct mr_cgroup *group = search->group;
	const char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;
	const bool is_v2 = list && path == list + 1;

	if (!path || path[1] != '/' || group->version == 1 ||
	    (!is_v2 && !is_in_list(list + 1, search->controller)))
		return false;
	group->version = is_v2 ? 2 : 1;
	snprintf(search->path, sizeof(search->path), "%s", path + 1);
	return true;
}

/* ---- /proc/self/mountinfo ---- */

/* Sets @below to the part of @path below the folder @root: "" for the folder itself. */
static bool find_below(const char *path, const char *root, const char **below)
{
	size_t length = strlen(root);

	while (length && root[length - 1] == '/')
		length--;
	if (strncmp(path, root, length) != 0 || (path[length] && path[length] != '/'))
		return false;
	*below = path + length;
	return true;
}

/* Return: whether the line is of the hierarchy that is looked for. */
static bool take_mount(const char *line, void *data)
{
	struct group_search *search = data;
	struct mr_cgroup *group = search->group;
	struct mr_mount mount;
	const char *below;

	if (!mr_mount_parse(line, &mount) ||
	    strcmp(mount.type, group->version == 2 ? "cgroup2" : "cgroup") != 0 ||
	    (group->version == 1 && !is_in_list(mount.options, search->controller)))
		return false;
	search->is_there = true;
	if (search->is_found || !find_below(search->path, mount.root, &below))
		return true;
	search->is_found = true;
	group->is_below = strcmp(mount.root, "/") != 0;
	snprintf(group->mount, sizeof(group->mount), "%s", mount.point);
	snprintf(group->path, sizeof(group->path), "%s", strcmp(below, "/") != 0 ? below : "");
	return true;
}

int mr_cgroup_find(struct mr_host *host, const char *controller, struct mr_cgroup *group)
{
	struct group_search search = { .controller = controller, .group = group };
	int rc;

	*group = (struct mr_cgroup){ 0 };
	rc = mr_host_lines(host, take_membership, &search, "/proc/self/cgroup");
	if (rc == -ENOENT && !mr_host_exists(host, "/proc/self"))
		return -ENODATA;
	if (rc || !group->version)
		return rc ? rc : -ENOENT;
	rc = mr_host_lines(host, take_mount, &search, "/proc/self/mountinfo");
	if (rc || !search.is_there)
		return rc ? rc : -ENOENT;
	if (!search.is_found || strstr(group->path, "/.."))
		return -EXDEV;
	group->is_below |= mr_namespace_is_first(host, "cgroup") == MR_NO;
	return 0;
}

bool mr_cgroup_up(struct mr_cgroup *group)
{
	char *slash = strrchr(group->path, '/');

	if (slash)
		*slash = '\0';
	return slash != NULL;
}

/* Return: UINT64_MAX for "max", and for what version 1 has for no limit; not known where there is no number. */
static struct mr_opt_u64 read_figure(struct mr_host *host, const struct mr_cgroup *group,
				     const char *file)
{
	char text[64], *end;
	uint64_t value;

	if (!mr_host_line(host, text, sizeof(text), "%s%s/%s", group->mount, group->path, file))
		return (struct mr_opt_u64){ 0 };
	if (!strcmp(text, "max"))
		return (struct mr_opt_u64){ UINT64_MAX, true };
	errno = 0;
	value = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno)
		return (struct mr_opt_u64){ 0 };
	return (struct mr_opt_u64){ value < NO_LIMIT ? value : UINT64_MAX, true };
}

/* ---- memory ---- */

/* Pages of files, in bytes. */
struct reclaimable {
	struct mr_opt_u64 inactive, active;
};

/* The names of version 1 and 2.  Version 1 has "total_" before figures that include groups below. */
static const struct memory_files {
	const char *max, *high, *used;
	struct mr_figure stat[3]; /* of memory.stat */
} memory_files[] = {
	{ "memory.limit_in_bytes",
	  NULL,
	  "memory.usage_in_bytes",
	  { MR_FIGURE(struct reclaimable, "total_inactive_file ", inactive),
	    MR_FIGURE(struct reclaimable, "total_active_file ", active) } },
	{ "memory.max",
	  "memory.high",
	  "memory.current",
	  { MR_FIGURE(struct reclaimable, "inactive_file ", inactive),
	    MR_FIGURE(struct reclaimable, "active_file ", active) } },
};

bool mr_memory_group_read(struct mr_host *host, const struct mr_cgroup *group,
			  struct mr_memory_group *memory)
{
	const struct memory_files *files = &memory_files[group->version - 1];
	struct reclaimable pages = { .active = { 0 } };
	uint64_t reclaimable;

	*memory = (struct mr_memory_group){ .max = read_figure(host, group, files->max) };
	if (!memory->max.known)
		return false;
	if (files->high)
		memory->high = read_figure(host, group, files->high);
	memory->used = read_figure(host, group, files->used);
	mr_host_figures(host, files->stat, &pages, "%s%s/memory.stat", group->mount, group->path);
	reclaimable = mr_sum(pages.inactive.value, pages.active.value);
	memory->used.value -= reclaimable < memory->used.value ? reclaimable : memory->used.value;
	return true;
}

/* ---- huge pages ---- */

struct huge_files {
	const char *max, *used;
};

static const struct huge_files huge_files[][MR_HUGE_COUNTS] = {
	{ { "rsvd.limit_in_bytes", "rsvd.usage_in_bytes" },
	  { "limit_in_bytes", "usage_in_bytes" } },
	{ { "rsvd.max", "rsvd.current" }, { "max", "current" } },
};

/* The kernel names sizes 64KB, 2MB, 1GB: mem_fmt() of mm/hugetlb_cgroup.c. */
static void name_file(uint64_t page, const char *end, char file[64])
{
	const int power = page >> 30 ? 3 : page >> 20 ? 2 : 1;

	snprintf(file, 64, "hugetlb.%" PRIu64 "%cB.%s", page >> (10 * power), " KMG"[power], end);
}

bool mr_huge_limit_read(struct mr_host *host, const struct mr_cgroup *group, uint64_t page,
			enum mr_huge_count count, struct mr_huge_limit *limit)
{
	const struct huge_files *files = &huge_files[group->version - 1][count];

	name_file(page, files->used, limit->file);
	limit->used = read_figure(host, group, limit->file);
	name_file(page, files->max, limit->file);
	limit->max = read_figure(host, group, limit->file);
	return limit->max.known;
}

const char *const mr_rdma_resources[MR_RDMA_RESOURCES] = {
	[MR_RDMA_HANDLE] = "hca_handle",
	[MR_RDMA_OBJECT] = "hca_object",
};

/* A file with lines "mlx5_0 hca_handle=2 hca_object=max". */
struct reading {
	struct mr_rdma_pools *pools;
	size_t offset; /* of the array in struct mr_rdma_pool that the file fills */
};

static struct mr_rdma_pool *find_pool(struct mr_rdma_pools *pools, const char *device)
{
	for (size_t i = 0; i < pools->count; i++)
		if (!strcmp(pools->pools[i].device, device))
			return &pools->pools[i];
	if (pools->count == MR_RDMA_POOLS)
		return NULL;
	strcpy(pools->pools[pools->count].device, device);
	return &pools->pools[pools->count++];
}

static bool take_rdma_line(const char *line, void *data)
{
	const struct reading *reading = data;
	struct mr_rdma_pool *pool;
	struct mr_opt_u64 *figures;
	char device[sizeof(pool->device)];

	if (sscanf(line, "%63s", device) != 1)
		return false;
	mr_clean_text(device, sizeof(device));
	pool = find_pool(reading->pools, device);
	if (!pool)
		return false;
	figures = (void *)((char *)pool + reading->offset);
	for (int i = 0; i < MR_RDMA_RESOURCES; i++) {
		const char *found = strstr(line, mr_rdma_resources[i]);

		figures[i] = (struct mr_opt_u64){ 0 };
		if (!found || found[strlen(mr_rdma_resources[i])] != '=')
			continue;
		found += strlen(mr_rdma_resources[i]) + 1;
		if (!strncmp(found, "max", 3))
			figures[i] = (struct mr_opt_u64){ UINT64_MAX, true };
		else if (mr_is_digit(*found))
			figures[i].known = sscanf(found, "%" SCNu64, &figures[i].value) == 1;
	}
	return true;
}

/* Where the use cannot be read, it is not known. */
int mr_rdma_pools_read(struct mr_host *host, const struct mr_cgroup *group,
		       struct mr_rdma_pools *pools)
{
	struct reading reading = { .offset = offsetof(struct mr_rdma_pool, max) };
	int rc;

	memset(pools, 0, sizeof(*pools));
	reading.pools = pools;
	rc = mr_host_lines(host, take_rdma_line, &reading, "%s%s/rdma.max", group->mount,
			   group->path);
	reading.offset = offsetof(struct mr_rdma_pool, used);
	if (!rc)
		mr_host_lines(host, take_rdma_line, &reading, "%s%s/rdma.current", group->mount,
			      group->path);
	return rc;
}
