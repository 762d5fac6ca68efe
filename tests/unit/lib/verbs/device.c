// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Choosing and opening a device.  This file replaces libibverbs, so each test has its own devices. */
#include <infiniband/verbs.h>

#include "lib/verbs/verbs.h"
#include "tests/unit/unit.h"

/* The devices of a test, and how the library answers. */
static struct {
	struct ibv_device *list[3];
	struct ibv_context context;
	struct ibv_pd pd;
	struct ibv_device *opened;
	int open_errno, pd_errno; /* errno of the calls; -1: they succeed */
	int lists, contexts, pds; /* how many are not freed yet */
} machine;

static struct ibv_device one = { .name = "mlx5_0", .dev_name = "uverbs0" };
static struct ibv_device two = { .name = "rxe0", .dev_name = "uverbs1" };

struct ibv_device **ibv_get_device_list(int *count)
{
	machine.lists++;
	(void)count;
	return machine.list;
}

void ibv_free_device_list(struct ibv_device **list)
{
	assert_ptr_equal(list, machine.list);
	machine.lists--;
}

const char *ibv_get_device_name(struct ibv_device *device)
{
	return device->name;
}

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	if (machine.open_errno >= 0) {
		errno = machine.open_errno;
		return NULL;
	}
	machine.opened = device;
	machine.contexts++;
	return &machine.context;
}

int ibv_close_device(struct ibv_context *context)
{
	assert_ptr_equal(context, &machine.context);
	assert_int_equal(machine.pds, 0);
	machine.contexts--;
	return 0;
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	assert_ptr_equal(context, &machine.context);
	if (machine.pd_errno >= 0) {
		errno = machine.pd_errno;
		return NULL;
	}
	machine.pds++;
	return &machine.pd;
}

int ibv_dealloc_pd(struct ibv_pd *pd)
{
	assert_ptr_equal(pd, &machine.pd);
	machine.pds--;
	return 0;
}

static int reset(void **state __attribute__((unused)))
{
	memset(&machine, 0, sizeof(machine));
	machine.open_errno = machine.pd_errno = -1;
	return setenv("SYSFS_PATH", "/nowhere", 1); /* the real machine may have devices */
}

static int nothing_is_left(void **state __attribute__((unused)))
{
	return machine.lists || machine.contexts || machine.pds;
}

static struct mr_environment environment;

/* Opens and closes a device.  Return: the error where that fails, else one without text. */
static struct mr_error open_device(const char *name)
{
	struct mr_error err = { 0 };
	struct mr_device device;
	int rc;

	environment = (struct mr_environment){ 0 };
	rc = mr_device_open(name, &device, &environment, &err);
	assert_int_equal(rc, -err.errnum);
	if (!rc) {
		assert_ptr_equal(device.context, &machine.context);
		assert_ptr_equal(device.pd, &machine.pd);
	}
	mr_device_close(&device);
	assert_null(device.context);
	return err;
}

static void opens(const char *name, struct ibv_device *device)
{
	struct mr_error err = open_device(name);

	assert_string_equal(err.text, "");
	assert_ptr_equal(machine.opened, device);
	assert_string_equal(environment.device, device->name);
}

TEST(one_of_several_has_to_be_named)
{
	struct mr_error err;

	machine.list[0] = &one;
	machine.list[1] = &two;
	err = open_device(NULL);
	assert_int_equal(err.kind, MR_ERROR_USAGE);
	assert_contains(err.text, "--device");
	assert_contains(err.text, "mlx5_0, rxe0");
	opens("mlx5_0", &one);
	opens("rxe0", &two);
}

TEST(a_device_that_cannot_be_opened_is_a_refusal_and_closed_again)
{
	static const struct {
		const char *name;
		int open_errno, pd_errno, errnum;
		const char *call;
	} cases[] = {
		{ "open", EIO, -1, EIO, "ibv_open_device" },
		{ "no node", ENOENT, -1, ENOENT, "ibv_open_device" },
		{ "open, no errno", 0, -1, EIO, "ibv_open_device" },
		{ "PD", -1, ENOMEM, ENOMEM, "ibv_alloc_pd" },
		{ "PD, no errno", -1, 0, EIO, "ibv_alloc_pd" },
	};

	machine.list[0] = &one;
	for (typeof(*cases) *c = cases; c < cases + ARRAY_SIZE(cases); c++) {
		struct mr_error err;

		machine.open_errno = c->open_errno;
		machine.pd_errno = c->pd_errno;
		err = open_device(NULL);
		assert_equal_for(c->name, err.kind, MR_ERROR_REFUSED);
		assert_equal_for(c->name, err.errnum, c->errnum);
		assert_string_equal(err.call, c->call);
		assert_string_equal(environment.device, "mlx5_0");
		assert_equal_for(c->name, machine.contexts, 0);
	}
}

EACH_TEST(reset, nothing_is_left)
