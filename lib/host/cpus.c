// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <string.h>

#include "lib/base/base.h"
#include "lib/host/cpus.h"

static bool take_line(const char *line, void *data)
{
	static const char name[] = "Cpus_allowed_list:";
	struct mr_cpus *cpus = data;
	const char *list = line + strlen(name);

	if (strncmp(line, name, strlen(name)) != 0)
		return false;
	list += strspn(list, " \t");
	if (strlen(list) < sizeof(cpus->allowed))
		snprintf(cpus->allowed, sizeof(cpus->allowed), "%s", list);
	return true;
}

void mr_cpus_read(struct mr_host *host, struct mr_cpus *cpus)
{
	*cpus = (struct mr_cpus){ .possible = "" };
	/* a line that fills the room may have been cut */
	if (!mr_host_line(host, cpus->possible, sizeof(cpus->possible),
			  "/sys/devices/system/cpu/possible") ||
	    strlen(cpus->possible) == sizeof(cpus->possible) - 1)
		cpus->possible[0] = '\0';
	if (mr_host_lines(host, "/proc/thread-self/status", take_line, cpus))
		cpus->allowed[0] = '\0';
}

/* One item of a list: "3" or "0-3". */
static bool read_item(const char *item, size_t length, uint64_t *first, uint64_t *last)
{
	const char *dash = memchr(item, '-', length);
	const size_t digits = dash ? (size_t)(dash - item) : length;
	struct mr_error ignored;

	if (mr_parse_u64_item(item, digits, UINT32_MAX, first, &ignored))
		return false;
	*last = *first;
	return !dash ||
	       !mr_parse_u64_item(dash + 1, length - digits - 1, UINT32_MAX, last, &ignored);
}

/* Return: false where it is no list.  @has: whether it has @cpu; @above: whether it has that or a higher one. */
static bool search(const char *list, uint64_t cpu, bool *has, bool *above)
{
	const char *rest = list, *item;
	size_t length;

	*has = *above = false;
	while ((item = mr_list_item(&rest, ",", &length))) {
		uint64_t first, last;

		if (!read_item(item, length, &first, &last))
			return false;
		*has |= first <= cpu && cpu <= last;
		*above |= last >= cpu;
	}
	return true;
}

enum mr_tristate mr_cpu_list_has(const char *list, uint64_t cpu)
{
	bool has, above;

	if (!search(list, cpu, &has, &above))
		return MR_UNKNOWN;
	return has ? MR_YES : MR_NO;
}

enum mr_tristate mr_cpu_list_ends_before(const char *list, uint64_t cpu)
{
	bool has, above;

	if (!search(list, cpu, &has, &above))
		return MR_UNKNOWN;
	return above ? MR_NO : MR_YES;
}
