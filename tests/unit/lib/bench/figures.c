// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Figures: what histograms, lines and effects tell of values, against the values themselves. */
#include <math.h>

#include "lib/bench/bench.h"
#include "tests/unit/unit.h"

/* ---- histograms ---- */

#define COUNT 20000

static struct mr_histogram histogram;
static uint64_t values[COUNT];

static int set_up(void **state __attribute__((unused)))
{
	return mr_histogram_init(&histogram);
}

static int tear_down(void **state __attribute__((unused)))
{
	mr_histogram_release(&histogram);
	return 0;
}

/* The same numbers on each machine (Marsaglia's xorshift). */
static uint64_t next_number(void)
{
	static uint64_t state = 88172645463325252;

	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

static int compare(const void *left, const void *right)
{
	const uint64_t l = *(const uint64_t *)left, r = *(const uint64_t *)right;

	return (l > r) - (l < r);
}

static bool is_near(uint64_t found, uint64_t exact)
{
	const uint64_t difference = found > exact ? found - exact : exact - found;

	return difference <= exact / 2048;
}

/* Adds a value some times. */
static void add(uint64_t value, int count)
{
	while (count--)
		mr_histogram_add(&histogram, value);
}

/* Each quantile is that of the sorted values, within the width of a bucket. */
TEST(quantiles_are_near_those_of_the_values)
{
	for (int kind = 0; kind < 3; kind++) {
		for (size_t i = 0; i < COUNT; i++) {
			const uint64_t two_groups[] = { 4000000 + next_number() % 100000,
							1000 + next_number() % 50 };

			values[i] = kind == 0   ? next_number() % 1000000
				    : kind == 1 ? next_number() >> (next_number() % 64)
						: two_groups[i % 10 != 0];
			mr_histogram_add(&histogram, values[i]);
		}
		qsort(values, COUNT, sizeof(*values), compare);
		for (size_t rank = 1; rank <= COUNT; rank += 37)
			assert_true(is_near(mr_histogram_quantile(&histogram, (double)rank / COUNT),
					    values[rank - 1]));
		assert_int_equal(mr_histogram_quantile(&histogram, 0), values[0]);
		assert_int_equal(mr_histogram_quantile(&histogram, 1), values[COUNT - 1]);
		tear_down(NULL);
		set_up(NULL);
	}
}

TEST(equal_values_are_told_exactly)
{
	add(123456789, 1000);
	assert_int_equal(histogram.min, 123456789);
	assert_int_equal(mr_histogram_quantile(&histogram, 0.5), 123456789);
	assert_int_equal(mr_histogram_quantile(&histogram, 0.999), 123456789);
	assert_true(mr_histogram_mean(&histogram) > 123456788.99);
	assert_true(mr_histogram_mean(&histogram) < 123456789.01);
}

TEST(no_values_are_zeros_and_the_least_and_greatest_numbers_have_a_place)
{
	size_t count;

	assert_int_equal(mr_histogram_quantile(&histogram, 0.5), 0);
	assert_true(mr_histogram_mean(&histogram) < 0.1);
	assert_null(mr_histogram_list(&histogram, &count));
	add(0, 1);
	add(UINT64_MAX, 2);
	assert_int_equal(mr_histogram_quantile(&histogram, 0.1), 0);
	assert_int_equal(mr_histogram_quantile(&histogram, 0.9), UINT64_MAX);
	assert_int_equal(histogram.min, 0);
	assert_int_equal(histogram.max, UINT64_MAX);
	free(mr_histogram_list(&histogram, &count));
	assert_int_equal(count, 2);
}

TEST(the_buckets_go_up_and_hold_each_value_once)
{
	struct mr_histogram_bucket *list;
	uint64_t count = 0, last = 0;
	size_t buckets;

	for (size_t i = 0; i < COUNT; i++)
		mr_histogram_add(&histogram, next_number() >> (next_number() % 50));
	list = mr_histogram_list(&histogram, &buckets);
	for (size_t i = 0; i < buckets; i++) {
		assert_true(!i || list[i].ns.value > last);
		assert_true(list[i].count.value > 0);
		last = list[i].ns.value;
		count += list[i].count.value;
	}
	free(list);
	assert_int_equal(count, COUNT);
	assert_int_equal(histogram.count, COUNT);
}

TEST(outliers_are_far_from_values_that_differ_or_do_not)
{
	/* hardly any differ: twice the median */
	add(1000, 95);
	add(1900, 3);
	add(2100, 2);
	assert_int_equal(mr_histogram_outliers(&histogram), 2);
	/* p90 becomes 1900: ten times the distance from the median */
	add(1900, 60);
	assert_int_equal(mr_histogram_outliers(&histogram), 0);
	add(11000, 4);
	assert_int_equal(mr_histogram_outliers(&histogram), 4);
}

EACH_TEST(set_up, tear_down)

TEST(the_median_is_a_value_and_the_lower_one_of_two)
{
	uint64_t times[] = { 9, 1, 7, 3, 5, 2 };

	assert_int_equal(mr_bench_median(times, 0), 0);
	assert_int_equal(mr_bench_median(times, 5), 5);
	assert_int_equal(mr_bench_median(times, 6), 3);
}

/* More than 0, less than 1. */
static double next_part(void)
{
	return ((double)(next_number() >> 12) + 0.5) / (double)(UINT64_C(1) << 52);
}

/* ---- lines ---- */

static struct mr_fit fit;

/* Sizes of six powers of ten. */
static struct mr_fit_point points[] = { { 4096, 0 },     { 65536, 0 },     { 1048576, 0 },
					{ 16777216, 0 }, { 268435456, 0 }, { 4294967296, 0 } };
#define FITTED ARRAY_SIZE(points)

static void set_times(double fixed, double slope, double error)
{
	for (size_t i = 0; i < FITTED; i++)
		points[i].y = (fixed + slope * points[i].x) * (i % 2 ? 1 + error : 1 - error);
}

static bool is_within(double found, double exact, double part)
{
	return found > exact * (1 - part) && found < exact * (1 + part);
}

TEST(errors_count_by_their_part_of_the_time)
{
	set_times(16000, 0.06, 0.05);
	assert_int_equal(mr_fit(points, FITTED, &fit), 0);
	/* By absolute errors the largest size alone would decide, and the fixed part would be far off. */
	assert_true(is_within(fit.fixed, 16000, 0.1));
	assert_true(is_within(fit.slope, 0.06, 0.1));
	assert_true(is_within(fit.residual, 0.05, 0.3));
}

/* The default sizes, one at a time. */
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
			assert_true(is_within(fit.fixed, 16000, 0.03));
			assert_true(is_within(fit.slope, 0.06, 0.03));
			assert_true(fit.residual > 0.1);
		}
	}
}

