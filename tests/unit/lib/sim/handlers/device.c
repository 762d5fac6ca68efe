// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The attributes of the simulated device: sysfs and the ioctls agree. */
#include <infiniband/verbs.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "tests/unit/lib/sim/device.h"

TEST_WITH(the_node_is_the_device_of_sysfs, open_device, close_device)
{
	struct device *device = *state;
	struct stat by_path, by_fd;
	char dev[32], expected[32];

	read_sysfs("infiniband_verbs/uverbs250/dev", expected, sizeof(expected));
	assert_int_equal(stat(NODE, &by_path), 0);
	assert_int_equal(fstat(device->fd, &by_fd), 0);
	assert_true(S_ISCHR(by_path.st_mode));
	assert_true(S_ISCHR(by_fd.st_mode));
	assert_int_equal(by_fd.st_rdev, by_path.st_rdev);
	snprintf(dev, sizeof(dev), "%u:%u", major(by_fd.st_rdev), minor(by_fd.st_rdev));
	assert_string_equal(dev, expected);
}

TEST(sysfs_and_the_ioctls_say_the_same)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = ibv_open_device(list[0]);
	struct ibv_device_attr attributes;
	struct ibv_port_attr port;
	union ibv_gid gid;
	char text[64], guid[20], low[20];
	uint16_t pkey;
	int i;

	(void)state;
	assert_non_null(context);
	assert_int_equal(ibv_query_device(context, &attributes), 0);
	read_sysfs("infiniband/mlx5_0/fw_ver", text, sizeof(text));
	assert_string_equal(text, attributes.fw_ver);
	read_sysfs("infiniband/mlx5_0/node_guid", text, sizeof(text));
	guid_text(attributes.node_guid, guid);
	assert_string_equal(text, guid);
	read_sysfs("infiniband/mlx5_0/device/device", text, sizeof(text));
	assert_int_equal(strtoul(text, NULL, 16), attributes.vendor_part_id);
	read_sysfs("infiniband/mlx5_0/node_desc", text, sizeof(text));
	assert_contains(text, "mrctl simulated HCA");

	assert_int_equal(ibv_query_port(context, 1, &port), 0);
	assert_int_equal(port.state, IBV_PORT_ACTIVE);
	read_sysfs("infiniband/mlx5_0/ports/1/cap_mask", text, sizeof(text));
	assert_int_equal(strtoul(text, NULL, 16), port.port_cap_flags);
	read_sysfs("infiniband/mlx5_0/ports/1/lid", text, sizeof(text));
	assert_int_equal(strtoul(text, NULL, 16), port.lid);
	for (i = 0; i < port.pkey_tbl_len; i++)
		assert_int_equal(ibv_query_pkey(context, 1, i, &pkey), 0);
	read_sysfs("infiniband/mlx5_0/ports/1/gids/0", text, sizeof(text));
	assert_int_equal(ibv_query_gid(context, 1, 0, &gid), 0);
	guid_text(gid.global.subnet_prefix, guid);
	guid_text(gid.global.interface_id, low);
	assert_memory_equal(text, guid, 19);
	assert_string_equal(text + 20, low);
	assert_int_equal(ibv_query_port(context, 2, &port), EINVAL);
	assert_int_equal(ibv_close_device(context), 0);
	ibv_free_device_list(list);
}
