// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lines through times by size. */
#include <errno.h>

#include "lib/bench/fit.h"
#include "tests/unit/unit.h"

static struct mr_fit fit;

/* Sizes of six powers of ten. */
static struct mr_fit_point points[] = { { 4096, 0 },     { 65536, 0 },     { 1048576, 0 },
					{ 16777216, 0 }, { 268435456, 0 }, { 4294967296, 0 } };
#define COUNT ARRAY_SIZE(points)

static void set_times(double fixed, double slope, double error)
{
	for (size_t i = 0; i < COUNT; i++)
		points[i].y = (fixed + slope * points[i].x) * (i % 2 ? 1 + error : 1 - error);
}

static bool is_near(double found, double exact, double part)
{
	return found > exact * (1 - part) && found < exact * (1 + part);
}

TEST(a_line_is_found_again)
{
	set_times(16000, 0.06, 0);
	assert_int_equal(mr_fit(points, COUNT, &fit), 0);
	assert_true(is_near(fit.fixed, 16000, 1e-6));
	assert_true(is_near(fit.slope, 0.06, 1e-6));
	assert_true(fit.residual < 1e-6);
}

TEST(errors_count_by_their_part_of_the_time)
{
	set_times(16000, 0.06, 0.05);
	assert_int_equal(mr_fit(points, COUNT, &fit), 0);
	/* By absolute errors the largest size alone would decide, and the fixed part would be far off. */
	assert_true(is_near(fit.fixed, 16000, 0.1));
	assert_true(is_near(fit.slope, 0.06, 0.1));
	assert_true(is_near(fit.residual, 0.05, 0.3));
}

/* Of the sizes that are measured by default, one at a time. */
TEST(a_wrong_time_does_not_move_the_line)
{
	static const double factors[] = { 0.1, 0.5, 2, 10, 1000 };
	struct mr_fit_point sweep[10];

	for (size_t wrong = 0; wrong < ARRAY_SIZE(sweep); wrong++) {
		for (size_t f = 0; f < ARRAY_SIZE(factors); f++) {
			for (size_t i = 0; i < ARRAY_SIZE(sweep); i++) {
				sweep[i].x = (double)(UINT64_C(4096) << 2 * i);
				sweep[i].y = (16000 + 0.06 * sweep[i].x) * (i % 2 ? 1.01 : 0.99);
			}
			sweep[wrong].y *= factors[f];
			assert_int_equal(mr_fit(sweep, ARRAY_SIZE(sweep), &fit), 0);
			assert_true(is_near(fit.fixed, 16000, 0.03));
			assert_true(is_near(fit.slope, 0.06, 0.03));
			assert_true(fit.residual > 0.1);
		}
	}
}

TEST(a_line_needs_three_sizes_and_times_above_zero)
{
	set_times(1000, 1, 0);
	assert_int_equal(mr_fit(points, 2, &fit), -EDOM);
	assert_int_equal(mr_fit(points, 0, &fit), -EDOM);
	points[1].x = points[0].x;
	assert_int_equal(mr_fit(points, 3, &fit), -EDOM);
	points[1].x = 65536;
	assert_int_equal(mr_fit(points, 3, &fit), 0);
	points[2].y = 0;
	assert_int_equal(mr_fit(points, COUNT, &fit), -EDOM);
	for (size_t i = 0; i < COUNT; i++)
		points[i].y = i % 2 ? 1 : 1000;
	assert_int_equal(mr_fit(points, COUNT, &fit), 0);
	assert_true(fit.residual > 0.5); /* they are no line */
}