TEST(a_line_needs_three_sizes_and_times_above_zero)
{
	set_times(1000, 1, 0);
	assert_int_equal(mr_fit(points, 2, &fit), -EDOM);
	assert_int_equal(mr_fit(points, 0, &fit), -EDOM);
	assert_int_equal(mr_fit(points, 3, &fit), 0);
	points[FITTED - 1].y = 0;
	assert_int_equal(mr_fit(points, FITTED, &fit), -EDOM);
	for (size_t i = 0; i < FITTED; i++)
		points[i].y = i % 2 ? 1 : 1000;
	assert_int_equal(mr_fit(points, FITTED, &fit), 0);
	assert_true(fit.residual > 0.5); /* they are no line */
}

/* Times have normal errors of 2 %: 50 of 1000 lines have another time than the true one in their interval. */
TEST(the_interval_around_a_line_holds_the_true_one_in_95_of_100_trials)
{
	static const double sizes[] = { 4096, 1048576, 1e12 };

	for (size_t size = 0; size < ARRAY_SIZE(sizes); size++) {
		const double exact = 16000 + 0.06 * sizes[size];
		int misses = 0;

		for (int trial = 0; trial < 1000; trial++) {
			for (size_t i = 0; i < FITTED; i++) {
				double normal = -6;

				for (int n = 0; n < 12; n++)
					normal += next_part();
				points[i].y = (16000 + 0.06 * points[i].x) * (1 + 0.02 * normal);
			}
			assert_int_equal(mr_fit(points, FITTED, &fit), 0);
			misses += fabs(fit.fixed + fit.slope * sizes[size] - exact) >
				  mr_fit_error(&fit, sizes[size]);
		}
		assert_in_range(misses, 30, 75);
	}
	points[1].y *= 10;
	assert_int_equal(mr_fit(points, 3, &fit), 0);
	assert_true(isinf(mr_fit_error(&fit, 4096))); /* two points are a line, whatever their errors */
}

