// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdio.h>

#include "lib/host/huge_pages.h"
#include "lib/host/memory_cgroup.h"
#include "lib/host/meminfo.h"
#include "lib/host/process_status.h"
#include "lib/host/rlimit.h"
#include "lib/host/shortage.h"

#define WRITE(text, ...) snprintf(text, sizeof(text), __VA_ARGS__)

/* Whether @used + @length > @limit; the sum itself may overflow. */
static bool exceeds(uint64_t used, uint64_t length, uint64_t limit)
{
	return used > limit || length > limit - used;
}

/* ---- huge pages ---- */

/* Return: false where the pool has enough pages, or its figures cannot be read. */
static bool find_short_pool(const struct mr_shortage *s, struct mr_host *host,
			    struct mr_shortage_reason *reason)
{
	const uint64_t wanted = s->length / s->huge_size + (s->length % s->huge_size != 0);
	const struct mr_huge_pool *pool;
	struct mr_huge_pools pools;
	struct mr_meminfo memory;
	struct mr_opt_u64 room;
	uint64_t overcommit, surplus;

	mr_huge_pools_read(host, NULL, &pools);
	pool = mr_huge_pools_find(&pools, s->huge_size);
	if (!pool)
		return false;
	room = mr_huge_pool_room(pool);
	if (!room.known || wanted <= room.value)
		return false;
	if (!mr_meminfo_read(host, &memory) && memory.total.known &&
	    s->length > memory.total.value) {
		WRITE(reason->text,
		      "%" PRIu64 " huge pages of %" PRIu64 " KiB requested; this host has %" PRIu64
		      " KiB of memory (MemTotal)",
		      wanted, s->huge_size >> 10, memory.total.value >> 10);
		WRITE(reason->remedy, "%s", "request less: this host can never have as many");
		return true;
	}
	overcommit = pool->overcommit.value;
	surplus = pool->surplus.value;
	WRITE(reason->text,
	      "%" PRIu64 " huge page%s of %" PRIu64 " KiB requested; %" PRIu64 " free (%" PRIu64
	      " reserved), %" PRIu64 " overcommit",
	      wanted, wanted == 1 ? "" : "s", s->huge_size >> 10, pool->free.value,
	      pool->reserved.value, overcommit > surplus ? overcommit - surplus : 0);
	WRITE(reason->remedy, "raise /sys/kernel/mm/hugepages/hugepages-%" PRIu64 "kB/nr_hugepages",
	      s->huge_size >> 10);
	return true;
}

/* Names the control group, of this process or above that, that may not reserve as much. */
static bool find_group(const struct mr_shortage *s, struct mr_host *host,
		       struct mr_shortage_reason *reason)
{
	struct mr_huge_limit limit;
	struct mr_cgroup group;

	if (mr_cgroup_find(host, "hugetlb", &group))
		return false;
	while (!mr_huge_limit_read(host, &group, s->huge_size, MR_HUGE_RESERVED, &limit) ||
	       !limit.used.known || limit.max.value == UINT64_MAX ||
	       !exceeds(limit.used.value, s->length, limit.max.value))
		if (!mr_cgroup_up(&group))
			return false;
	WRITE(reason->text,
	      "its control group may reserve %" PRIu64 " bytes in huge pages of %" PRIu64
	      " KiB, has %" PRIu64 ", and %" PRIu64 " more were asked for",
	      limit.max.value, s->huge_size >> 10, limit.used.value, s->length);
	WRITE(reason->remedy, "raise %.100s%.140s/%s", group.mount, group.path, limit.file);
	return true;
}

/* ---- limits of the process and the machine ---- */

/* A limit of the process: its lines in /proc/self/limits and /proc/self/status, its names in C and in a shell. */
struct process_limit {
	const char *line, *use, *name;
	char letter;
};

/* @used: by the process */
static bool find_limit(const struct mr_shortage *s, struct mr_host *host, struct mr_opt_u64 used,
		       const struct process_limit *of, struct mr_shortage_reason *reason)
{
	struct mr_rlimit limit;

	if (mr_rlimit_read(host, "self", of->line, &limit) || limit.soft == UINT64_MAX ||
	    !used.known || !exceeds(used.value, s->length, limit.soft))
		return false;
	WRITE(reason->text,
	      "%s is %" PRIu64 " bytes, and the process has %" PRIu64
	      " already (%s in /proc/self/status)",
	      of->name, limit.soft, used.value, of->use);
	WRITE(reason->remedy, "raise it (ulimit -%c)", of->letter);
	return true;
}

static enum mr_shortage_kind find_overcommit(const struct mr_shortage *s, struct mr_host *host,
					     struct mr_shortage_reason *reason)
{
	struct mr_meminfo info;
	uint64_t mode;

	if (!s->is_private || !mr_host_number(host, &mode, "/proc/sys/vm/overcommit_memory"))
		return MR_SHORTAGE_NONE;
	mr_meminfo_read(host, &info);
	if (mode == 2 && info.commit_limit.known && info.committed.known &&
	    exceeds(info.committed.value, s->length, info.commit_limit.value)) {
		WRITE(reason->text,
		      "vm.overcommit_memory is 2: this machine promises at most %" PRIu64
		      " bytes (CommitLimit in /proc/meminfo), and has promised %" PRIu64,
		      info.commit_limit.value, info.committed.value);
		WRITE(reason->remedy, "%s",
		      "raise vm.overcommit_ratio, or set vm.overcommit_memory to 0");
		return MR_SHORTAGE_COMMIT;
	}
	if (mode == 0 && info.total.known && info.swap_total.known &&
	    s->length > info.total.value + info.swap_total.value) {
		WRITE(reason->text,
		      "this machine has %" PRIu64 " bytes of memory and %" PRIu64
		      " of swap, and with vm.overcommit_memory 0 no mapping is larger",
		      info.total.value, info.swap_total.value);
		WRITE(reason->remedy, "%s", "map less");
		return MR_SHORTAGE_MEMORY;
	}
	return MR_SHORTAGE_NONE;
}

enum mr_shortage_kind mr_shortage_find(const struct mr_shortage *shortage, struct mr_host *host,
				       struct mr_shortage_reason *reason)
{
	static const struct process_limit all = { "Max address space", "VmSize", "RLIMIT_AS", 'v' },
					  data = { "Max data size", "VmData", "RLIMIT_DATA", 'd' };
	struct mr_process_status self;

	mr_process_status_read(host, "self", &self);
	if (find_limit(shortage, host, self.mapped, &all, reason) ||
	    (shortage->is_private && find_limit(shortage, host, self.data, &data, reason)))
		return MR_SHORTAGE_RLIMIT;
	if (!shortage->huge_size)
		return find_overcommit(shortage, host, reason);
	if (find_short_pool(shortage, host, reason))
		return MR_SHORTAGE_HUGE_POOL;
	return find_group(shortage, host, reason) ? MR_SHORTAGE_HUGE_GROUP : MR_SHORTAGE_NONE;
}
