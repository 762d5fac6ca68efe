// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/host/uverbs_node.h"

#define DEVICES "/sys/class/infiniband"
#define NODES   "/sys/class/infiniband_verbs"

bool mr_uverbs_node_read(struct mr_host *host, const char *name, struct mr_uverbs_node *node)
{
	char number[32];

	snprintf(node->path, sizeof(node->path), MR_UVERBS_NODES "%s", name);
	return mr_host_line(host, node->device, sizeof(node->device), NODES "/%s/ibdev", name) &&
	       mr_host_line(host, number, sizeof(number), NODES "/%s/dev", name) &&
	       sscanf(number, "%u:%u", &node->major, &node->minor) == 2;
}

struct node_search {
	struct mr_host *host;
	const char *device; /* NULL: any */
	struct mr_uverbs_node *node;
	bool found;
};

static void take_node(const char *name, void *data)
{
	struct node_search *search = data;

	search->found = search->found ||
			(mr_uverbs_node_read(search->host, name, search->node) &&
			 (!search->device || !strcmp(search->device, search->node->device)));
}

int mr_uverbs_node_find(struct mr_host *host, const char *device, struct mr_uverbs_node *node)
{
	struct node_search search = { .host = host, .device = device, .node = node };
	const int rc = mr_host_list(host, take_node, &search, NODES);

	return rc < 0 ? rc : search.found;
}

struct name_search {
	const char *end;
	char *name;
	size_t size;
	bool found;
};

static void take_name(const char *name, void *data)
{
	struct name_search *search = data;
	const size_t length = strlen(name), end = strlen(search->end);

	if (search->found || length < end || strcmp(name + length - end, search->end) != 0)
		return;
	snprintf(search->name, search->size, "%s", name);
	search->found = true;
}

bool mr_folder_find(struct mr_host *host, const char *path, const char *end, char *name,
		    size_t size)
{
	struct name_search search = { .end = end, .name = name, .size = size };

	mr_host_list(host, take_name, &search, "%s", path);
	return search.found;
}

/* The class of devices in sysfs shows those of this network namespace only. */
bool mr_rdma_device_is_in_namespace(struct mr_host *host, const char *device)
{
	struct mr_host_status ignored;

	return mr_host_stat(host, &ignored, DEVICES "/%s", device) != -ENOENT;
}

/* The parameter of ib_core is what "rdma system set netns" sets: N means exclusive. */
bool mr_rdma_namespaces_are_exclusive(struct mr_host *host)
{
	char line[8];

	return mr_host_line(host, line, sizeof(line),
			    "/sys/module/ib_core/parameters/netns_mode") &&
	       line[0] == 'N';
}

bool mr_rdma_device_find(struct mr_host *host, const char *name, char *device, size_t size)
{
	if (!name)
		return mr_folder_find(host, DEVICES, "", device, size);
	snprintf(device, size, "%s", name);
	return name[0] && !strchr(name, '/') && mr_host_exists(host, DEVICES "/%s", name);
}
