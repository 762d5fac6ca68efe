// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/process_start.h"

/* The field, where the first one behind the name is number 3. */
#define START_FIELD 22

struct mr_opt_u64 mr_process_start(struct mr_host *host, const char *process)
{
	struct mr_opt_u64 start = { 0, false };
	char text[1024], *field, *end;

	if (mr_host_read(host, text, sizeof(text), "/proc/%s/stat", process) <= 0)
		return start;
	/* The name, field 2, is in parentheses, and may have some itself, and blanks. */
	field = strrchr(text, ')');
	for (int n = 2; field && n < START_FIELD; n++) {
		field = strchr(field, ' ');
		field = field ? field + 1 : NULL;
	}
	if (!field || !isdigit((unsigned char)*field))
		return start;
	errno = 0;
	start.value = strtoull(field, &end, 10);
	start.known = *end == ' ' && !errno;
	return start;
}

uint64_t mr_process_ticks(void)
{
	const uint64_t ns = mr_clock_ns(CLOCK_BOOTTIME);

	/* As nsec_to_clock_t() of the kernel's kernel/time/time.c: the last tick counts. */
	return ns / (UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK));
}
