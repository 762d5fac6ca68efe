// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/host/rlimit.h"

struct found {
	const char *name;
	struct mr_rlimit limit;
	bool is_found;
};

/* Reads "8388608" or "unlimited", and moves @text behind it. */
static bool read_value(const char **text, uint64_t *value)
{
	static const char unlimited[] = "unlimited";
	char *end;

	*text += strspn(*text, " \t");
	if (!strncmp(*text, unlimited, strlen(unlimited))) {
		*text += strlen(unlimited);
		*value = UINT64_MAX;
		return true;
	}
	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	*value = strtoull(*text, &end, 10);
	*text = end;
	return !errno;
}

static bool take_line(const char *line, void *data)
{
	struct found *found = data;
	const size_t length = strlen(found->name);

	if (strncmp(line, found->name, length) != 0)
		return false;
	line += length;
	found->is_found =
		read_value(&line, &found->limit.soft) && read_value(&line, &found->limit.hard);
	return true;
}

int mr_rlimit_read(struct mr_host *host, const char *process, const char *name,
		   struct mr_rlimit *limit)
{
	struct found found = { .name = name };
	char path[PATH_MAX];
	int rc;

	snprintf(path, sizeof(path), "/proc/%s/limits", process);
	rc = mr_host_lines(host, path, take_line, &found);
	*limit = found.limit;
	if (rc)
		return rc;
	return found.is_found ? 0 : -EINVAL;
}
