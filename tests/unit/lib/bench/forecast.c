// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What it takes to register much memory in pieces. */
#include <errno.h>

#include "lib/bench/forecast.h"
#include "tests/unit/unit.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

static struct mr_forecast_counts counts;

static struct mr_forecast_plan plan_of(uint64_t size, uint64_t piece)
{
	return (struct mr_forecast_plan){ .size = size,
					  .piece = piece,
					  .page = 4 * KIB,
					  .entry_page = 4 * KIB,
					  .is_pinned = true };
}

TEST(pieces_pages_and_entries_are_counted)
{
	struct mr_forecast_plan plan = plan_of(500 * GIB, GIB);

	assert_int_equal(mr_forecast_count(&plan, &counts), 0);
	assert_int_equal(counts.pieces, 500);
	assert_int_equal(counts.pinned_pages, 131072000);
	assert_int_equal(counts.pinned_bytes, 500 * GIB);
	assert_int_equal(counts.entries, 131072000);
	plan.entry_page = 2 * MIB;
	assert_int_equal(mr_forecast_count(&plan, &counts), 0);
	assert_int_equal(counts.pinned_pages, 131072000);
	assert_int_equal(counts.entries, 256000);
}

TEST(the_last_piece_may_be_smaller_and_each_has_pages_of_its_own)
{
	struct mr_forecast_plan plan = plan_of(20 * KIB, 8 * KIB);

	assert_int_equal(mr_forecast_count(&plan, &counts), 0);
	assert_int_equal(counts.pieces, 3);
	assert_int_equal(counts.pinned_pages, 5);
	plan = plan_of(10000, 5000);
	assert_int_equal(mr_forecast_count(&plan, &counts), 0);
	assert_int_equal(counts.pieces, 2);
	assert_int_equal(counts.pinned_pages, 4);
}

TEST(regions_on_demand_pin_nothing)
{
	struct mr_forecast_plan plan = plan_of(GIB, MIB);

	plan.is_pinned = false;
	assert_int_equal(mr_forecast_count(&plan, &counts), 0);
	assert_int_equal(counts.pinned_pages, 0);
	assert_int_equal(counts.pinned_bytes, 0);
	assert_int_equal(counts.entries, GIB / (4 * KIB));
}

TEST(what_cannot_be_counted_is_refused)
{
	struct mr_forecast_plan plan = plan_of(UINT64_MAX, MIB);

	assert_int_equal(mr_forecast_count(&plan, &counts), -EOVERFLOW);
	plan = plan_of(UINT64_C(1) << 60, 1);
	assert_int_equal(mr_forecast_count(&plan, &counts), -EOVERFLOW);
	plan = plan_of(UINT64_C(1) << 63, MIB);
	assert_int_equal(mr_forecast_count(&plan, &counts), 0);
	plan.is_pinned = false;
	plan.size = UINT64_MAX;
	assert_int_equal(mr_forecast_count(&plan, &counts), -EOVERFLOW);
	plan = plan_of(0, MIB);
	assert_int_equal(mr_forecast_count(&plan, &counts), -EDOM);
	plan = plan_of(MIB, 0);
	assert_int_equal(mr_forecast_count(&plan, &counts), -EDOM);
	plan = plan_of(MIB, 2 * MIB);
	assert_int_equal(mr_forecast_count(&plan, &counts), -EDOM);
}

static struct mr_forecast_limit limits[] = {
	{ "max_mr_size", MR_FORECAST_PIECE, { 0, false } },
	{ "max_mr", MR_FORECAST_PIECES, { 0, false } },
	{ "RLIMIT_MEMLOCK", MR_FORECAST_PINNED, { 0, false } },
};

static void set_limits(uint64_t piece, uint64_t pieces, uint64_t pinned)
{
	limits[0].most = (struct mr_opt_u64){ piece, true };
	limits[1].most = (struct mr_opt_u64){ pieces, true };
	limits[2].most = (struct mr_opt_u64){ pinned, true };
}

static const struct mr_forecast_limit *judge(const struct mr_forecast_plan *plan)
{
	assert_int_equal(mr_forecast_count(plan, &counts), 0);
	return mr_forecast_judge(plan, &counts, limits, 3);
}

