// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the kernel says of a device by itself, on the simulated HCA, is what it says by libibverbs. */
#include <errno.h>

#include "lib/verbs/attributes.h"
#include "lib/verbs/device.h"
#include "tests/unit/unit.h"

static struct mr_environment environment;
static struct mr_device device;
static struct mr_error err;

TEST(the_kernel_says_the_same_as_libibverbs)
{
	struct mr_attributes by_library, by_kernel;
	struct mr_uverbs uverbs;
	uint32_t pd_handle;

	assert_int_equal(mr_device_open(NULL, &device, &environment, &err), 0);
	uverbs = mr_device_uverbs(&device, &environment, &pd_handle);
	assert_int_equal(mr_attributes_query(device.context, &by_library, &err), 0);
	assert_int_equal(mr_attributes_ask_kernel(&uverbs, &by_kernel, &err), 0);
	assert_true(by_kernel.max_mr_size && by_kernel.odp.general && by_kernel.max_dm_size);
	by_kernel.pci_atomics = by_library.pci_atomics;
	assert_memory_equal(&by_kernel, &by_library, sizeof(by_library));
	mr_device_close(&device);
}

TEST(an_error_of_the_kernel_is_told)
{
	const struct mr_uverbs none = { .fd = -1 };
	struct mr_attributes attributes;

	assert_int_equal(mr_attributes_ask_kernel(&none, &attributes, &err), -EBADF);
	assert_string_equal(err.call, "ioctl(QUERY_DEVICE)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernel_says_the_same_as_libibverbs),
		cmocka_unit_test(an_error_of_the_kernel_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
