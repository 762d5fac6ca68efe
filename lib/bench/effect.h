/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How many times longer something takes than before, with a confidence interval. */
#ifndef LIB_BENCH_EFFECT_H
#define LIB_BENCH_EFFECT_H

#include <stddef.h>

/** The new times divided by the old ones. */
struct mr_effect {
	double ratio; /**< estimate (Hodges and Lehmann) */
	double low,
		high; /**< interval that holds the true ratio with a probability of 95 % at least */
};

/**
 * mr_effect() - compare two sets of times that were measured independently of each other
 * @old, @new: times greater than 0, such as the medians of rounds; they need not be normally distributed
 *
 * The estimate is the median of all ratios of a new and an old time.  The interval is that of the rank-sum test
 * (Wilcoxon, Mann and Whitney) for logarithms: exact up to 50 times, by the normal distribution for more.
 *
 * Return: 0; -EDOM where there are too few times for such an interval (3 and 3, say), or one is not greater than
 * 0; -ENOMEM.
 */
int mr_effect(const double *old, size_t old_count, const double *new, size_t new_count,
	      struct mr_effect *effect);

/** What an effect means for a tolerance. */
enum mr_effect_verdict {
	MR_EFFECT_SAME,    /**< the whole interval lies within the tolerance */
	MR_EFFECT_SLOWER,  /**< the whole interval lies above it */
	MR_EFFECT_FASTER,  /**< the whole interval lies below it */
	MR_EFFECT_UNCLEAR, /**< neither: more rounds would tell */
	MR_EFFECT_TOO_FEW, /**< there are too few rounds for an interval; mr_effect_judge() does not return it */
	MR_EFFECT_VERDICTS,
};

/** mr_effect_judge() - judge an effect; @tolerance: 0.05 is 5 % */
enum mr_effect_verdict mr_effect_judge(const struct mr_effect *effect, double tolerance);

/** mr_effect_name() - "same", "slower", "faster", "unclear" or "too-few-rounds" */
const char *mr_effect_name(enum mr_effect_verdict verdict);

#endif
