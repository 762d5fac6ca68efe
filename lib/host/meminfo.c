// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "lib/host/meminfo.h"

struct meminfo_line {
	const char *name;
	size_t offset; /* of its member */
};

#define LINE(name, member)                                                                         \
	{                                                                                          \
		name ":", offsetof(struct mr_meminfo, member)                                      \
	}

static const struct meminfo_line lines[] = {
	LINE("MemTotal", total),
	LINE("MemFree", free),
	LINE("MemAvailable", available),
	LINE("SwapFree", swap_free),
	LINE("CommitLimit", commit_limit),
	LINE("Committed_AS", committed),
	LINE("CmaTotal", cma_total),
	LINE("CmaFree", cma_free),
	LINE("SwapTotal", swap_total),
	LINE("Hugepagesize", huge_page_size),
	LINE("HardwareCorrupted", corrupted),
};

/* Reads "   1234 kB" as bytes; false where it is no such thing. */
static bool read_kib(const char *text, uint64_t *bytes)
{
	char *end;
	uint64_t kib;

	text += strspn(text, " \t");
	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	kib = strtoull(text, &end, 10);
	if (errno || kib > UINT64_MAX >> 10 || strcmp(end, " kB") != 0)
		return false;
	*bytes = kib << 10;
	return true;
}

static bool take_line(const char *text, void *data)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		const size_t length = strlen(lines[i].name);
		struct mr_opt_u64 *member = (void *)((char *)data + lines[i].offset);

		if (!strncmp(text, lines[i].name, length)) {
			member->known = read_kib(text + length, &member->value);
			return true;
		}
	}
	return false;
}

int mr_meminfo_read(struct mr_host *host, struct mr_meminfo *info)
{
	*info = (struct mr_meminfo){ 0 };
	return mr_host_lines(host, "/proc/meminfo", take_line, info);
}
