// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/host/cgroup.h"
#include "lib/host/memlock.h"
#include "lib/host/namespaces.h"

/* Ancestors that are looked at: a recording may have parents that lead in a circle. */
#define ANCESTORS  256

#define LIMIT_NAME "Max locked memory"

struct found {
	struct mr_memlock limit;
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

	if (strncmp(line, LIMIT_NAME, strlen(LIMIT_NAME)) != 0)
		return false;
	line += strlen(LIMIT_NAME);
	found->is_found =
		read_value(&line, &found->limit.soft) && read_value(&line, &found->limit.hard);
	return true;
}

int mr_memlock_read(struct mr_host *host, const char *process, struct mr_memlock *limit)
{
	struct found found = { 0 };
	char path[PATH_MAX];
	int rc;

	snprintf(path, sizeof(path), "/proc/%s/limits", process);
	rc = mr_host_lines(host, path, take_line, &found);
	*limit = found.limit;
	if (rc)
		return rc;
	return found.is_found ? 0 : -EINVAL;
}

/* Reads the parent of the process that @origin is.  Return: whether it has the same limit. */
static bool is_inherited(struct mr_host *host, const struct mr_memlock *limit,
			 struct mr_memlock_origin *origin, struct mr_process_status *parent)
{
	char number[32];

	snprintf(number, sizeof(number), "%" PRIu64, origin->parent_pid);
	if (mr_process_status_read(host, number, parent) || !parent->parent.known ||
	    mr_memlock_read(host, number, &origin->parents))
		origin->trace = MR_MEMLOCK_HIDDEN;
	else if (origin->parents.soft != limit->soft)
		origin->trace = MR_MEMLOCK_SET;
	else
		return true;
	memcpy(origin->parent, parent->name, sizeof(origin->parent));
	return false;
}

static void set_process(struct mr_memlock_origin *origin, uint64_t pid,
			const struct mr_process_status *status)
{
	origin->pid = pid;
	memcpy(origin->name, status->name, sizeof(origin->name));
	origin->parent_pid = status->parent.value;
}

int mr_memlock_trace(struct mr_host *host, const struct mr_memlock *limit,
		     struct mr_memlock_origin *origin)
{
	struct mr_process_status status;
	char number[32] = "self";
	int rc = mr_process_status_read(host, number, &status);

	*origin = (struct mr_memlock_origin){ .trace = MR_MEMLOCK_FROM_START };
	if (rc)
		return rc;
	if (!status.parent.known)
		return -EINVAL;
	set_process(origin, 0, &status);
	for (int i = 0; i < ANCESTORS && origin->parent_pid; i++) {
		if (!is_inherited(host, limit, origin, &status))
			break;
		set_process(origin, origin->parent_pid, &status);
	}
	if (origin->pid)
		snprintf(number, sizeof(number), "%" PRIu64, origin->pid);
	mr_cgroup_unit(host, number, origin->unit, sizeof(origin->unit));
	return 0;
}

enum mr_tristate mr_memlock_is_lifted(struct mr_host *host)
{
	struct mr_process_status status;

	if (mr_process_status_read(host, "self", &status) || !status.effective.known)
		return MR_UNKNOWN;
	if (!(status.effective.value & MR_CAP_IPC_LOCK))
		return MR_NO;
	return mr_namespace_is_first(host, "user");
}
