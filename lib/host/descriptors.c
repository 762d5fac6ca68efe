// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/host/descriptors.h"

/* Return: 0, or the errno of open(). */
static int try_to_open(void)
{
	int fds[MR_LIBIBVERBS_DESCRIPTORS], opened = 0, rc = 0;

	while (!rc && opened < MR_LIBIBVERBS_DESCRIPTORS) {
		fds[opened] = open("/", O_PATH | O_CLOEXEC);
		if (fds[opened] < 0)
			rc = errno;
		else
			opened++;
	}
	while (opened-- > 0)
		close(fds[opened]);
	return rc;
}

static int answer(void *data, char *text, size_t size)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

	(void)data;
	getrlimit(RLIMIT_NOFILE, &limit);
	snprintf(text, size, "error=%d limit=%" PRIu64, try_to_open(), (uint64_t)limit.rlim_cur);
	return 0;
}

int mr_descriptors_try(struct mr_host *host, struct mr_descriptors *descriptors)
{
	char text[64];
	int rc = mr_host_ask(host, "descriptors", answer, NULL, text, sizeof(text));

	if (!rc &&
	    sscanf(text, "error=%d limit=%" SCNu64, &descriptors->error, &descriptors->limit) != 2)
		rc = -EINVAL;
	return rc;
}
