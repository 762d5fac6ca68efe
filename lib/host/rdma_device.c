// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/host/rdma_device.h"
#include "lib/host/uverbs_node.h"

#define DEVICES "/sys/class/infiniband"

int mr_rdma_device_list(struct mr_host *host, void (*take)(const char *name, void *data),
			void *data)
{
	return mr_host_list(host, take, data, DEVICES);
}

/* Reads a file of the device, or of one of its ports. */
#define READ(host, text, device, name)                                                             \
	mr_host_line(host, text, sizeof(text), DEVICES "/%s/%s", device, name)

static struct mr_opt_u64 read_number(struct mr_host *host, const char *device, const char *name)
{
	struct mr_opt_u64 number = { 0, false };

	number.known = mr_host_number(host, &number.value, DEVICES "/%s/%s", device, name);
	return number;
}

/* Reads the last part of what a link of the device points to. */
static void read_link(struct mr_host *host, const char *device, const char *name, char *text,
		      size_t size)
{
	char target[PATH_MAX];
	const char *slash;

	text[0] = '\0';
	if (!mr_host_link(host, target, sizeof(target), DEVICES "/%s/%s", device, name))
		return;
	slash = strrchr(target, '/');
	snprintf(text, size, "%.*s", (int)size - 1, slash ? slash + 1 : target);
}

/* Removes the number that enumerations have in sysfs: "4: ACTIVE". */
static void strip_number(char *text)
{
	const size_t digits = strspn(text, "0123456789");

	if (digits && !strncmp(text + digits, ": ", 2))
		memmove(text, text + digits + 2, strlen(text + digits + 2) + 1);
}

/* Whether the text is the address of a PCI function: "0000:c1:00.0" (the domain may have more digits). */
static bool is_pci_address(const char *text)
{
	unsigned int domain, bus, slot, function;
	int used = 0;

	return sscanf(text, "%x:%2x:%2x.%1x%n", &domain, &bus, &slot, &function, &used) == 4 &&
	       !text[used];
}

bool mr_rdma_device_pci_address(struct mr_host *host, const char *name, char *address, size_t size)
{
	read_link(host, name, "device", address, size);
	if (!is_pci_address(address))
		address[0] = '\0';
	return address[0];
}

void mr_rdma_device_read_place(struct mr_host *host, const char *name,
			       struct mr_rdma_device *device)
{
	*device = (struct mr_rdma_device){ .name = "" };
	snprintf(device->name, sizeof(device->name), "%s", name);
	mr_rdma_device_pci_address(host, name, device->pci_address, sizeof(device->pci_address));
	read_link(host, name, "device/driver", device->driver, sizeof(device->driver));
	/* -1, which is no number here, stands for none. */
	device->numa_node = read_number(host, name, "device/numa_node");
	device->fw_pages = read_number(host, name, "fw_pages");
	device->reg_pages = read_number(host, name, "reg_pages");
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

struct port_list {
	struct mr_rdma_port *ports;
	size_t count;
};

static void take_port(const char *name, void *data)
{
	struct port_list *list = data;
	char *end;
	const unsigned long number = strtoul(name, &end, 10);

	if (*name < '1' || *name > '9' || *end || number > MR_RDMA_PORTS ||
	    list->count == MR_RDMA_PORTS)
		return;
	list->ports[list->count++] = (struct mr_rdma_port){ .number = (unsigned int)number };
}

static int compare_ports(const void *a, const void *b)
{
	const struct mr_rdma_port *left = a, *right = b;

	return (left->number > right->number) - (left->number < right->number);
}

size_t mr_rdma_ports_read(struct mr_host *host, const char *device, struct mr_rdma_port *ports)
{
	struct port_list list = { ports, 0 };

	if (mr_host_list(host, take_port, &list, DEVICES "/%s/ports", device) < 0)
		return 0;
	qsort(ports, list.count, sizeof(*ports), compare_ports);
	for (size_t i = 0; i < list.count; i++) {
		struct mr_rdma_port *port = &ports[i];
		char path[128];

		snprintf(path, sizeof(path), "%s/ports/%u", device, port->number);
		READ(host, port->state, path, "state");
		READ(host, port->phys_state, path, "phys_state");
		READ(host, port->link_layer, path, "link_layer");
		READ(host, port->rate, path, "rate");
		strip_number(port->state);
		strip_number(port->phys_state);
		port->lid = read_number(host, path, "lid");
	}
	return list.count;
}

/* ---- the node ---- */

bool mr_rdma_node_read(struct mr_host *host, const char *device, struct mr_rdma_node *node)
{
	struct mr_uverbs_node found;
	struct mr_host_status status;

	*node = (struct mr_rdma_node){ .error = -ENOENT };
	if (mr_uverbs_node_find(host, device, &found) <= 0 ||
	    strlen(found.path) >= sizeof(node->path))
		return false;
	strcpy(node->path, found.path);
	if (!mr_host_stat(host, &status, "%s", node->path)) {
		node->mode = (struct mr_opt_u64){ status.mode & 07777, true };
		node->uid = (struct mr_opt_u64){ status.uid, true };
		node->gid = (struct mr_opt_u64){ status.gid, true };
		node->is_other = status.mode & S_IFMT &&
				 (!S_ISCHR(status.mode) || status.major != found.major ||
				  status.minor != found.minor);
	}
	node->major = found.major;
	node->minor = found.minor;
	node->error = mr_host_open_device(host, "%s", node->path);
	return true;
}