TEST(the_first_limit_that_is_passed_decides)
{
	struct mr_forecast_plan plan = plan_of(GIB, MIB);

	set_limits(MIB, 1024, GIB);
	assert_null(judge(&plan));
	set_limits(MIB, 1024, GIB - 1);
	assert_ptr_equal(judge(&plan), &limits[2]);
	assert_int_equal(mr_forecast_needed(&plan, &counts, MR_FORECAST_PINNED), GIB);
	set_limits(MIB, 1023, GIB - 1);
	assert_ptr_equal(judge(&plan), &limits[1]);
	assert_int_equal(mr_forecast_needed(&plan, &counts, MR_FORECAST_PIECES), 1024);
	set_limits(MIB - 1, 1023, GIB - 1);
	assert_ptr_equal(judge(&plan), &limits[0]);
	assert_int_equal(mr_forecast_needed(&plan, &counts, MR_FORECAST_PIECE), MIB);
}

TEST(a_limit_that_is_not_known_decides_nothing)
{
	struct mr_forecast_plan plan = plan_of(GIB, MIB);

	set_limits(1, 1, 1);
	for (size_t i = 0; i < 3; i++)
		limits[i].most.known = false;
	assert_null(judge(&plan));
	/* The bytes of regions on demand are not pinned. */
	limits[2].most.known = true;
	assert_ptr_equal(judge(&plan), &limits[2]);
	plan.is_pinned = false;
	assert_null(judge(&plan));
}

/* 1 us, and 1 ns for each KiB. */
static const struct mr_fit_point points[] = { { 4096, 1004 }, { 65536, 1064 }, { 1048576, 2024 } };

TEST(a_size_that_was_measured_takes_what_was_measured)
{
	struct mr_forecast_time time = mr_forecast_time(points, 3, 65536, 1000, 1);

	assert_int_equal(time.by, MR_FORECAST_MEASURED);
	assert_string_equal(mr_forecast_by_name(time.by), "measured");
	assert_int_equal(time.piece_ns, 1064);
	assert_int_equal(time.all_ns, 1064000);
	assert_true(time.residual <= 0);
}

TEST(another_size_takes_what_the_line_says)
{
	struct mr_forecast_time time = mr_forecast_time(points, 3, GIB, 500, 1);

	assert_int_equal(time.by, MR_FORECAST_FITTED);
	assert_string_equal(mr_forecast_by_name(time.by), "fitted");
	assert_in_range(time.piece_ns, 1049575, 1049577);
	assert_in_range(time.all_ns, 500 * UINT64_C(1049575), 500 * UINT64_C(1049577));
}

TEST(threads_take_turns_of_one_piece_each)
{
	assert_int_equal(mr_forecast_time(points, 3, 65536, 1000, 8).all_ns, 125 * 1064);
	assert_int_equal(mr_forecast_time(points, 3, 65536, 1001, 8).all_ns, 126 * 1064);
	assert_int_equal(mr_forecast_time(points, 3, 65536, 1, 8).all_ns, 1064);
}

TEST(a_time_that_nothing_tells_is_not_known)
{
	static const struct mr_fit_point falling[] = { { 1000, 3000 },
						       { 2000, 2000 },
						       { 3000, 1000 } };

	assert_int_equal(mr_forecast_time(points, 2, GIB, 500, 1).by, MR_FORECAST_UNKNOWN);
	assert_int_equal(mr_forecast_time(points, 0, 4096, 500, 1).by, MR_FORECAST_UNKNOWN);
	assert_int_equal(mr_forecast_time(falling, 3, 5000, 1, 1).by, MR_FORECAST_UNKNOWN);
	assert_int_equal(mr_forecast_time(falling, 3, 2500, 1, 1).by, MR_FORECAST_UNKNOWN);
	assert_int_equal(mr_forecast_time(falling, 3, 2000, 1, 1).by, MR_FORECAST_MEASURED);
	assert_int_equal(mr_forecast_time(points, 3, 4096, UINT64_MAX, 1).by, MR_FORECAST_UNKNOWN);
	assert_null(mr_forecast_by_name(MR_FORECAST_UNKNOWN));
}
