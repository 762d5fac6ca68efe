/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A histogram of times in the manner of HdrHistogram: each power of two has the same number of buckets, so that
 * the relative error is the same from 1 ns to centuries.
 */
#ifndef LIB_BENCH_HISTOGRAM_H
#define LIB_BENCH_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Buckets of a power of two, as a power of two: a value is told with an error of at most 1 in 2048. */
#define MR_HISTOGRAM_BITS 10

/** A histogram.  mr_histogram_init() it. */
struct mr_histogram {
	uint64_t *buckets;
	uint64_t count;
	uint64_t min, max; /**< exact; with no value UINT64_MAX and 0 */
	double sum;
};

/** Values of a bucket. */
struct mr_histogram_bucket {
	uint64_t ns; /**< the middle of the bucket */
	uint64_t count;
};

/** mr_histogram_init() - make it empty; mr_histogram_release() it.  Return: 0 or -ENOMEM. */
int mr_histogram_init(struct mr_histogram *histogram);
void mr_histogram_release(struct mr_histogram *histogram);

/** mr_histogram_add() - add a value @count times */
void mr_histogram_add(struct mr_histogram *histogram, uint64_t value, uint64_t count);

/**
 * mr_histogram_quantile() - the value that a part of all values does not exceed
 * @part: 0 to 1; 0 is the least value, 1 the greatest, both exact
 *
 * It is the middle of the bucket of the value with that rank (nearest rank).
 *
 * Return: 0 where there is no value.
 */
uint64_t mr_histogram_quantile(const struct mr_histogram *histogram, double part);

/** mr_histogram_mean() - the arithmetic mean, exact; 0 where there is no value */
double mr_histogram_mean(const struct mr_histogram *histogram);

/** mr_histogram_above() - how many values are greater than @value, by their buckets */
uint64_t mr_histogram_above(const struct mr_histogram *histogram, uint64_t value);

/**
 * mr_histogram_outliers() - how many values are far from the others
 *
 * Those are greater than p50 + 10 * (p90 - p50), and than 2 * p50: values that hardly differ have no outliers among
 * them.
 */
uint64_t mr_histogram_outliers(const struct mr_histogram *histogram);

/**
 * mr_histogram_next() - the next bucket that holds values
 * @from:   0 at first; set to where to go on
 * @bucket: set
 *
 * Return: false where there is no other.
 */
bool mr_histogram_next(const struct mr_histogram *histogram, size_t *from,
		       struct mr_histogram_bucket *bucket);

#endif
