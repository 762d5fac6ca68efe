// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <argz.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/host.h"

#define KIB(name, member) MR_FIGURE(struct mr_meminfo, name ":", member, .shift = 10)

static const struct mr_figure meminfo_figures[] = {
	KIB("MemTotal", total),
	KIB("MemFree", free),
	KIB("MemAvailable", available),
	KIB("SwapFree", swap_free),
	KIB("CommitLimit", commit_limit),
	KIB("Committed_AS", committed),
	KIB("CmaTotal", cma_total),
	KIB("CmaFree", cma_free),
	KIB("SwapTotal", swap_total),
	KIB("Hugepagesize", huge_page_size),
	KIB("HardwareCorrupted", corrupted),
	{ .name = NULL },
};

int mr_meminfo_read(struct mr_host *host, struct mr_meminfo *info)
{
	*info = (struct mr_meminfo){ 0 };
	return mr_host_figures(host, meminfo_figures, info, "/proc/meminfo");
}

#define FIGURE(file) mr_host_opt_number(host, "%s/%s/" file, folder, name)

int mr_huge_pools_read(struct mr_host *host, const char *node, struct mr_huge_pools *pools)
{
	char folder[PATH_MAX] = "/sys/kernel/mm/hugepages", rest;
	mr_auto_free char *names = NULL;
	uint64_t kib;
	size_t size;
	int rc;

	*pools = (struct mr_huge_pools){ .count = 0 };
	if (node &&
	    (size_t)snprintf(folder, sizeof(folder), "/sys/devices/system/node/%s/hugepages",
			     node) >= sizeof(folder))
		return -ENAMETOOLONG;
	rc = mr_host_names(host, &names, &size, "%s", folder);
	for (const char *name = NULL; (name = argz_next(names, size, name));) {
		if (sscanf(name, "hugepages-%" SCNu64 "k%c", &kib, &rest) != 2 || rest != 'B' ||
		    !kib || kib > UINT64_MAX >> 10 || pools->count == MR_HUGE_POOLS)
			continue;
		pools->pools[pools->count++] = (struct mr_huge_pool){
			.size = kib << 10,
			.total = FIGURE("nr_hugepages"),
			.free = FIGURE("free_hugepages"),
			.reserved = FIGURE("resv_hugepages"),
			.surplus = FIGURE("surplus_hugepages"),
			.overcommit = FIGURE("nr_overcommit_hugepages"),
		};
	}
	return rc < 0 ? rc : 0;
}

const struct mr_huge_pool *mr_huge_pools_find(const struct mr_huge_pools *pools, uint64_t size)
{
	for (size_t i = 0; i < pools->count; i++)
		if (pools->pools[i].size == size)
			return &pools->pools[i];
	return NULL;
}

