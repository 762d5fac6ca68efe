// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Histograms: what they tell of values, against the values themselves. */
#include <stdlib.h>

#include "lib/bench/histogram.h"
#include "tests/unit/unit.h"

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
			mr_histogram_add(&histogram, values[i], 1);
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
	mr_histogram_add(&histogram, 123456789, 1000);
	mr_histogram_add(&histogram, 1, 0);
	assert_int_equal(histogram.min, 123456789);
	assert_int_equal(mr_histogram_quantile(&histogram, 0.5), 123456789);
	assert_int_equal(mr_histogram_quantile(&histogram, 0.999), 123456789);
	assert_true(mr_histogram_mean(&histogram) > 123456788.99);
	assert_true(mr_histogram_mean(&histogram) < 123456789.01);
}

TEST(no_values_are_zeros_and_the_least_and_greatest_numbers_have_a_place)
{
	struct mr_histogram_bucket bucket;
	size_t from = 0;

	assert_int_equal(mr_histogram_quantile(&histogram, 0.5), 0);
	assert_true(mr_histogram_mean(&histogram) < 0.1);
	assert_false(mr_histogram_next(&histogram, &from, &bucket));
	mr_histogram_add(&histogram, 0, 1);
	mr_histogram_add(&histogram, UINT64_MAX, 2);
	assert_int_equal(mr_histogram_quantile(&histogram, 0.1), 0);
	assert_int_equal(mr_histogram_quantile(&histogram, 0.9), UINT64_MAX);
	assert_int_equal(histogram.min, 0);
	assert_int_equal(histogram.max, UINT64_MAX);
}

TEST(the_buckets_go_up_and_hold_each_value_once)
{
	struct mr_histogram_bucket bucket;
	uint64_t count = 0, last = 0;
	size_t from = 0;

	for (size_t i = 0; i < COUNT; i++)
		mr_histogram_add(&histogram, next_number() >> (next_number() % 50), 1);
	while (mr_histogram_next(&histogram, &from, &bucket)) {
		assert_true(!count || bucket.ns > last);
		assert_true(bucket.count > 0);
		last = bucket.ns;
		count += bucket.count;
	}
	assert_int_equal(count, COUNT);
	assert_int_equal(histogram.count, COUNT);
}

TEST(outliers_are_far_from_values_that_differ_or_do_not)
{
	/* hardly any differ: twice the median */
	mr_histogram_add(&histogram, 1000, 95);
	mr_histogram_add(&histogram, 1900, 3);
	mr_histogram_add(&histogram, 2100, 2);
	assert_int_equal(mr_histogram_above(&histogram, 2000), 2);
	assert_int_equal(mr_histogram_above(&histogram, 2100), 0);
	assert_int_equal(mr_histogram_above(&histogram, 0), 100);
	assert_int_equal(mr_histogram_outliers(&histogram), 2);
	/* p90 becomes 1900: ten times the distance from the median */
	mr_histogram_add(&histogram, 1900, 60);
	assert_int_equal(mr_histogram_outliers(&histogram), 0);
	mr_histogram_add(&histogram, 11000, 4);
	assert_int_equal(mr_histogram_outliers(&histogram), 4);
}

EACH_TEST(set_up, tear_down)
