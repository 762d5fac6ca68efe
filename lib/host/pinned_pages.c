// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
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
	line += length;
	errno = 0;
	count->value = strtoull(line, &end, 10);
	count->known = isdigit((unsigned char)*line) && !*end && !errno;
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
	uint64_t pages = 0;

	/* The counters of processors are summed one after the other: a difference below 0 is none. */
	if (mr_host_lines(host, "/proc/vmstat", take_line, &counts) || !counts.acquired.known ||
	    !counts.released.known)
		return bytes;
	if (counts.acquired.value > counts.released.value)
		pages = counts.acquired.value - counts.released.value;
	bytes.known = !__builtin_mul_overflow(pages, (uint64_t)sysconf(_SC_PAGESIZE), &bytes.value);
	return bytes;
}
