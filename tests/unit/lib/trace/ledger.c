// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Keeps what is known of a region from the calls before. */
#include <infiniband/verbs.h>

#include "lib/trace/trace.h"
#include "tests/unit/unit.h"

static struct mr_ledger ledger;
static struct mr_trace_totals totals;
static struct mr_look look;

static void take(struct mr_trace_record call)
{
	const struct mr_traced_record record = { .call = call };
	struct mr_site *site = mr_ledger_site(&ledger, call.caller, call.call, 0);

	assert_non_null(site);
	mr_ledger_take(&ledger, &totals, &record, site);
}

/* The region that a refused advice is about. */
static const struct mr_trace_record *advised(uint64_t device, uint32_t lkey)
{
	const struct mr_trace_record call = {
		.call = MR_TRACED_IBV_ADVISE_MR,
		.errnum = 22,
		.context = device,
		.lkey = lkey,
		.range_count = 1,
	};

	mr_ledger_context(&ledger, &call, &look);
	return look.has_region ? &look.region : NULL;
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
	assert_int_equal(look.region.addr, 0x2000);
	assert_non_null(advised(0x10, 1));
	assert_int_equal(look.region.addr, 0x1000);
	/* another device has keys of its own */
	assert_non_null(advised(0x11, 1));
	assert_int_equal(look.region.addr, 0x3000);
	assert_null(advised(0x10, 3));
	mr_ledger_context(
		&ledger,
		&(struct mr_trace_record){
			.call = MR_TRACED_IBV_ADVISE_MR, .errnum = 22, .context = 0x10, .lkey = 1 },
		&look);
	assert_false(look.has_region); /* an advice without a range */
	assert_int_equal(look.registered_count, 3);
	/* a change gives the region another key */
	take((struct mr_trace_record){ .call = MR_TRACED_IBV_REREG_MR,
				       .object = 1,
				       .context = 0x10,
				       .lkey = 7,
				       .access = 1,
				       .call_flags = IBV_REREG_MR_CHANGE_ACCESS });
	assert_null(advised(0x10, 1));
	assert_non_null(advised(0x10, 7));
	assert_int_equal(look.region.access, 1);
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

static void registers(uint64_t object, uint64_t addr, uint64_t length)
{
	take((struct mr_trace_record){
		.call = MR_TRACED_IBV_REG_MR, .object = object, .addr = addr, .length = length });
}

static uint64_t bytes_before(void)
{
	const struct mr_trace_record call = { .call = MR_TRACED_IBV_REG_MR, .errnum = 12 };

	mr_ledger_context(&ledger, &call, &look);
	return look.registered_bytes;
}

TEST(all_memory_of_a_process_is_no_bytes_and_sums_stay_at_the_highest)
{
	const struct mr_call_tally *tally = &totals.calls[MR_TRACED_IBV_REG_MR];

	mr_ledger_count(&ledger, false, &totals);
	mr_ledger_release(&ledger);
	mr_totals_release(&totals);
	totals = (struct mr_trace_totals){ 0 };
	registers(0x30, 0, UINT64_MAX);
	registers(0x31, 0, UINT64_MAX);
	registers(0x32, 0x1000, 0x1000);
	assert_int_equal(bytes_before(), 0x1000);
	assert_int_equal(look.registered_count, 3);
	assert_int_equal(tally->bytes, 0x1000);
	registers(0x33, 0x1000, UINT64_MAX - 1);
	assert_int_equal(bytes_before(), UINT64_MAX);
	assert_int_equal(tally->bytes, UINT64_MAX);
	mr_totals_settle(&totals, UINT64_MAX);
	assert_int_equal(totals.live.most_bytes, UINT64_MAX);
	for (uint64_t object = 0x30; object <= 0x33; object++)
		take((struct mr_trace_record){ .call = MR_TRACED_IBV_DEREG_MR, .object = object });
	assert_int_equal(bytes_before(), 0);
	registers(0x34, 0x1000, 0x2000);
	assert_int_equal(bytes_before(), 0x2000);
}

/* A child frees a region of its parent only where that has the same handle. */
TEST(a_forked_process_has_the_objects_of_its_parent_by_their_handles)
{
	struct mr_ledger child = { .parent = &ledger };
	uint64_t before;
	struct mr_traced_record dereg = {
		.call = { .call = MR_TRACED_IBV_DEREG_MR, .object = 0x40, .handle = 6 }
	};
	struct mr_site *site = mr_ledger_site(&child, 1, MR_TRACED_IBV_DEREG_MR, 0);

	mr_totals_settle(&totals, UINT64_MAX);
	before = totals.live.count;
	take((struct mr_trace_record){ .call = MR_TRACED_IBV_REG_MR,
				       .object = 0x40,
				       .handle = 5,
				       .addr = 1,
				       .length = 9 });
	mr_ledger_take(&child, &totals, &dereg, site);
	mr_totals_settle(&totals, UINT64_MAX);
	assert_int_equal(totals.live.count, before + 1);
	dereg.call.handle = 5;
	dereg.call.errnum = ENOENT;
	mr_ledger_take(&child, &totals, &dereg, site);
	mr_totals_settle(&totals, UINT64_MAX);
	assert_int_equal(totals.live.count, before + 1);
	dereg.call.errnum = 0;
	mr_ledger_take(&child, &totals, &dereg, site);
	mr_totals_settle(&totals, UINT64_MAX);
	assert_int_equal(totals.live.count, before);
	mr_ledger_release(&child);
}

/* Another library may be loaded at the addresses of one that is gone. */
TEST(places_of_a_library_that_is_gone_stay_with_their_regions)
{
	const struct mr_traced_record record = { .call = { .call = MR_TRACED_IBV_REG_MR, .object = 0x60 } };
	struct mr_ledger own = { .parent = NULL };
	struct mr_site *places[3];

	for (uint64_t i = 0; i < 3; i++)
		places[i] = mr_ledger_site(&own, i + 1, MR_TRACED_IBV_REG_MR, 0);
	mr_ledger_take(&own, &totals, &record, places[1]);
	mr_ledger_retire(&own);
	assert_int_equal(own.site_count, 1);
	assert_ptr_not_equal(mr_ledger_site(&own, 2, MR_TRACED_IBV_REG_MR, 0), places[1]);
	mr_ledger_count(&own, false, &totals);
	mr_ledger_release(&own);
}

static void take_at(uint64_t begin_ns, enum mr_traced_call call, uint64_t object)
{
	take((struct mr_trace_record){ .begin_ns = begin_ns,
				       .elapsed_ns = 10,
				       .call = call,
				       .object = object,
				       .addr = 0x1000,
				       .length = 0x1000 });
}

/* The calls of one process are taken before those of another one. */
TEST(sums_of_all_processes_are_those_of_each_moment)
{
	uint64_t before;

	mr_totals_settle(&totals, UINT64_MAX);
	before = totals.live.count;
	totals.live.most_count = before;
	take_at(100, MR_TRACED_IBV_REG_MR, 0x50);
	take_at(200, MR_TRACED_IBV_DEREG_MR, 0x50);
	take_at(150, MR_TRACED_IBV_REG_MR, 0x51);
	take_at(250, MR_TRACED_IBV_DEREG_MR, 0x51);
	take_at(195, MR_TRACED_IBV_REG_MR, 0x52); /* ends when the first one is no more */
	take_at(260, MR_TRACED_IBV_DEREG_MR, 0x52);
	mr_totals_settle(&totals, 155);
	assert_int_equal(totals.live.count, before + 1);
	mr_totals_settle(&totals, UINT64_MAX);
	assert_int_equal(totals.live.count, before);
	assert_int_equal(totals.live.most_count, before + 2);
	take_at(UINT64_MAX / 2, MR_TRACED_IBV_REG_MR, 0x53); /* a time that is to come is not awaited */
	mr_totals_settle(&totals, mr_now_ns());
	assert_int_equal(totals.live.count, before + 1);
}

static int end_ledger(void **state __attribute__((unused)))
{
	mr_ledger_count(&ledger, false, &totals);
	mr_ledger_release(&ledger);
	mr_totals_release(&totals);
	return 0;
}

ALL_TESTS(NULL, end_ledger)
