// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "cmd/stat/device/facts.h"
#include "lib/verbs/device.h"

/* Opens the device with DEVX where this user gets that, else without. */
static int open_device(const char *name, struct mr_environment *environment,
		       struct mr_device *device, bool *devx, struct mr_error *err)
{
	*devx = !mr_device_open_devx(name, device, environment, err);
	return *devx ? 0 : mr_device_open_alone(name, device, environment, err);
}

static int ask_device(const char *name, struct device_facts *facts, struct mr_error *err)
{
	struct mr_device device;
	bool devx;
	int rc = open_device(name, &facts->environment, &device, &devx, err);

	if (rc)
		return rc;
	rc = mr_attributes_query(device.context, &facts->attributes, err);
	facts->has_attributes = !rc;
	mr_features_find(&device, &facts->environment, rc ? NULL : &facts->attributes, devx,
			 &facts->features);
	facts->opened = true;
	mr_device_close(&device);
	return rc;
}

/* A kernel without RDMA netlink, or a device that has gone meanwhile, leaves the counts unknown. */
static void ask_netlink(const char *name, struct device_facts *facts)
{
	struct mr_error ignored;
	struct mr_nldev nl;
	uint32_t index;

	if (mr_nldev_open_device(&nl, name, &index, &ignored))
		return;
	facts->has_summary = !mr_nldev_summary(&nl, index, &facts->summary, &ignored);
	facts->has_pools = !mr_nldev_pools(&nl, index, &facts->pools, &ignored);
	mr_nldev_close(&nl);
}

static void read_commands(struct mr_host *host, struct device_facts *facts)
{
	if (strcmp(facts->sysfs.driver, "mlx5_core") == 0 && facts->sysfs.pci_address[0])
		facts->has_commands = !mr_mlx5_commands_read(
			host, facts->sysfs.pci_address, facts->commands, &facts->commands_error);
}

int device_facts_find(struct mr_host *host, const char *name,
		      const struct mr_environment *environment, struct device_facts *facts,
		      struct mr_error *err)
{
	int rc;

	*facts = (struct device_facts){ .environment = *environment };
	mr_rdma_device_read(host, name, &facts->sysfs);
	mr_rdma_device_identify(host, &facts->sysfs);
	facts->port_count = mr_rdma_ports_read(host, name, facts->ports);
	mr_rdma_node_read(host, name, &facts->node);
	rc = ask_device(name, facts, err);
	/* The kernel may have a device of the same name as a simulated one. */
	if (!facts->environment.simulated) {
		ask_netlink(name, facts);
		read_commands(host, facts);
	}
	return rc;
}

void device_facts_release(struct device_facts *facts)
{
	mr_nldev_pools_release(&facts->pools);
}
