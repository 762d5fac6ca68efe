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

/* Pools that are there tell 0 where they are empty. */
static void read_pools(const char *name, struct mr_opt_u64 *free, struct mr_opt_u64 *in_use)
{
	struct mr_nldev_pools pools;
	struct mr_error ignored;
	struct mr_nldev nl;
	uint32_t index;

	if (mr_nldev_open_device(&nl, name, &index, &ignored))
		return;
	free->known = in_use->known = !mr_nldev_pools(&nl, index, &pools, &ignored);
	for (size_t i = 0; i < pools.count; i++) {
		free->value += pools.list[i].free.value;
		in_use->value += pools.list[i].in_use.value;
	}
	mr_nldev_pools_release(&pools);
	mr_nldev_close(&nl);
}

void mr_kernel_counters_read(const struct mr_environment *environment,
			     struct mr_kernel_counter counters[MR_KERNEL_COUNTERS])
{
	struct mr_kernel_counter *free = &counters[MR_MLX5_COMMANDS], *in_use = free + 1;

	for (size_t i = 0; i < MR_KERNEL_COUNTERS; i++)
		counters[i] = (struct mr_kernel_counter){ .name = "" };
	free->name = "frmr_free";
	in_use->name = "frmr_in_use";
	if (environment->simulated)
		return;
	read_commands(environment->device, counters);
	read_pools(environment->device, &free->value, &in_use->value);
}
