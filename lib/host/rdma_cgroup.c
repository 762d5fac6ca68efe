// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/base.h"
#include "lib/host/rdma_cgroup.h"

const char *const mr_rdma_resources[MR_RDMA_RESOURCES] = {
	[MR_RDMA_HANDLE] = "hca_handle",
	[MR_RDMA_OBJECT] = "hca_object",
};

/* A file with lines "mlx5_0 hca_handle=2 hca_object=max". */
struct reading {
	struct mr_rdma_pools *pools;
	size_t offset; /* of the array in struct mr_rdma_pool that the file fills */
};

static struct mr_rdma_pool *find_pool(struct mr_rdma_pools *pools, const char *device)
{
	for (size_t i = 0; i < pools->count; i++)
		if (!strcmp(pools->pools[i].device, device))
			return &pools->pools[i];
	if (pools->count == MR_RDMA_POOLS)
		return NULL;
	strcpy(pools->pools[pools->count].device, device);
	return &pools->pools[pools->count++];
}

static struct mr_opt_u64 find_figure(const char *line, const char *resource)
{
	const char *found = strstr(line, resource);
	struct mr_opt_u64 figure = { 0 };

	if (!found || found[strlen(resource)] != '=')
		return figure;
	found += strlen(resource) + 1;
	if (!strncmp(found, "max", 3))
		return (struct mr_opt_u64){ UINT64_MAX, true };
	figure.known =
		*found >= '0' && *found <= '9' && sscanf(found, "%" SCNu64, &figure.value) == 1;
	return figure;
}

static bool take_line(const char *line, void *data)
{
	const struct reading *reading = data;
	struct mr_rdma_pool *pool;
	struct mr_opt_u64 *figures;
	char device[sizeof(pool->device)];

	if (sscanf(line, "%63s", device) != 1)
		return false;
	mr_clean_text(device, sizeof(device));
	pool = find_pool(reading->pools, device);
	if (!pool)
		return false;
	figures = (void *)((char *)pool + reading->offset);
	for (int i = 0; i < MR_RDMA_RESOURCES; i++)
		figures[i] = find_figure(line, mr_rdma_resources[i]);
	return true;
}

static int read_file(struct mr_host *host, const struct mr_cgroup *group, const char *file,
		     struct reading reading)
{
	char path[2 * PATH_MAX + 16];

	snprintf(path, sizeof(path), "%s%s/%s", group->mount, group->path, file);
	return mr_host_lines(host, path, take_line, &reading);
}

/* Where the use cannot be read, it is not known. */
int mr_rdma_pools_read(struct mr_host *host, const struct mr_cgroup *group,
		       struct mr_rdma_pools *pools)
{
	struct reading reading = { .offset = offsetof(struct mr_rdma_pool, max) };
	int rc;

	memset(pools, 0, sizeof(*pools));
	reading.pools = pools;
	rc = read_file(host, group, "rdma.max", reading);
	reading.offset = offsetof(struct mr_rdma_pool, used);
	if (!rc)
		read_file(host, group, "rdma.current", reading);
	return rc;
}
