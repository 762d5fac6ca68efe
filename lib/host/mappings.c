// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdio.h>

#include "lib/host/mappings.h"

struct mr_opt_u64 mr_mappings_max(struct mr_host *host)
{
	struct mr_opt_u64 max = { 0 };

	max.known = mr_host_number(host, &max.value, "/proc/sys/vm/max_map_count");
	return max;
}

static bool count_line(const char *line, void *data)
{
	(void)line;
	++*(uint64_t *)data;
	return false;
}

static int count_mappings(void *data, char *text, size_t size)
{
	struct mr_host here = mr_host_unrecorded(data);
	uint64_t count = 0;
	const int rc = mr_host_lines(&here, "/proc/self/maps", count_line, &count);

	snprintf(text, size, "%" PRIu64, count);
	return rc;
}

struct mr_opt_u64 mr_mappings_used(struct mr_host *host)
{
	struct mr_opt_u64 used = { 0 };
	char text[32];

	used.known = !mr_host_ask(host, "mappings", count_mappings, host, text, sizeof(text)) &&
		     sscanf(text, "%" SCNu64, &used.value) == 1;
	return used;
}
