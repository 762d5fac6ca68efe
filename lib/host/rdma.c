// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <argz.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/base.h"
#include "lib/host/host.h"
#include "lib/simulator/spec.h"

#define DEVICES "/sys/class/infiniband"
#define NODES   "/sys/class/infiniband_verbs"

int mr_rdma_device_list(struct mr_host *host, void (*take)(const char *name, void *data),
			void *data)
{
	return mr_host_list(host, take, data, DEVICES);
}

/* Reads a file of the device, or of one of its ports. */
#define READ(host, text, device, name)                                                             \
	mr_host_line(host, text, sizeof(text), DEVICES "/%s/%s", device, name)

/* Removes the number that enumerations have in sysfs: "4: ACTIVE". */
static void strip_number(char *text)
{
	const size_t digits = strspn(text, "0123456789");

	if (digits && !strncmp(text + digits, ": ", 2))
		memmove(text, text + digits + 2, strlen(text + digits + 2) + 1);
}

void mr_rdma_device_read_place(struct mr_host *host, const char *name,
			       struct mr_rdma_device *device)
{
	unsigned int domain, bus, slot, function;
	int used = 0;

	*device = (struct mr_rdma_device){ .name = "" };
	snprintf(device->name, sizeof(device->name), "%s", name);
	mr_host_link_end(host, device->pci_address, sizeof(device->pci_address),
			 DEVICES "/%s/device", name);
	/* "0000:c1:00.0"; the domain may have more digits */
	if (sscanf(device->pci_address, "%x:%2x:%2x.%1x%n", &domain, &bus, &slot, &function,
		   &used) != 4 ||
	    device->pci_address[used])
		device->pci_address[0] = '\0';
	mr_host_link_end(host, device->driver, sizeof(device->driver), DEVICES "/%s/device/driver",
			 name);
	/* -1 means that there is none. */
	device->numa_node = mr_host_opt_number(host, DEVICES "/%s/device/numa_node", name);
	device->fw_pages = mr_host_opt_number(host, DEVICES "/%s/fw_pages", name);
	device->reg_pages = mr_host_opt_number(host, DEVICES "/%s/reg_pages", name);
}

void mr_rdma_device_read(struct mr_host *host, const char *name, struct mr_rdma_device *device)
{
	mr_rdma_device_read_place(host, name, device);
	READ(host, device->firmware, name, "fw_ver");
	READ(host, device->board_id, name, "board_id");
	READ(host, device->hca_type, name, "hca_type");
	READ(host, device->hw_rev, name, "hw_rev");
	READ(host, device->parent, name, "parent");
	if (READ(host, device->node_type, name, "node_type"))
		strip_number(device->node_type);
}

void mr_rdma_device_identify(struct mr_host *host, struct mr_rdma_device *device)
{
	READ(host, device->node_desc, device->name, "node_desc");
	READ(host, device->node_guid, device->name, "node_guid");
	READ(host, device->sys_image_guid, device->name, "sys_image_guid");
}

/* ---- ports ---- */

static int compare_ports(const void *a, const void *b)
{
	const struct mr_rdma_port *left = a, *right = b;

	return (left->number > right->number) - (left->number < right->number);
}

size_t mr_rdma_ports_read(struct mr_host *host, const char *device, struct mr_rdma_port *ports)
{
	mr_auto_free char *names = NULL;
	size_t size, count = 0;
	char *end;

	mr_host_names(host, &names, &size, DEVICES "/%s/ports", device);
	for (const char *name = NULL; (name = argz_next(names, size, name));) {
		const unsigned long number = strtoul(name, &end, 10);

		if (*name >= '1' && *name <= '9' && !*end && number <= MR_RDMA_PORTS &&
		    count < MR_RDMA_PORTS)
			ports[count++] = (struct mr_rdma_port){ .number = (unsigned int)number };
	}
	qsort(ports, count, sizeof(*ports), compare_ports);
	for (size_t i = 0; i < count; i++) {
		struct mr_rdma_port *port = &ports[i];
		char path[128];

		snprintf(path, sizeof(path), "%s/ports/%u", device, port->number);
		READ(host, port->state, path, "state");
		READ(host, port->phys_state, path, "phys_state");
		READ(host, port->link_layer, path, "link_layer");
		READ(host, port->rate, path, "rate");
		strip_number(port->state);
		strip_number(port->phys_state);
		port->lid = mr_host_opt_number(host, DEVICES "/%s/lid", path);
	}
	return count;
}

/* ---- the node ---- */

bool mr_rdma_node_read(struct mr_host *host, const char *device, struct mr_rdma_node *node)
{
	struct mr_host_status status;

	*node = (struct mr_rdma_node){ .error = -ENOENT };
	if (mr_uverbs_node_find(host, device, node) <= 0)
		return false;
	if (!mr_host_stat(host, &status, "%s", node->path)) {
		node->mode = (struct mr_opt_u64){ status.mode & 07777, true };
		node->uid = (struct mr_opt_u64){ status.uid, true };
		node->gid = (struct mr_opt_u64){ status.gid, true };
		node->is_other = status.mode & S_IFMT &&
				 (!S_ISCHR(status.mode) || status.major != node->major ||
				  status.minor != node->minor);
	}
	node->error = mr_host_open_device(host, "%s", node->path);
	return true;
}

