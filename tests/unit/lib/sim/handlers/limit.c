// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A limit of objects, as that of an rdma cgroup. */
#include "tests/unit/lib/sim/device.h"

/* Opens a context that may have @limit objects, one of which is its PD. */
static struct device open_limited(const char *limit)
{
	struct device device;

	setenv("MRCTL_SIM_MAX_OBJECTS", limit, 1);
	device.fd = open_context();
	unsetenv("MRCTL_SIM_MAX_OBJECTS");
	assert_int_equal(alloc_pd(device.fd, &device.pd), 0);
	return device;
}

TEST(an_object_too_many_is_refused)
{
	const struct device *other = *state;
	struct device device = open_limited("2");
	uint32_t mr, pd;

	assert_int_equal(reg(device.fd, device.pd, other->memory, PAGE, LOCAL, &mr), 0);
	assert_int_equal(alloc_pd(device.fd, &pd), EAGAIN);
	assert_int_equal(reg(device.fd, device.pd, other->memory, PAGE, LOCAL, NULL), EAGAIN);
	assert_int_equal(dereg(device.fd, mr), 0);
	assert_int_equal(alloc_pd(device.fd, &pd), 0);
	/* other contexts have no limit */
	assert_int_equal(reg(other->fd, other->pd, other->memory, PAGE, LOCAL, NULL), 0);
	close(device.fd);
}

/* The kernel makes the object before it looks at what the object is to be. */
TEST(the_limit_comes_before_other_refusals)
{
	const struct device *other = *state;
	struct device device = open_limited("1");

	assert_int_equal(reg(device.fd, 4711, other->memory, PAGE, 1u << 31, NULL), EAGAIN);
	assert_int_equal(reg(device.fd, device.pd, NULL, 0, LOCAL, NULL), EAGAIN);
	close(device.fd);
}

/* For a moment there are two regions. */
TEST(a_change_needs_room_for_another_region)
{
	struct ib_uverbs_rereg_mr in = { .flags = REREG_ACCESS, .access_flags = LOCAL };
	const struct device *other = *state;
	struct device device = open_limited("3");
	struct ib_uverbs_rereg_mr_resp out;
	uint32_t mr;

	assert_int_equal(reg(device.fd, device.pd, other->memory, PAGE, LOCAL, &in.mr_handle), 0);
	assert_int_equal(rereg(device.fd, &in, &out), 0);
	assert_int_equal(reg(device.fd, device.pd, other->memory, PAGE, LOCAL, &mr), 0);
	assert_int_equal(rereg(device.fd, &in, &out), EAGAIN);
	in.mr_handle = 4711;
	assert_int_equal(rereg(device.fd, &in, &out), ENOENT);
	close(device.fd);
}

TEST(a_limit_is_a_number)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (!pid) {
		setenv("MRCTL_SIM_MAX_OBJECTS", "3x", 1);
		open(NODE, O_RDWR);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 2);
}

EACH_TEST(open_device, close_device)
