// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lib/bench/kernel_counters.h"
#include "lib/host/live.h"
#include "lib/host/rdma_device.h"
#include "lib/nldev/device.h"

/* Debugfs is root's own; where it cannot be read, nothing is known. */
static void read_commands(const char *device, struct mr_kernel_counter *counters)
{
	struct mr_mlx5_command commands[MR_MLX5_COMMANDS];
	struct mr_rdma_device place;
	struct mr_error ignored;

	mr_rdma_device_read_place(mr_this_host(), device, &place);
	if (!place.pci_address[0] ||
	    mr_mlx5_commands_read(mr_this_host(), place.pci_address, commands, &ignored))
		return;
	for (size_t i = 0; i < MR_MLX5_COMMANDS; i++)
		counters[i] = (struct mr_kernel_counter){ commands[i].name, commands[i].sent };
}

static void add(struct mr_opt_u64 *sum, struct mr_opt_u64 value)
{
	sum->known = true;
	if (value.known)
		sum->value += value.value;
}

static void add_pools(struct mr_nldev *nl, uint32_t device, struct mr_kernel_counter *counters)
{
	struct mr_nldev_pools pools;
	struct mr_error ignored;

	if (!mr_nldev_pools(nl, device, &pools, &ignored)) {
		add(&counters[0].value, (struct mr_opt_u64){ 0, false });
		add(&counters[1].value, (struct mr_opt_u64){ 0, false });
	}
	for (size_t i = 0; i < pools.count; i++) {
		add(&counters[0].value, pools.list[i].free);
		add(&counters[1].value, pools.list[i].in_use);
	}
	mr_nldev_pools_release(&pools);
}

static void read_pools(const char *name, struct mr_kernel_counter *counters)
{
	struct mr_nldev_devices devices = { .count = 0 };
	const struct mr_nldev_device *device = NULL;
	struct mr_nldev nl = { .fd = -1 };
	struct mr_error ignored;

	if (mr_nldev_open(&nl, &ignored))
		return;
	if (!mr_nldev_devices(&nl, &devices, &ignored))
		device = mr_nldev_device_by_name(&devices, name);
	if (device)
		add_pools(&nl, device->index, counters);
	mr_nldev_devices_release(&devices);
	mr_nldev_close(&nl);
}

void mr_kernel_counters_read(const struct mr_environment *environment,
			     struct mr_kernel_counter counters[MR_KERNEL_COUNTERS])
{
	for (size_t i = 0; i < MR_KERNEL_COUNTERS; i++)
		counters[i] = (struct mr_kernel_counter){ .name = "" };
	counters[MR_MLX5_COMMANDS].name = "frmr_free";
	counters[MR_MLX5_COMMANDS + 1].name = "frmr_in_use";
	if (environment->simulated)
		return;
	read_commands(environment->device, counters);
	read_pools(environment->device, &counters[MR_MLX5_COMMANDS]);
}
