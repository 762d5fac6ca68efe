// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a device reports.  This file replaces a provider's query_device_ex. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <string.h>

#include "lib/verbs/attributes.h"
#include "tests/unit/unit.h"

static int answer;
static struct ibv_device_attr_ex reported;

static int query(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
		 struct ibv_device_attr_ex *attributes, size_t size)
{
	(void)context;
	(void)input;
	if (!answer)
		memcpy(attributes, &reported, size);
	return answer;
}

static struct verbs_context device = {
	.sz = sizeof(struct verbs_context),
	.query_device_ex = query,
	.context.abi_compat = (void *)UINTPTR_MAX, /* __VERBS_ABI_IS_EXTENDED */
};

TEST(limits_and_bits_are_kept_as_they_are)
{
	struct mr_attributes attributes;
	struct mr_error err;

	answer = 0;
	reported = (struct ibv_device_attr_ex){
		.orig_attr = { .max_mr_size = UINT64_MAX,
			       .page_size_cap = 0xfffffffffffff000,
			       .max_mr = INT32_MAX,
			       .max_pd = 7,
			       .device_cap_flags = 1u << 31 },
		.device_cap_flags_ex = 1ULL << 41,
		.max_dm_size = 1ULL << 40,
		.pci_atomic_caps = { 1, 2, 4 },
		.xrc_odp_caps = 1u << 31,
	};
	reported.odp_caps.general_caps = 1ULL << 63;
	assert_int_equal(mr_attributes_query(&device.context, &attributes, &err), 0);
	assert_true(attributes.max_mr_size == UINT64_MAX);
	assert_true(attributes.page_sizes == 0xfffffffffffff000);
	assert_int_equal(attributes.max_mr, INT32_MAX);
	assert_int_equal(attributes.max_pd, 7);
	assert_true(attributes.capabilities == ((1ULL << 41) | (1u << 31)));
	assert_true(attributes.max_dm_size == 1ULL << 40);
	assert_int_equal(attributes.pci_atomics.fetch_add, 1);
	assert_int_equal(attributes.pci_atomics.swap, 2);
	assert_int_equal(attributes.pci_atomics.compare_swap, 4);
	assert_true(attributes.odp.general == 1ULL << 63);
	assert_true(attributes.odp.xrc == 1u << 31);
}

TEST(a_refusal_sets_nothing)
{
	struct mr_attributes attributes = { .max_mr = 5 };
	struct mr_error err;

	answer = EIO;
	assert_int_equal(mr_attributes_query(&device.context, &attributes, &err), -EIO);
	assert_string_equal(err.call, "ibv_query_device_ex");
	assert_int_equal(attributes.max_mr, 5);
}
