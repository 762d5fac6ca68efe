// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/host/descriptors.h"
#include "lib/host/rlimit.h"

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

struct count {
	uint64_t limit, below; /* open descriptors with numbers below it */
};

static void count_descriptor(const char *name, void *data)
{
	struct count *count = data;

	count->below += strtoull(name, NULL, 10) < count->limit;
}

/* A file gets the lowest number that is free, which must be below the limit (fs/file.c alloc_fd()). */
static int count_free(const struct mr_host *process, char *text, size_t size)
{
	struct mr_host host = mr_host_unrecorded(process);
	struct mr_rlimit limit;
	struct count count = { .below = 0 };
	int rc = mr_rlimit_read(&host, "self", "Max open files", &limit);

	if (rc)
		return rc;
	count.limit = limit.soft;
	rc = mr_host_list(&host, count_descriptor, &count, "/proc/self/fd");
	if (rc < 0)
		return rc;
	snprintf(text, size, "error=%d limit=%" PRIu64,
		 count.limit - count.below < MR_LIBIBVERBS_DESCRIPTORS ? EMFILE : 0, count.limit);
	return 0;
}

static int answer(void *data, char *text, size_t size)
{
	const struct mr_host *host = data;
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

	if (host->process)
		return count_free(host, text, size);
	getrlimit(RLIMIT_NOFILE, &limit);
	snprintf(text, size, "error=%d limit=%" PRIu64, try_to_open(), (uint64_t)limit.rlim_cur);
	return 0;
}

int mr_descriptors_try(struct mr_host *host, struct mr_descriptors *descriptors)
{
	char text[64];
	int rc = mr_host_ask(host, "descriptors", answer, host, text, sizeof(text));

	if (!rc &&
	    sscanf(text, "error=%d limit=%" SCNu64, &descriptors->error, &descriptors->limit) != 2)
		rc = -EINVAL;
	return rc;
}