/* How much more the first is; 0 where it is not. */
static uint64_t difference(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

struct mr_opt_u64 mr_huge_pool_room(const struct mr_huge_pool *pool)
{
	uint64_t room, more;

	if (!pool->free.known || !pool->reserved.known || !pool->surplus.known ||
	    !pool->overcommit.known)
		return (struct mr_opt_u64){ 0 };
	room = difference(pool->free.value, pool->reserved.value);
	more = difference(pool->overcommit.value, pool->surplus.value);
	return (struct mr_opt_u64){ mr_sum(room, more), true };
}

uint64_t mr_huge_pools_bytes(const struct mr_huge_pools *pools, bool only_room)
{
	uint64_t sum = 0, bytes;

	for (size_t i = 0; i < pools->count; i++) {
		const struct mr_huge_pool *pool = &pools->pools[i];
		const struct mr_opt_u64 pages = only_room ? mr_huge_pool_room(pool) : pool->total;

		if (__builtin_mul_overflow(pages.value, pool->size, &bytes))
			return UINT64_MAX;
		sum = mr_sum(sum, bytes);
	}
	return sum;
}

uint64_t mr_huge_page_default(struct mr_host *host)
{
	struct mr_meminfo info;

	mr_meminfo_read(host, &info);
	return info.huge_page_size.known ? info.huge_page_size.value : 0;
}

int mr_thp_mode(struct mr_host *host, char *mode, size_t size)
{
	static const char *const modes[] = { "always", "madvise", "never" };
	char text[128];
	const ssize_t got = mr_host_read(host, text, sizeof(text),
					 "/sys/kernel/mm/transparent_hugepage/enabled");
	const char *begin = got > 0 ? strchr(text, '[') : NULL;

	mode[0] = '\0';
	if (got < 0)
		return (int)got;
	for (size_t i = 0; begin && i < sizeof(modes) / sizeof(*modes); i++) {
		const size_t length = strlen(modes[i]);

		if (!strncmp(begin + 1, modes[i], length) && begin[1 + length] == ']')
			return snprintf(mode, size, "%s", modes[i]) < 0 ? -EINVAL : 0;
	}
	return -EINVAL;
}

static void take_least(struct mr_available *available, uint64_t limit, uint64_t used,
		       const char *by)
{
	const uint64_t left = difference(limit, used);

	if (left >= available->bytes)
		return;
	available->bytes = left;
	available->by = by;
}

int mr_available_read(struct mr_host *host, struct mr_available *available)
{
	struct mr_process_status self;
	struct mr_memory_group used;
	struct mr_rlimit limit;
	struct mr_cgroup group;
	struct mr_meminfo memory;
	int rc = mr_meminfo_read(host, &memory);

	if (rc)
		return rc;
	if (!memory.available.known)
		return -ENODATA;
	*available = (struct mr_available){ memory.available.value, "MemAvailable" };
	for (bool is_group = !mr_cgroup_find(host, "memory", &group); is_group;
	     is_group = mr_cgroup_up(&group)) {
		if (!mr_memory_group_read(host, &group, &used) || !used.used.known)
			continue;
		if (used.high.known && used.high.value != UINT64_MAX)
			take_least(available, used.high.value, used.used.value, "memory.high");
		if (used.max.value != UINT64_MAX)
			take_least(available, used.max.value, used.used.value, "memory.max");
	}
	if (!mr_rlimit_read(host, "self", "Max address space", &limit) &&
	    limit.soft != UINT64_MAX && !mr_process_status_read(host, "self", &self) &&
	    self.mapped.known)
		take_least(available, limit.soft, self.mapped.value, "RLIMIT_AS");
	return 0;
}

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
		WRITE(reason->remedy, "%s",
		      "request fewer: this host does not have that much "
		      "memory");
		return true;
	}
	WRITE(reason->text,
	      "%" PRIu64 " huge page%s of %" PRIu64 " KiB requested; %" PRIu64 " free (%" PRIu64
	      " reserved), %" PRIu64 " overcommit",
	      wanted, wanted == 1 ? "" : "s", s->huge_size >> 10, pool->free.value,
	      pool->reserved.value, difference(pool->overcommit.value, pool->surplus.value));
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
	      " KiB, has %" PRIu64 ", and %" PRIu64 " more were requested",
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
	WRITE(reason->remedy, "raise the limit (ulimit -%c)", of->letter);
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
		      "vm.overcommit_memory is 2: this machine commits at most %" PRIu64
		      " bytes (CommitLimit in /proc/meminfo), and has committed %" PRIu64,
		      info.commit_limit.value, info.committed.value);
		WRITE(reason->remedy, "%s",
		      "raise vm.overcommit_ratio, or set vm.overcommit_memory to 0");
		return MR_SHORTAGE_COMMIT;
	}
	if (mode == 0 && info.total.known && s->length > info.total.value + info.swap_total.value) {
		WRITE(reason->text,
		      "this machine has %" PRIu64 " bytes of memory and %" PRIu64
		      " of swap, and with vm.overcommit_memory 0 no mapping is larger",
		      info.total.value, info.swap_total.value);
		WRITE(reason->remedy, "%s", "map less memory");
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

enum { SMALLEST = 4 << 10, LARGEST = 256 << 10 };

static int query_library(const struct mr_host *host, void *data, char *text, size_t size)
{
	(void)host;
	(void)data;
	snprintf(text, size, "%d", getpagesize());
	return 0;
}

uint64_t mr_page_size(struct mr_host *host)
{
	struct mr_error ignored;
	char answer[24];
	uint64_t bytes;

	if (mr_host_query(host, query_library, NULL, answer, sizeof(answer), "page-size") ||
	    mr_parse_u64(answer, LARGEST, &bytes, &ignored) || bytes < SMALLEST ||
	    bytes & (bytes - 1))
		return SMALLEST;
	return bytes;
}

struct counts {
	struct mr_opt_u64 acquired, released;
};

static const struct mr_figure pin_figures[] = {
	MR_FIGURE(struct counts, "nr_foll_pin_acquired ", acquired),
	MR_FIGURE(struct counts, "nr_foll_pin_released ", released),
	{ .name = NULL },
};

struct mr_opt_u64 mr_pinned_pages(struct mr_host *host)
{
	struct mr_opt_u64 bytes = { 0, false };
	struct counts counts = { .acquired = { 0, false } };
	uint64_t pages;

	/* The counters of processors are summed one after the other: a difference below 0 is none. */
	if (mr_host_figures(host, pin_figures, &counts, "/proc/vmstat") || !counts.acquired.known ||
	    !counts.released.known)
		return bytes;
	pages = difference(counts.acquired.value, counts.released.value);
	bytes.known = !__builtin_mul_overflow(pages, (uint64_t)sysconf(_SC_PAGESIZE), &bytes.value);
	return bytes;
}
