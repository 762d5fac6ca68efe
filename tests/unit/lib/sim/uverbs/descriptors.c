// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Descriptors of the simulated device: each open() makes a context of its own. */
#include <linux/netlink.h>

#include "tests/unit/lib/sim/device.h"

TEST_WITH(each_open_is_a_context_of_its_own, open_device, close_device)
{
	struct device *device = *state;
	int again = open_context(), same = dup(device->fd), fresh;
	uint32_t mr;
	char path[64];

	assert_int_equal(reg(device->fd, device->pd, device->memory, PAGE, LOCAL, &mr), 0);
	assert_int_equal(dereg(again, mr), ENOENT);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", device->fd);
	fresh = open(path, O_RDWR);
	assert_true(fresh >= 0);
	assert_int_equal(dereg(fresh, mr), ENOENT);
	assert_int_equal(get_context(fresh), 0);
	assert_int_equal(dereg(same, mr), 0);
	close(again);
	close(same);
	close(fresh);
}

TEST_WITH(a_reused_descriptor_number_is_a_new_context, open_device, close_device)
{
	struct device *device = *state;
	int other = open_context(), first = dup(device->fd), null;
	uint32_t mr;

	assert_int_equal(reg(first, device->pd, device->memory, PAGE, LOCAL, &mr), 0);
	assert_int_equal(dup2(other, first), first);
	assert_int_equal(dereg(first, mr), ENOENT);
	null = open("/dev/null", O_RDWR);
	assert_int_equal(dup2(null, first), first);
	assert_int_equal(dereg(first, mr), ENOTTY);
	close(null);
	close(first);
	close(other);
}

TEST(descriptors_close_on_exec_when_asked)
{
	int kept = open(NODE, O_RDWR), closed = open_node();

	(void)state;
	assert_int_equal(fcntl(kept, F_GETFD), 0);
	assert_int_equal(fcntl(closed, F_GETFD), FD_CLOEXEC);
	close(kept);
	close(closed);
}

TEST(netlink_is_refused_so_that_sysfs_is_read)
{
	assert_int_equal(socket(AF_NETLINK, SOCK_RAW, NETLINK_RDMA), -1);
	assert_int_equal(errno, EPROTONOSUPPORT);
}
