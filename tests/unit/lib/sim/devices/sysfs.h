/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Compares what sysfs, the node and the ioctls say of the simulated device. */
#ifndef TESTS_UNIT_LIB_SIM_DEVICES_SYSFS_H
#define TESTS_UNIT_LIB_SIM_DEVICES_SYSFS_H

#include <endian.h>
#include <infiniband/verbs.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "tests/unit/lib/sim/device.h"

static inline void read_sysfs(const char *file, char *text, size_t size)
{
	char path[512];
	FILE *stream;

	snprintf(path, sizeof(path), "%s/class/%s", getenv("SYSFS_PATH"), file);
	stream = fopen(path, "r");
	assert_non_null(stream);
	assert_non_null(fgets(text, (int)size, stream));
	text[strcspn(text, "\n")] = '\0';
	fclose(stream);
}

/* Reads a file of the device @name, such as "fw_ver", of a port or of its PCI function. */
static inline const char *of_device(const char *name, const char *file)
{
	static char text[64];
	char path[128];

	snprintf(path, sizeof(path), "infiniband/%s/%s", name, file);
	read_sysfs(path, text, sizeof(text));
	return text;
}

static inline void assert_node_is_in_sysfs(void)
{
	struct stat by_path, by_fd;
	char path[64], dev[32], expected[32];

	snprintf(path, sizeof(path), "infiniband_verbs/%s/dev", strrchr(NODE, '/') + 1);
	read_sysfs(path, expected, sizeof(expected));
	assert_int_equal(stat(NODE, &by_path), 0);
	assert_int_equal(fstat(fd, &by_fd), 0);
	assert_true(S_ISCHR(by_path.st_mode));
	assert_true(S_ISCHR(by_fd.st_mode));
	assert_int_equal(by_fd.st_rdev, by_path.st_rdev);
	snprintf(dev, sizeof(dev), "%u:%u", major(by_fd.st_rdev), minor(by_fd.st_rdev));
	assert_string_equal(dev, expected);
}

static inline void assert_sysfs_agrees(struct ibv_context *context, const char *name)
{
	struct ibv_device_attr attributes;
	struct ibv_port_attr port;
	char guid[20];
	uint64_t bits;

	assert_string_equal(ibv_get_device_name(context->device), name);
	assert_contains(of_device(name, "node_desc"), "mrctl simulated HCA");
	assert_int_equal(ibv_query_device(context, &attributes), 0);
	bits = be64toh(attributes.node_guid);
	snprintf(guid, sizeof(guid), "%04x:%04x:%04x:%04x", (unsigned int)(bits >> 48),
		 (unsigned int)(bits >> 32) & 0xffff, (unsigned int)(bits >> 16) & 0xffff,
		 (unsigned int)bits & 0xffff);
	assert_string_equal(of_device(name, "node_guid"), guid);
	assert_int_equal(ibv_query_port(context, 1, &port), 0);
	assert_int_equal(port.state, IBV_PORT_ACTIVE);
	assert_int_equal(ibv_query_port(context, 2, &port), EINVAL);
}

#endif
