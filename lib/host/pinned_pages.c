// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/host/pinned_pages.h"

struct counts {
	struct mr_opt_u64 acquired, released;
};

static bool take_count(const char *line, const char *name, struct mr_opt_u64 *count)
{
	size_t length = strlen(name);
	char *end;

	if (strncmp(line, name, length) != 0)
		return false;
	errno = 0;
	count->value = strtoull(line + length, &end, 10);
	count->known = end != line + length && !*end && !errno;
	return true;
}

static bool take_line(const char *line, void *data)
{
	struct counts *counts = data;

	return take_count(line, "nr_foll_pin_acquired ", &counts->acquired) ||
	       take_count(line, "nr_foll_pin_released ", &counts->released);
}

struct mr_opt_u64 mr_pinned_pages(struct mr_host *host)
{
	struct mr_opt_u64 bytes = { 0, false };
	struct counts counts = { .acquired = { 0, false } };

	/* The counters of processors are summed one after the other: a difference below 0 is none. */
	if (mr_host_lines(host, "/proc/vmstat", take_line, &counts) || !counts.acquired.known ||
	    !counts.released.known)
		return bytes;
	bytes.known = true;
	if (counts.acquired.value > counts.released.value)
		bytes.value = (counts.acquired.value - counts.released.value) *
			      (uint64_t)sysconf(_SC_PAGESIZE);
	return bytes;
}
