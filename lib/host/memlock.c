// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/base.h"
#include "lib/host/cgroup.h"
#include "lib/host/memlock.h"
#include "lib/host/namespaces.h"
#include "lib/host/rlimit.h"

/* Ancestors that are looked at: a recording may have parents that lead in a circle. */
#define ANCESTORS 256

int mr_memlock_read(struct mr_host *host, const char *process, struct mr_memlock *limit)
{
	struct mr_rlimit found;
	int rc = mr_rlimit_read(host, process, "Max locked memory", &found);

	*limit = (struct mr_memlock){ found.soft, found.hard };
	return rc;
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
	if (mr_limits_have_memlock() && host->recording < 0 && !host->process) {
		origin->trace = MR_MEMLOCK_OWN;
		return 0;
	}
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
