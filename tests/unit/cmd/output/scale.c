// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which values the axes of charts have, and how their ticks are labelled. */
#include <float.h>
#include <math.h>

#include "cmd/output/scale.h"
#include "tests/unit/unit.h"

/* The labels of the horizontal axis of a chart with these two values, and blanks between. */
static const char *labels(enum chart_unit unit, bool is_log, double low, double high, size_t ticks)
{
	static char text[SCALE_TICKS * SCALE_LABEL_MAX];
	const struct chart_point points[] = { { low, 1 }, { high, 1 } };
	const struct chart_curve curve = { .points = points, .count = 2 };
	const struct chart chart = { .x = { .unit = unit, .is_log = is_log },
				     .curves = &curve,
				     .count = 1 };
	struct scale scale;
	char label[SCALE_LABEL_MAX];

	scale_fit(&scale, &chart, &chart.x, ticks);
	assert_true(scale.low < scale.high);
	assert_true(scale.low <= low && high <= scale.high);
	text[0] = '\0';
	for (size_t i = 0; i < scale.count; i++) {
		if (i) {
			assert_true(scale.ticks[i - 1] < scale.ticks[i]);
			strcat(text, ", ");
		}
		strcat(text, scale_label(&scale, scale.ticks[i], label));
	}
	return text;
}

TEST(ticks_are_values_that_people_count_in)
{
	static const struct row {
		enum chart_unit unit;
		bool is_log;
		double low, high;
		size_t ticks;
		const char *labels;
	} rows[] = {
		{ CHART_BYTES, true, 4096, 1 << 30, 10,
		  "4K, 16K, 64K, 256K, 1M, 4M, 16M, 64M, 256M, 1G" },
		{ CHART_BYTES, true, 5000, 60000, 10, "4K, 16K, 64K" },
		{ CHART_BYTES, true, 65536, 65536, 10, "16K, 64K, 256K" },
		{ CHART_BYTES, false, 4096, 1 << 20, 4, "0, 256K, 512K, 768K, 1M" },
		{ CHART_NS, true, 1200, 12e6, 8, "1 us, 10 us, 100 us, 1 ms, 10 ms" },
		{ CHART_NS, true, 3000, 3000, 8, "2 us, 5 us" },
		{ CHART_NS, true, 0.3, 4e12, 4, "1 ns, 1 ms, 1000 s" },
		{ CHART_NS, false, 400, 1400, 8,
		  "0, 200 ns, 400 ns, 600 ns, 800 ns, 1 us, 1.2 us, 1.4 us" },
		{ CHART_NS, false, 1000001, 1000002, 2, "1.000001 ms, 1.0000015 ms, 1.000002 ms" },
		{ CHART_NS, false, 0, 0, 2, "0, 0.5 ns, 1 ns" },
		{ CHART_FRACTION, false, 0.3, 0.4, 5, "0 %, 20 %, 40 %, 60 %, 80 %, 100 %" },
		{ CHART_FRACTION, true, 0.0001, 1, 5, "0.01 %, 0.1 %, 1 %, 10 %, 100 %" },
		{ CHART_COUNT, false, 0, 1e12, 5, "0, 200G, 400G, 600G, 800G, 1T" },
		{ CHART_COUNT, false, -1500, 1500, 3, "-2k, -1k, 0, 1k, 2k" },
		{ CHART_BYTES, true, 4096, 1 << 30, 5, "4K, 64K, 1M, 16M, 256M" },
		{ CHART_BYTES, true, 8192, 1 << 30, 5, "64K, 1M, 16M, 256M" },
		{ CHART_NS, true, 3000, 3000, 8, "2 us, 5 us" },
		{ CHART_COUNT, true, 1, 1e12, 5, "1, 1k, 1M, 1G, 1T" },
		{ CHART_COUNT, true, 1e-9, 1, 5, "1e-8, 1e-6, 0.0001, 0.01, 1" },
		{ CHART_COUNT, false, 0, 1e60, 2, "0, 5e41E, 1e42E" },
		{ CHART_BYTES, true, 1, 2048, 4, "1, 16, 256" },
		{ CHART_NS, true, 5000, 5000, 8, "500 ns, 1 us, 2 us, 5 us, 10 us, 20 us, 50 us" },
		{ CHART_COUNT, true, 1e-100, 1e100, 2, "1" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];

		assert_string_equal(labels(row->unit, row->is_log, row->low, row->high, row->ticks),
				    row->labels);
	}
}

TEST(points_without_a_place_are_left_out)
{
	static const struct {
		struct chart_point point;
		bool linear, logarithmic;
	} rows[] = { { { 0, -1 }, true, false },      { { -1, 1 }, true, false },
		     { { DBL_MIN, 1 }, true, false }, { { 1, -1 }, true, true },
		     { { NAN, 1 }, false, false },    { { 1, INFINITY }, false, false },
		     { { DBL_MAX, 1 }, false, false } };
	const struct chart linear = { .title = "" }, logarithmic = { .x.is_log = true };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(scale_shows(&linear, &rows[i].point), rows[i].linear);
		assert_int_equal(scale_shows(&logarithmic, &rows[i].point), rows[i].logarithmic);
	}
}

TEST(a_value_has_its_place_on_the_axis)
{
	const struct scale scale = { .is_log = true, .low = 1, .high = 1e6 };
	const struct scale linear = { .low = -1, .high = 3 };

	assert_true(fabs(scale_place(&scale, 100) - 2 / 6.0) < 1e-6);
	assert_true(fabs(scale_place(&scale, 2e6) - 1) < 1e-9);
	assert_true(fabs(scale_place(&linear, 0) - 0.25) < 1e-9);
	assert_true(fabs(scale_place(&linear, -2) - 0) < 1e-9);
}
