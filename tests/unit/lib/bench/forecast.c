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
	static const struct {
		uint64_t size, piece, entry_page;
		int rc;
		uint64_t pieces, pinned, entries;
	} rows[] = {
		{ 500 * GIB, GIB, 4 * KIB, 0, 500, 131072000, 131072000 },
		{ 500 * GIB, GIB, 2 * MIB, 0, 500, 131072000, 256000 },
		/* the last piece may be smaller, and each has pages of its own */
		{ 20 * KIB, 8 * KIB, 4 * KIB, 0, 3, 5, 5 },
		{ 10000, 5000, 4 * KIB, 0, 2, 4, 4 },
		{ MIB, MIB, 4 * KIB, 0, 1, 256, 256 },
		{ UINT64_C(1) << 63, MIB, 4 * KIB, 0, UINT64_C(1) << 43, UINT64_C(1) << 51,
		  UINT64_C(1) << 51 },
		{ UINT64_MAX, MIB, 4 * KIB, -EOVERFLOW, 0, 0, 0 },
		{ UINT64_C(1) << 60, 1, 4 * KIB, -EOVERFLOW, 0, 0, 0 },
		{ 0, MIB, 4 * KIB, -EDOM, 0, 0, 0 },
		{ MIB, 0, 4 * KIB, -EDOM, 0, 0, 0 },
		{ MIB, 2 * MIB, 4 * KIB, -EDOM, 0, 0, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct mr_forecast_plan plan = plan_of(rows[i].size, rows[i].piece);

		plan.entry_page = rows[i].entry_page;
		assert_int_equal(mr_forecast_count(&plan, &counts), rows[i].rc);
		if (!rows[i].rc) {
			assert_int_equal(counts.pieces, rows[i].pieces);
			assert_int_equal(counts.pinned_pages, rows[i].pinned);
			assert_int_equal(counts.pinned_bytes, 4 * KIB * rows[i].pinned);
			assert_int_equal(counts.entries, rows[i].entries);
		}
		/* regions on demand pin nothing, and can be too many all the same */
		plan.is_pinned = false;
		assert_int_equal(mr_forecast_count(&plan, &counts), rows[i].rc);
		if (!rows[i].rc) {
			assert_int_equal(counts.pinned_pages, 0);
			assert_int_equal(counts.entries, rows[i].entries);
		}
	}
}

static struct mr_forecast_limit limits[] = {
	{ "max_mr_size", MR_FORECAST_PIECE, { 0, false } },
	{ "max_mr", MR_FORECAST_PIECES, { 0, false } },
	{ "RLIMIT_MEMLOCK", MR_FORECAST_PINNED, { 0, false } },
};

TEST(the_first_limit_that_is_passed_decides)
{
	static const struct {
		uint64_t most[3]; /* 0: not known */
		bool is_pinned;
		size_t decides; /* 3: none */
		uint64_t needed;
	} rows[] = {
		{ { MIB, 1024, GIB }, true, 3, 0 },
		{ { MIB, 1024, GIB - 1 }, true, 2, GIB },
		{ { MIB, 1023, GIB - 1 }, true, 1, 1024 },
		{ { MIB - 1, 1023, GIB - 1 }, true, 0, MIB },
		{ { 0, 0, 0 }, true, 3, 0 },
		{ { 0, 0, 1 }, true, 2, GIB },
		{ { 0, 0, 1 }, false, 3, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct mr_forecast_plan plan = plan_of(GIB, MIB);
		const struct mr_forecast_limit *found;

		plan.is_pinned = rows[i].is_pinned;
		for (size_t n = 0; n < 3; n++)
			limits[n].most =
				(struct mr_opt_u64){ rows[i].most[n], rows[i].most[n] != 0 };
		assert_int_equal(mr_forecast_count(&plan, &counts), 0);
		found = mr_forecast_judge(&plan, &counts, limits, 3);
		assert_ptr_equal(found, rows[i].decides < 3 ? &limits[rows[i].decides] : NULL);
		if (found)
			assert_int_equal(mr_forecast_needed(&plan, &counts, found->subject),
					 rows[i].needed);
	}
}

/* 1 us, and 1 ns for each KiB. */
static const struct mr_fit_point points[] = { { 4096, 1004 }, { 65536, 1064 }, { 1048576, 2024 } };

static const struct mr_fit_point falling[] = { { 1000, 3000 }, { 2000, 2000 }, { 3000, 1000 } };

TEST(a_size_takes_what_was_measured_or_what_the_line_says)
{
	static const struct {
		const struct mr_fit_point *points;
		size_t count;
		uint64_t piece, pieces;
		uint32_t threads;
		enum mr_forecast_by by;
		uint64_t piece_ns, all_ns;
	} rows[] = {
		{ points, 3, 65536, 1000, 1, MR_FORECAST_MEASURED, 1064, 1064000 },
		{ points, 3, GIB, 500, 1, MR_FORECAST_FITTED, 1049576, 524788000 },
		/* threads take turns of one piece each */
		{ points, 3, 65536, 1000, 8, MR_FORECAST_MEASURED, 1064, 125 * 1064 },
		{ points, 3, 65536, 1001, 8, MR_FORECAST_MEASURED, 1064, 126 * 1064 },
		{ points, 3, 65536, 1, 8, MR_FORECAST_MEASURED, 1064, 1064 },
		{ falling, 3, 2000, 1, 1, MR_FORECAST_MEASURED, 2000, 2000 },
		{ falling, 3, 2500, 1, 1, MR_FORECAST_UNKNOWN, 0, 0 },
		{ points, 2, GIB, 500, 1, MR_FORECAST_UNKNOWN, 0, 0 },
		{ points, 0, 4096, 500, 1, MR_FORECAST_UNKNOWN, 0, 0 },
		{ points, 3, 4096, UINT64_MAX, 1, MR_FORECAST_UNKNOWN, 0, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct mr_forecast_time time =
			mr_forecast_time(rows[i].points, rows[i].count, rows[i].piece,
					 rows[i].pieces, rows[i].threads);

		assert_int_equal(time.by, rows[i].by);
		/* within a billionth, as the line is fitted */
		assert_in_range(time.piece_ns + 1, rows[i].piece_ns, rows[i].piece_ns + 2);
		assert_in_range(time.all_ns + 1000, rows[i].all_ns, rows[i].all_ns + 2000);
	}
	assert_string_equal(mr_forecast_by_name(MR_FORECAST_MEASURED), "measured");
	assert_string_equal(mr_forecast_by_name(MR_FORECAST_FITTED), "fitted");
	assert_null(mr_forecast_by_name(MR_FORECAST_UNKNOWN));
}
