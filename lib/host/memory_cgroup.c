// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/host/memory_cgroup.h"

/* ---- memory ---- */

/* The names of version 1 and 2.  Version 1 has "total_" before figures that include groups below. */
struct memory_files {
	const char *max, *high, *used, *inactive, *active;
};

static const struct memory_files memory_files[] = {
	{ "memory.limit_in_bytes", NULL, "memory.usage_in_bytes", "total_inactive_file ",
	  "total_active_file " },
	{ "memory.max", "memory.high", "memory.current", "inactive_file ", "active_file " },
};

/* The lines of memory.stat with pages of files. */
struct reclaimable {
	const struct memory_files *files;
	uint64_t bytes;
};

static bool take_line(const char *line, void *data)
{
	struct reclaimable *reclaimable = data;
	const char *const names[] = { reclaimable->files->inactive, reclaimable->files->active };
	uint64_t bytes;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const size_t length = strlen(names[i]);

		if (strncmp(line, names[i], length) != 0 ||
		    sscanf(line + length, "%" SCNu64, &bytes) != 1)
			continue;
		reclaimable->bytes += bytes;
		return true;
	}
	return false;
}

bool mr_memory_group_read(struct mr_host *host, const struct mr_cgroup *group,
			  struct mr_memory_group *memory)
{
	const struct memory_files *files = &memory_files[group->version - 1];
	struct reclaimable reclaimable = { files, 0 };
	char path[2 * PATH_MAX + 16];

	*memory = (struct mr_memory_group){ .max = mr_cgroup_read(host, group, files->max) };
	if (!memory->max.known)
		return false;
	if (files->high)
		memory->high = mr_cgroup_read(host, group, files->high);
	memory->used = mr_cgroup_read(host, group, files->used);
	snprintf(path, sizeof(path), "%s%s/memory.stat", group->mount, group->path);
	mr_host_lines(host, path, take_line, &reclaimable);
	memory->used.value -=
		reclaimable.bytes < memory->used.value ? reclaimable.bytes : memory->used.value;
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
	const bool giga = page >= UINT64_C(1) << 30, mega = page >= UINT64_C(1) << 20;

	snprintf(file, 64, "hugetlb.%" PRIu64 "%s.%s",
		 page >> (giga   ? 30
			  : mega ? 20
				 : 10),
		 giga   ? "GB"
		 : mega ? "MB"
			: "KB",
		 end);
}

bool mr_huge_limit_read(struct mr_host *host, const struct mr_cgroup *group, uint64_t page,
			enum mr_huge_count count, struct mr_huge_limit *limit)
{
	const struct huge_files *files = &huge_files[group->version - 1][count];

	name_file(page, files->used, limit->file);
	limit->used = mr_cgroup_read(host, group, limit->file);
	name_file(page, files->max, limit->file);
	limit->max = mr_cgroup_read(host, group, limit->file);
	return limit->max.known;
}
