// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/host/available.h"
#include "lib/host/meminfo.h"
#include "lib/host/memory_cgroup.h"

/* A number behind a word, in a file of lines. */
struct search {
	const char *word;
	uint64_t value;
	bool is_found;
};

static bool take_number(const char *line, void *data)
{
	struct search *search = data;
	const size_t length = strlen(search->word);

	if (search->is_found || strncmp(line, search->word, length) != 0)
		return false;
	search->is_found = sscanf(line + length, " %" SCNu64, &search->value) == 1;
	return search->is_found;
}

static bool find_number(struct mr_host *host, const char *path, const char *word, uint64_t *value)
{
	struct search search = { .word = word };

	mr_host_lines(host, path, take_number, &search);
	*value = search.value;
	return search.is_found;
}

static void take_least(struct mr_available *available, uint64_t limit, uint64_t used,
		       const char *by)
{
	const uint64_t left = limit > used ? limit - used : 0;

	if (left >= available->bytes)
		return;
	available->bytes = left;
	available->by = by;
}

static void look_at_group(struct mr_host *host, const struct mr_cgroup *group,
			  struct mr_available *available)
{
	struct mr_memory_group memory;

	if (!mr_memory_group_read(host, group, &memory) || !memory.used.known)
		return;
	if (memory.high.known && memory.high.value != UINT64_MAX)
		take_least(available, memory.high.value, memory.used.value, "memory.high");
	if (memory.max.value != UINT64_MAX)
		take_least(available, memory.max.value, memory.used.value, "memory.max");
}

int mr_available_read(struct mr_host *host, struct mr_available *available)
{
	struct mr_cgroup group;
	struct mr_meminfo memory;
	uint64_t limit, used;
	int rc = mr_meminfo_read(host, &memory);

	if (rc)
		return rc;
	if (!memory.available.known)
		return -ENODATA;
	*available = (struct mr_available){ memory.available.value, "MemAvailable" };
	if (!mr_cgroup_find(host, "memory", &group)) {
		do
			look_at_group(host, &group, available);
		while (mr_cgroup_up(&group));
	}
	if (find_number(host, "/proc/self/limits", "Max address space ", &limit) &&
	    find_number(host, "/proc/self/status", "VmSize:", &used))
		take_least(available, limit, used << 10, "RLIMIT_AS");
	return 0;
}
