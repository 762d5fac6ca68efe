// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lines through times by size. */
#include <errno.h>

#include "lib/bench/fit.h"
#include "tests/unit/unit.h"

static struct mr_fit fit;

/* Sizes of six powers of ten. */
static struct mr_fit_point points[] = { { 4096, 0 },     { 65536, 0 },     { 1048576, 0 },
					{ 16777216, 0 }, { 268435456, 0 }, { 4294967296, 0 } };
#define COUNT (sizeof(points) / sizeof(*points))

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

TEST(a_line_needs_three_sizes)
{
	set_times(1000, 1, 0);
	assert_int_equal(mr_fit(points, 2, &fit), -EDOM);
	assert_int_equal(mr_fit(points, 0, &fit), -EDOM);
	points[1].x = points[0].x;
	assert_int_equal(mr_fit(points, 3, &fit), -EDOM);
	points[1].x = 65536;
	assert_int_equal(mr_fit(points, 3, &fit), 0);
}

TEST(a_time_of_zero_has_no_relative_error)
{
	set_times(1000, 1, 0);
	points[2].y = 0;
	assert_int_equal(mr_fit(points, COUNT, &fit), -EDOM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_found_again),
		cmocka_unit_test(errors_count_by_their_part_of_the_time),
		cmocka_unit_test(a_line_needs_three_sizes),
		cmocka_unit_test(a_time_of_zero_has_no_relative_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
