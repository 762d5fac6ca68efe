// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "lib/host/mlx5_commands.h"

#define DEBUGFS "/sys/kernel/debug"

/* Protection domains, keys of regions, umems, memory on the device, and the pages that the firmware asks for. */
static const char *const names[MR_MLX5_COMMANDS] = {
	"CREATE_MKEY",   "QUERY_MKEY",  "DESTROY_MKEY",      "CREATE_UMEM",
	"DESTROY_UMEM",  "ALLOC_PD",    "DEALLOC_PD",        "ALLOC_MEMIC",
	"DEALLOC_MEMIC", "QUERY_PAGES", "PAGE_FAULT_RESUME", "MANAGE_PAGES",
};

static struct mr_opt_u64 read_counter(struct mr_host *host, const char *pci_address,
				      const char *command, const char *counter)
{
	struct mr_opt_u64 number = { 0, false };

	number.known = mr_host_number(host, &number.value, DEBUGFS "/mlx5/%s/commands/%s/%s",
				      pci_address, command, counter);
	return number;
}

static void ignore_name(const char *name, void *data)
{
	(void)name;
	(void)data;
}

/* Debugfs has a folder for each of its users; where it is not mounted, its own folder in sysfs is empty. */
static int explain(struct mr_host *host, int error, struct mr_error *err)
{
	const int entries = mr_host_list(host, ignore_name, NULL, DEBUGFS);

	mr_fail(err, MR_ERROR_HOST, -error, "opendir", "cannot read mlx5's counters in debugfs");
	if (entries == -EACCES || entries == -EPERM)
		mr_hint(err, "only root may read debugfs");
	else if (!entries || entries == -ENOENT)
		mr_hint(err, "not mounted: mount -t debugfs none " DEBUGFS);
	return error;
}

static struct mr_mlx5_command read_command(struct mr_host *host, const char *pci_address,
					   const char *name)
{
	return (struct mr_mlx5_command){
		.name = name,
		.sent = read_counter(host, pci_address, name, "n"),
		.failed = read_counter(host, pci_address, name, "failed"),
		.refused = read_counter(host, pci_address, name, "failed_mbox_status"),
		.last_errno = read_counter(host, pci_address, name, "last_failed_errno"),
		.last_status = read_counter(host, pci_address, name, "last_failed_mbox_status"),
		.last_syndrome = read_counter(host, pci_address, name, "last_failed_syndrome"),
	};
}

int mr_mlx5_command_read(struct mr_host *host, const char *pci_address, const char *name,
			 struct mr_mlx5_command *command, struct mr_error *err)
{
	const int entries =
		mr_host_list(host, ignore_name, NULL, DEBUGFS "/mlx5/%s/commands", pci_address);

	if (entries < 0)
		return explain(host, entries, err);
	*command = read_command(host, pci_address, name);
	return 0;
}

int mr_mlx5_commands_read(struct mr_host *host, const char *pci_address,
			  struct mr_mlx5_command commands[MR_MLX5_COMMANDS], struct mr_error *err)
{
	int rc = mr_mlx5_command_read(host, pci_address, names[0], &commands[0], err);

	for (size_t i = 1; !rc && i < MR_MLX5_COMMANDS; i++)
		commands[i] = read_command(host, pci_address, names[i]);
	return rc;
}
