// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is known of a region from the calls before. */
#include <infiniband/verbs.h>
#include <stdio.h>

#include "lib/trace/ledger.h"
#include "tests/unit/unit.h"

static struct mr_ledger ledger;
static struct mr_trace_totals totals;
static struct mr_look_region region;
static struct mr_look_context context;

static void take(struct mr_trace_record call)
{
	const struct mr_traced_record record = { .call = call };
	struct mr_site *site = mr_ledger_site(&ledger, call.caller, call.call);

	assert_non_null(site);
	mr_ledger_take(&ledger, &totals, &record, site);
}

/* The region that a refused advice is about. */
static const struct mr_look_region *advised(uint64_t device, uint32_t lkey)
{
	const struct mr_trace_record call = {
		.call = MR_TRACED_IBV_ADVISE_MR, .errnum = 22, .context = device, .lkey = lkey
	};

	mr_ledger_context(&ledger, &call, &region, &context);
	return context.region;
}

TEST(an_advice_is_about_the_region_of_its_key)
{
	for (uint32_t i = 1; i <= 3; i++)
		take((struct mr_trace_record){ .call = MR_TRACED_IBV_REG_MR,
					       .object = i,
					       .context = 0x10 + i / 3, /* two, and one */
					       .lkey = i == 3 ? 1 : i,
					       .addr = 0x1000 * i,
					       .length = 0x1000 });
	assert_non_null(advised(0x10, 2));
	assert_int_equal(region.addr, 0x2000);
	assert_non_null(advised(0x10, 1));
	assert_int_equal(region.addr, 0x1000);
	/* another device has keys of its own */
	assert_non_null(advised(0x11, 1));
	assert_int_equal(region.addr, 0x3000);
	assert_null(advised(0x10, 3));
	assert_int_equal(context.registered_count, 3);
	/* a change gives the region another key */
	take((struct mr_trace_record){ .call = MR_TRACED_IBV_REREG_MR,
				       .object = 1,
				       .context = 0x10,
				       .lkey = 7,
				       .access = 1,
				       .call_flags = IBV_REREG_MR_CHANGE_ACCESS });
	assert_null(advised(0x10, 1));
	assert_non_null(advised(0x10, 7));
	assert_int_equal(region.access, 1);
	take((struct mr_trace_record){ .call = MR_TRACED_IBV_DEREG_MR, .object = 1 });
	assert_null(advised(0x10, 7));
}

/* The device of a call on an object, which itself tells none. */
static const char *device_of(uint64_t object)
{
	static struct mr_trace_record call;

	call = (struct mr_trace_record){ .call = MR_TRACED_MLX5DV_DEVX_UMEM_DEREG,
					 .object = object };
	mr_ledger_complete(&ledger, &call);
	assert_int_equal(call.context != 0, call.device[0] != '\0');
	return call.device;
}

TEST(a_umem_is_of_the_device_that_it_was_registered_on)
{
	for (uint32_t i = 0; i < 2; i++) {
		struct mr_trace_record call = { .call = MR_TRACED_MLX5DV_DEVX_UMEM_REG,
						.object = 0x20 + i,
						.context = 0x10 + i };

		snprintf(call.device, sizeof(call.device), "mlx5_%u", i);
		take(call);
	}
	assert_string_equal(device_of(0x20), "mlx5_0");
	assert_string_equal(device_of(0x21), "mlx5_1");
	assert_string_equal(device_of(0x22), "");
	assert_string_equal(device_of(0), "");
	take((struct mr_trace_record){ .call = MR_TRACED_MLX5DV_DEVX_UMEM_DEREG, .object = 0x20 });
	assert_string_equal(device_of(0x20), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_advice_is_about_the_region_of_its_key),
		cmocka_unit_test(a_umem_is_of_the_device_that_it_was_registered_on),
	};
	const int rc = cmocka_run_group_tests(tests, NULL, NULL);

	mr_ledger_end(&ledger, &totals);
	mr_ledger_release(&ledger);
	return rc;
}
