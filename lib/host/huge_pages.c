// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "lib/host/huge_pages.h"
#include "lib/host/meminfo.h"

struct pool_search {
	struct mr_host *host;
	const char *folder;
	struct mr_huge_pools *pools;
};

static struct mr_opt_u64 read_figure(const struct pool_search *search, const char *pool,
				     const char *file)
{
	struct mr_opt_u64 figure = { 0 };

	figure.known =
		mr_host_number(search->host, &figure.value, "%s/%s/%s", search->folder, pool, file);
	return figure;
}

static void take_pool(const char *name, void *data)
{
	const struct pool_search *search = data;
	struct mr_huge_pools *pools = search->pools;
	uint64_t kib;
	char rest;

	if (sscanf(name, "hugepages-%" SCNu64 "k%c", &kib, &rest) != 2 || rest != 'B' || !kib ||
	    kib > UINT64_MAX >> 10 || pools->count == MR_HUGE_POOLS)
		return;
	pools->pools[pools->count++] = (struct mr_huge_pool){
		.size = kib << 10,
		.total = read_figure(search, name, "nr_hugepages"),
		.free = read_figure(search, name, "free_hugepages"),
		.reserved = read_figure(search, name, "resv_hugepages"),
		.surplus = read_figure(search, name, "surplus_hugepages"),
		.overcommit = read_figure(search, name, "nr_overcommit_hugepages"),
	};
}

int mr_huge_pools_read(struct mr_host *host, const char *node, struct mr_huge_pools *pools)
{
	char folder[PATH_MAX] = "/sys/kernel/mm/hugepages";
	struct pool_search search = { .host = host, .folder = folder };
	int rc;

	*pools = (struct mr_huge_pools){ .count = 0 };
	search.pools = pools;
	if (node &&
	    (size_t)snprintf(folder, sizeof(folder), "/sys/devices/system/node/%s/hugepages",
			     node) >= sizeof(folder))
		return -ENAMETOOLONG;
	rc = mr_host_list(host, take_pool, &search, "%s", folder);
	return rc < 0 ? rc : 0;
}

const struct mr_huge_pool *mr_huge_pools_find(const struct mr_huge_pools *pools, uint64_t size)
{
	for (size_t i = 0; i < pools->count; i++)
		if (pools->pools[i].size == size)
			return &pools->pools[i];
	return NULL;
}

struct mr_opt_u64 mr_huge_pool_room(const struct mr_huge_pool *pool)
{
	uint64_t room, more;

	if (!pool->free.known || !pool->reserved.known || !pool->surplus.known ||
	    !pool->overcommit.known)
		return (struct mr_opt_u64){ 0 };
	room = pool->free.value > pool->reserved.value ? pool->free.value - pool->reserved.value
						       : 0;
	more = pool->overcommit.value > pool->surplus.value
		       ? pool->overcommit.value - pool->surplus.value
		       : 0;
	return (struct mr_opt_u64){ room > UINT64_MAX - more ? UINT64_MAX : room + more, true };
}

static struct mr_opt_u64 pages_in_all(const struct mr_huge_pool *pool)
{
	return pool->total;
}

/* Bytes of all pools, of each as many pages as @pages counts; what is not known is 0. */
static uint64_t sum_bytes(const struct mr_huge_pools *pools,
			  struct mr_opt_u64 (*pages)(const struct mr_huge_pool *pool))
{
	uint64_t sum = 0, bytes;

	for (size_t i = 0; i < pools->count; i++)
		if (__builtin_mul_overflow(pages(&pools->pools[i]).value, pools->pools[i].size,
					   &bytes) ||
		    __builtin_add_overflow(sum, bytes, &sum))
			return UINT64_MAX;
	return sum;
}

uint64_t mr_huge_pools_total(const struct mr_huge_pools *pools)
{
	return sum_bytes(pools, pages_in_all);
}

uint64_t mr_huge_pools_room(const struct mr_huge_pools *pools)
{
	return sum_bytes(pools, mr_huge_pool_room);
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
