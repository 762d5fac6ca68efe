// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Effects: estimates, and whether their intervals hold what they promise. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "lib/bench/effect.h"
#include "tests/unit/unit.h"

static struct mr_effect effect;

/* The same numbers on each machine (Marsaglia's xorshift); more than 0, less than 1. */
static double next_number(void)
{
	static uint64_t state = 88172645463325252;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return ((double)(state >> 12) + 0.5) / (double)(UINT64_C(1) << 52);
}

static bool is_near(double found, double exact)
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
	assert_true(is_near(effect.ratio, 1.2));
	assert_true(is_near(effect.low, 1.2));
	assert_true(is_near(effect.high, 1.2));
	for (size_t i = 0; i < 10; i++)
		new[i] = i < 5 ? 1000 : 4000; /* the middle is between the fifth and the sixth */
	assert_int_equal(mr_effect(old, 10, new, 10, &effect), 0);
	assert_true(is_near(effect.ratio, 2));
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
		assert_int_equal((size_t)lower, tables[t].critical + 1);
		assert_int_equal((size_t)higher, tables[t].critical + 1);
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
			old[i] = exp(pow(next_number(), -0.5));
		for (size_t i = 0; i < new_count; i++)
			new[i] = ratio *exp(pow(next_number(), -0.5));
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

TEST(verdicts_follow_from_the_whole_interval)
{
	static const struct {
		double low, high;
		const char *verdict;
	} samples[] = {
		{ 0.97, 1.03, "same" },    { 1.06, 1.2, "slower" },  { 0.7, 0.94, "faster" },
		{ 1.04, 1.06, "unclear" }, { 0.9, 1.1, "unclear" },  { 0.94, 0.96, "unclear" },
		{ 0.9, 0.96, "unclear" },  { 1.04, 1.2, "unclear" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		effect = (struct mr_effect){ 1, samples[i].low, samples[i].high };
		assert_string_equal(mr_effect_name(mr_effect_judge(&effect, 0.05)),
				    samples[i].verdict);
	}
}
