// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* RDMA devices and the counters of mlx5's commands, read from recordings. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/host/mlx5_commands.h"
#include "lib/host/mlx5_status.h"
#include "lib/host/rdma_device.h"
#include "tests/unit/unit.h"

static char root[] = "/tmp/mrctl-unit.XXXXXX";
static struct mr_host host;

/* Writes a file of the recording, and makes the folders that lead to it. */
static void put(const char *path, const char *text)
{
	char name[512];
	FILE *file;

	snprintf(name, sizeof(name), "%s%s", root, path);
	for (char *slash = strchr(name + strlen(root) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(name, 0700);
		*slash = '/';
	}
	file = fopen(name, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static int begin(void **state)
{
	struct mr_error err;

	(void)state;
	strcpy(root + strlen("/tmp/mrctl-unit."), "XXXXXX");
	return !mkdtemp(root) || mr_host_open(&host, root, NULL, &err);
}

static int end(void **state)
{
	struct mr_error err;
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", root);
	return mr_host_close(&host, &err) ||
	       system(command); // NOLINT: a constant with a name of mkdtemp()
}

#define COMMANDS "/sys/kernel/debug/mlx5/0000:c1:00.0/commands"

TEST(counters_that_the_kernel_lacks_are_not_known)
{
	struct mr_mlx5_command commands[MR_MLX5_COMMANDS];
	struct mr_error err;

	put(COMMANDS "/CREATE_MKEY/n", "12\n");
	put(COMMANDS "/CREATE_MKEY/failed", "3\n");
	put(COMMANDS "/CREATE_MKEY/last_failed_mbox_status", "8\n");
	put(COMMANDS "/CREATE_MKEY/last_failed_syndrome", "0x005ca1e8\n");
	put(COMMANDS "/CREATE_UMEM/n", "many\n");
	assert_int_equal(mr_mlx5_commands_read(&host, "0000:c1:00.0", commands, &err), 0);
	assert_string_equal(commands[0].name, "CREATE_MKEY");
	assert_int_equal(commands[0].sent.value, 12);
	assert_int_equal(commands[0].failed.value, 3);
	assert_string_equal(mr_mlx5_status_name(commands[0].last_status.value), "LIM_ERR");
	assert_int_equal(commands[0].last_syndrome.value, 0x005ca1e8);
	assert_false(commands[0].refused.known || commands[0].last_errno.known);
	for (size_t i = 1; i < MR_MLX5_COMMANDS; i++)
		assert_false(commands[i].sent.known);
	assert_null(mr_mlx5_status_name(0xee));
}

TEST(that_counters_cannot_be_read_is_explained)
{
	struct mr_mlx5_command commands[MR_MLX5_COMMANDS];
	struct mr_error err;

	assert_int_equal(mr_mlx5_commands_read(&host, "0000:c1:00.0", commands, &err), -ENOENT);
	assert_non_null(strstr(err.hint, "mount -t debugfs"));
	put("/calls" COMMANDS ".list.error", "EACCES");
	put("/calls/sys/kernel/debug.list.error", "EACCES");
	assert_int_equal(mr_mlx5_commands_read(&host, "0000:c1:00.0", commands, &err), -EACCES);
	assert_non_null(strstr(err.hint, "root"));
}

#define DEVICE "/sys/class/infiniband/mlx5_0"

TEST(a_device_is_read_as_far_as_sysfs_shows_it)
{
	struct mr_rdma_port ports[MR_RDMA_PORTS];
	struct mr_rdma_device device;
	struct mr_rdma_node node;

	put(DEVICE "/node_type", "1: CA\n");
	put(DEVICE "/node_desc", "\n");
	put(DEVICE "/fw_pages", "7\n");
	put(DEVICE "/device/numa_node", "-1\n");
	put(DEVICE "/ports/10/state", "4: ACTIVE\n");
	put(DEVICE "/ports/2/state", "1: DOWN");
	put(DEVICE "/ports/0/state", "1: DOWN");
	put("/calls" DEVICE "/device.link", "../../../0000:c1:00.0");
	put("/calls" DEVICE "/device/driver.link", "../../bus/pci/drivers/mlx5_core");
	mr_rdma_device_read(&host, "mlx5_0", &device);
	mr_rdma_device_identify(&host, &device);
	assert_string_equal(device.node_type, "CA");
	assert_string_equal(device.node_desc, "");
	assert_string_equal(device.pci_address, "0000:c1:00.0");
	assert_string_equal(device.driver, "mlx5_core");
	assert_true(device.fw_pages.known && device.fw_pages.value == 7);
	assert_false(device.numa_node.known || device.reg_pages.known);
	assert_int_equal(mr_rdma_ports_read(&host, "mlx5_0", ports), 2);
	assert_int_equal(ports[0].number, 2);
	assert_string_equal(ports[0].state, "DOWN");
	assert_string_equal(ports[1].state, "ACTIVE");
	assert_false(ports[1].lid.known);
	assert_false(mr_rdma_node_read(&host, "mlx5_0", &node));
	put("/sys/class/infiniband_verbs/uverbs3/ibdev", "mlx5_0\n");
	put("/sys/class/infiniband_verbs/uverbs3/dev", "231:195\n");
	assert_true(mr_rdma_node_read(&host, "mlx5_0", &node));
	assert_string_equal(node.path, "/dev/infiniband/uverbs3");
	assert_true(node.error < 0 && !node.mode.known);
}

TEST(a_parent_that_is_no_pci_function_has_no_address)
{
	struct mr_rdma_device device;

	put("/calls" DEVICE "/device.link", "../../../vdpa:00.0");
	mr_rdma_device_read(&host, "mlx5_0", &device);
	assert_string_equal(device.pci_address, "");
}

EACH_TEST(begin, end)
