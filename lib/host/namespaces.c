// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/host/namespaces.h"

struct namespace_inode {
	const char *type;
	uint32_t inode;
};

static const struct namespace_inode first[] = {
	{ "user", 0xEFFFFFFD },
	{ "pid", 0xEFFFFFFC },
	{ "cgroup", 0xEFFFFFFB },
};

/* The first user namespace maps all numbers to themselves, user_namespaces(7). */
static enum mr_tristate is_mapped_whole(struct mr_host *host)
{
	uint64_t inside, outside, count;
	char line[128];

	if (!mr_host_line(host, line, sizeof(line), "/proc/self/uid_map") ||
	    sscanf(line, "%" SCNu64 " %" SCNu64 " %" SCNu64, &inside, &outside, &count) != 3)
		return MR_UNKNOWN;
	return !inside && !outside && count == UINT32_MAX ? MR_YES : MR_NO;
}

enum mr_tristate mr_namespace_is_first(struct mr_host *host, const char *type)
{
	char link[64], name[32];
	uint32_t inode;
	size_t i = 0;

	while (strcmp(first[i].type, type) != 0)
		i++;
	if (mr_host_link(host, link, sizeof(link), "/proc/self/ns/%s", type) &&
	    sscanf(link, "%31[a-z]:[%" SCNu32 "]", name, &inode) == 2 && !strcmp(name, type))
		return inode == first[i].inode ? MR_YES : MR_NO;
	return strcmp(type, "user") != 0 ? MR_UNKNOWN : is_mapped_whole(host);
}
