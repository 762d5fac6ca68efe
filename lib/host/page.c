// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/page.h"

enum { SMALLEST = 4 << 10, LARGEST = 256 << 10 };

static int ask_library(void *data, char *text, size_t size)
{
	(void)data;
	snprintf(text, size, "%d", getpagesize());
	return 0;
}

uint64_t mr_page_size(struct mr_host *host)
{
	struct mr_error ignored;
	char answer[24];
	uint64_t bytes;

	if (mr_host_ask(host, "page-size", ask_library, NULL, answer, sizeof(answer)) ||
	    mr_parse_u64(answer, LARGEST, &bytes, &ignored) || bytes < SMALLEST ||
	    bytes & (bytes - 1))
		return SMALLEST;
	return bytes;
}
