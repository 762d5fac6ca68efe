// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/host/sysfs.h"
#include "lib/host/uverbs_node.h"

bool mr_uverbs_node_read(const char *name, struct mr_uverbs_node *node)
{
	char path[PATH_MAX], number[32];

	snprintf(node->path, sizeof(node->path), MR_UVERBS_NODES "%s", name);
	mr_sysfs_path(path, sizeof(path), "class/infiniband_verbs/%s/ibdev", name);
	if (!mr_read_line(path, node->device, sizeof(node->device)))
		return false;
	mr_sysfs_path(path, sizeof(path), "class/infiniband_verbs/%s/dev", name);
	return mr_read_line(path, number, sizeof(number)) &&
	       sscanf(number, "%u:%u", &node->major, &node->minor) == 2;
}

static void close_folder(DIR **folder)
{
	if (*folder)
		closedir(*folder);
}

int mr_uverbs_node_find(const char *device, struct mr_uverbs_node *node)
{
	__attribute__((cleanup(close_folder))) DIR *folder = NULL;
	const struct dirent *entry;
	char path[PATH_MAX];

	mr_sysfs_path(path, sizeof(path), "class/infiniband_verbs");
	folder = opendir(path);
	if (!folder)
		return -errno;
	while ((entry = readdir(folder)))
		if (entry->d_name[0] != '.' && mr_uverbs_node_read(entry->d_name, node) &&
		    (!device || !strcmp(device, node->device)))
			return 1;
	return 0;
}

bool mr_folder_find(const char *path, const char *end, char *name, size_t size)
{
	__attribute__((cleanup(close_folder))) DIR *folder = opendir(path);
	const struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		size_t length = strlen(entry->d_name);

		if (entry->d_name[0] == '.' || length < strlen(end) ||
		    strcmp(entry->d_name + length - strlen(end), end) != 0)
			continue;
		snprintf(name, size, "%s", entry->d_name);
		return true;
	}
	return false;
}

/* The class of devices in sysfs shows those of this network namespace only. */
bool mr_rdma_device_is_in_namespace(const char *device)
{
	char path[PATH_MAX];

	mr_sysfs_path(path, sizeof(path), "class/infiniband/%s", device);
	return !access(path, F_OK) || errno != ENOENT;
}

/* The parameter of ib_core is what "rdma system set netns" sets: N means exclusive. */
bool mr_rdma_namespaces_are_exclusive(void)
{
	char path[PATH_MAX], line[8];

	mr_sysfs_path(path, sizeof(path), "module/ib_core/parameters/netns_mode");
	return mr_read_line(path, line, sizeof(line)) && line[0] == 'N';
}

bool mr_rdma_device_find(const char *name, char *device, size_t size)
{
	char path[PATH_MAX];

	mr_sysfs_path(path, sizeof(path), "class/infiniband");
	if (!name)
		return mr_folder_find(path, "", device, size);
	snprintf(device, size, "%s", name);
	mr_sysfs_path(path, sizeof(path), "class/infiniband/%s", name);
	return name[0] && !strchr(name, '/') && !access(path, F_OK);
}
