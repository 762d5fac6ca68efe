// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the kernel says of a device by itself, on the simulated HCA, is what it says by libibverbs. */
#include <errno.h>

#include "lib/verbs/attributes.h"
#include "lib/verbs/device.h"
#include "tests/unit/unit.h"

static struct mr_environment environment;
static struct mr_device device;
static struct mr_error err;

#define SAME(member) assert_equal_for(#member, by_kernel.member, by_library.member)

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
	SAME(vendor_id);
	SAME(vendor_part_id);
	SAME(hw_version);
	SAME(max_mr_size);
	SAME(page_sizes);
	SAME(max_dm_size);
	SAME(capabilities);
	SAME(max_mr);
	SAME(max_pd);
	SAME(max_mw);
	SAME(max_qp);
	SAME(max_cq);
	SAME(max_srq);
	SAME(max_fmr);
	SAME(max_map_per_fmr);
	SAME(max_raw_ipv6_qp);
	SAME(max_raw_ethernet_qp);
	SAME(atomic);
	SAME(odp.general);
	SAME(odp.rc);
	SAME(odp.uc);
	SAME(odp.ud);
	SAME(odp.xrc);
	mr_device_close(&device);
}

TEST(an_error_of_the_kernel_is_told)
{
	const struct mr_uverbs none = { .fd = -1 };
	struct mr_attributes attributes;

	assert_int_equal(mr_attributes_ask_kernel(&none, &attributes, &err), -EBADF);
	assert_string_equal(err.call, "ioctl(QUERY_DEVICE)");
}