/* ---- effects ---- */

static struct mr_effect effect;

static bool is_equal(double found, double exact)
{
	return fabs(found / exact - 1) < 1e-9;
}

TEST(a_factor_is_found_again)
{
	double old[10], new[10];

	for (size_t i = 0; i < 10; i++) {
		old[i] = 1000;
		new[i] = 1200;
	}
	assert_int_equal(mr_effect(old, 10, new, 10, &effect), 0);
	assert_true(is_equal(effect.ratio, 1.2));
	assert_true(is_equal(effect.low, 1.2));
	assert_true(is_equal(effect.high, 1.2));
	for (size_t i = 0; i < 10; i++)
		new[i] = i < 5 ? 1000 : 4000; /* the middle is between the fifth and the sixth */
	assert_int_equal(mr_effect(old, 10, new, 10, &effect), 0);
	assert_true(is_equal(effect.ratio, 2));
}

/*
 * Tables of critical values of U at 5 %, two-sided: 2 of 5 and 5 times, 8 of 7 and 7, 23 of 10 and 10, 127 of 20
 * and 20.  The interval ends at the next rank.
 */
TEST(the_ends_have_the_ranks_of_the_tables)
{
	static const struct {
		size_t count, critical;
	} tables[] = { { 5, 2 }, { 7, 8 }, { 10, 23 }, { 20, 127 } };

	for (size_t t = 0; t < ARRAY_SIZE(tables); t++) {
		const size_t count = tables[t].count;
		double old[20], new[20], lower = 0, higher = 0;

		/* All ratios differ: the rank of an end is how many are not beyond it. */
		for (size_t i = 0; i < count; i++) {
			old[i] = exp((double)i);
			new[i] = exp((double)i / 32);
		}
		assert_int_equal(mr_effect(old, count, new, count, &effect), 0);
		for (size_t i = 0; i < count * count; i++) {
			lower += new[i % count] / old[i / count] <= effect.low;
			higher += new[i % count] / old[i / count] >= effect.high;
		}
		/* one less makes the interval wider */
		assert_in_range((size_t)lower, tables[t].critical, tables[t].critical + 1);
		assert_in_range((size_t)higher, tables[t].critical, tables[t].critical + 1);
	}
}

TEST(too_few_times_or_one_of_zero_have_no_interval)
{
	const double times[] = { 1, 2, 3, 4, 0 };

	assert_int_equal(mr_effect(times, 3, times, 3, &effect), -EDOM);
	assert_int_equal(mr_effect(times, 0, times, 4, &effect), -EDOM);
	assert_int_equal(mr_effect(times, 1, times, 4, &effect), -EDOM);
	assert_int_equal(mr_effect(times, 4, times, 4, &effect), 0);
	assert_int_equal(mr_effect(times, 5, times, 4, &effect), -EDOM);
	assert_int_equal(mr_effect(times, 4, times, 5, &effect), -EDOM);
}

/* How often of so many trials the interval misses the true ratio, of times that are far from normal. */
static unsigned int count_misses(int trials, size_t old_count, size_t new_count, double ratio)
{
	double old[60], new[60];
	unsigned int misses = 0;

	for (int trial = 0; trial < trials; trial++) {
		for (size_t i = 0; i < old_count; i++)
			old[i] = exp(pow(next_part(), -0.5));
		for (size_t i = 0; i < new_count; i++)
			new[i] = ratio *exp(pow(next_part(), -0.5));
		assert_int_equal(mr_effect(old, old_count, new, new_count, &effect), 0);
		assert_true(effect.low <= effect.ratio && effect.ratio <= effect.high);
		misses += effect.low > ratio || effect.high < ratio;
	}
	return misses;
}

TEST(the_interval_holds_the_true_ratio_in_95_of_100_trials)
{
	assert_in_range(count_misses(2000, 5, 5, 1), 0, 120);
	assert_in_range(count_misses(2000, 10, 10, 1.3), 20, 120);
	assert_in_range(count_misses(2000, 10, 20, 0.5), 20, 120);
	/* by the normal distribution: 50 of 1000 are 5 % */
	assert_in_range(count_misses(1000, 8, 60, 1), 30, 75);
	assert_in_range(count_misses(500, 51, 51, 2), 13, 37);
}