/* The class of devices shows those of this namespace; that of nodes shows all. */
int mr_rdma_netns_read(struct mr_host *host, struct mr_rdma_netns *netns)
{
	char device[sizeof(netns->first_hidden)], mode[8];
	mr_auto_free char *names = NULL;
	ssize_t got;
	size_t size;
	int rc;

	*netns = (struct mr_rdma_netns){ .is_exclusive = MR_UNKNOWN };
	/* The parameter of ib_core is what "rdma system set netns" sets: N means exclusive. */
	got = mr_host_read(host, mode, sizeof(mode), "/sys/module/ib_core/parameters/netns_mode");
	if (got >= 0 && (mode[0] == 'N' || mode[0] == 'Y'))
		netns->is_exclusive = mode[0] == 'N' ? MR_YES : MR_NO;
	else
		netns->error = got < 0 ? (int)got : -EINVAL;
	rc = mr_rdma_device_list(host, NULL, NULL);
	netns->visible = rc > 0 ? (unsigned int)rc : 0;
	if (rc < 0 && (rc != -ENOENT || !mr_host_exists(host, "/sys/class")))
		return rc;
	rc = mr_host_names(host, &names, &size, NODES);
	for (const char *name = NULL; (name = argz_next(names, size, name));) {
		if (!mr_host_line(host, device, sizeof(device), NODES "/%s/ibdev", name) ||
		    mr_host_exists(host, DEVICES "/%s", device))
			continue;
		mr_clean_text(device, sizeof(device));
		if (!netns->hidden++)
			memcpy(netns->first_hidden, device, sizeof(device));
	}
	return rc < 0 && rc != -ENOENT ? rc : 0;
}

int mr_uverbs_node_find(struct mr_host *host, const char *device, struct mr_rdma_node *node)
{
	mr_auto_free char *names = NULL;
	char number[32];
	size_t size;
	const int rc = mr_host_names(host, &names, &size, NODES);

	/* The class of nodes in sysfs is the same in all network namespaces. */
	for (const char *name = NULL; (name = argz_next(names, size, name));) {
		snprintf(node->path, sizeof(node->path), MR_UVERBS_NODES "%s", name);
		if (mr_host_line(host, node->device, sizeof(node->device), NODES "/%s/ibdev",
				 name) &&
		    mr_host_line(host, number, sizeof(number), NODES "/%s/dev", name) &&
		    sscanf(number, "%u:%u", &node->major, &node->minor) == 2 &&
		    (!device || !strcmp(device, node->device)))
			return 1;
	}
	return rc < 0 ? rc : 0;
}

/* The class of devices in sysfs shows those of this network namespace only. */
bool mr_rdma_device_find(struct mr_host *host, const char *name, char *device, size_t size)
{
	mr_auto_free char *names = NULL;
	size_t length;

	if (!name) {
		mr_host_names(host, &names, &length, DEVICES);
		snprintf(device, size, "%s", names ?: "");
		return names != NULL;
	}
	snprintf(device, size, "%s", name);
	return name[0] && !strchr(name, '/') && mr_host_exists(host, DEVICES "/%s", name);
}

#define STAND_IN "/memfd:" MR_SIM_DMABUF_NAME

/* proc_pid_fdinfo(5): flags are octal.  Only dma-bufs have exp_name (drivers/dma-buf/dma-buf.c). */
struct fdinfo {
	struct mr_dmabuf_file *file;
	struct mr_opt_u64 flags, size;
};

static bool take_fdinfo(const char *line, void *data)
{
	static const char exporter[] = "exp_name:\t";
	static const struct mr_figure rows[] = {
		MR_FIGURE(struct fdinfo, "flags:\t", flags, .base = 8),
		MR_FIGURE(struct fdinfo, "size:\t", size),
		{ .name = NULL },
	};
	struct fdinfo *info = data;

	if (strncmp(line, exporter, strlen(exporter)) != 0)
		return mr_figures_take(line, rows, info);
	info->file->is_dmabuf = true;
	snprintf(info->file->exporter, sizeof(info->file->exporter), "%s", line + strlen(exporter));
	return true;
}

static int query_size(const struct mr_host *host, void *data, char *text, size_t size)
{
	char path[64];
	struct stat st;
	int rc;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", *(int *)data);
	rc = mr_live_stat(host, path, &st);
	if (!rc)
		snprintf(text, size, "%" PRIu64, (uint64_t)st.st_size);
	return rc;
}

int mr_dmabuf_file_read(struct mr_host *host, int fd, struct mr_dmabuf_file *file)
{
	struct fdinfo info = { .file = file };
	char text[32];
	int rc;

	*file = (struct mr_dmabuf_file){ .is_dmabuf = false };
	rc = mr_host_lines(host, take_fdinfo, &info, "/proc/self/fdinfo/%d", fd);
	if (rc)
		return rc;
	if (!info.flags.known)
		return -ENODATA;
	file->is_path = info.flags.value & O_PATH;
	mr_host_link(host, file->target, sizeof(file->target), "/proc/self/fd/%d", fd);
	if (file->is_dmabuf) {
		file->size = info.size;
		return 0;
	}
	/* Stand-ins are no dma-bufs for this machine's kernel, and have no such size. */
	file->is_simulated = !strncmp(file->target, STAND_IN, sizeof(STAND_IN) - 1);
	if (file->is_simulated &&
	    !mr_host_query(host, query_size, &fd, text, sizeof(text), "descriptor/%d/size", fd))
		file->size = (struct mr_opt_u64){ strtoull(text, NULL, 10), true };
	return 0;
}
