// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "lib/bench/histogram.h"

/*
 * Values below 2 * PER_POWER have a bucket each.  Of greater ones the bucket is their highest bits, as many as
 * MR_HISTOGRAM_BITS + 1, and how far they were shifted.
 */
#define PER_POWER (UINT64_C(1) << MR_HISTOGRAM_BITS)
#define BUCKETS   ((64 - MR_HISTOGRAM_BITS + 1) * PER_POWER)

static size_t bucket_of(uint64_t value)
{
	const unsigned int bits = value ? 64 - (unsigned int)__builtin_clzll(value) : 0;
	const unsigned int shift = bits > MR_HISTOGRAM_BITS + 1 ? bits - MR_HISTOGRAM_BITS - 1 : 0;

	return shift * PER_POWER + (value >> shift);
}

static uint64_t middle_of(size_t bucket)
{
	const uint64_t shift = bucket < 2 * PER_POWER ? 0 : bucket / PER_POWER - 1;

	return ((bucket - shift * PER_POWER) << shift) + (shift ? UINT64_C(1) << (shift - 1) : 0);
}

int mr_histogram_init(struct mr_histogram *histogram)
{
	*histogram = (struct mr_histogram){ .buckets = calloc(BUCKETS, sizeof(uint64_t)),
					    .min = UINT64_MAX };
	return histogram->buckets ? 0 : -ENOMEM;
}

void mr_histogram_release(struct mr_histogram *histogram)
{
	free(histogram->buckets);
	histogram->buckets = NULL;
}

void mr_histogram_add(struct mr_histogram *histogram, uint64_t value, uint64_t count)
{
	if (!count)
		return;
	histogram->buckets[bucket_of(value)] += count;
	histogram->count += count;
	histogram->sum += (double)value * (double)count;
	if (value < histogram->min)
		histogram->min = value;
	if (value > histogram->max)
		histogram->max = value;
}

/* The middle of a bucket may lie beyond the values that are in it. */
static uint64_t within(const struct mr_histogram *histogram, uint64_t value)
{
	if (value < histogram->min)
		return histogram->min;
	return value > histogram->max ? histogram->max : value;
}

uint64_t mr_histogram_quantile(const struct mr_histogram *histogram, double part)
{
	/* A product that is whole may come out a little greater. */
	const double rank = ceil(part * (double)histogram->count * (1 - 1e-12));
	uint64_t seen = 0;

	if (!histogram->count)
		return 0;
	if (rank <= 1)
		return histogram->min;
	if (rank >= (double)histogram->count)
		return histogram->max;
	for (size_t i = 0; i < BUCKETS; i++) {
		seen += histogram->buckets[i];
		if ((double)seen >= rank)
			return within(histogram, middle_of(i));
	}
	return histogram->max;
}

double mr_histogram_mean(const struct mr_histogram *histogram)
{
	return histogram->count ? histogram->sum / (double)histogram->count : 0;
}

uint64_t mr_histogram_above(const struct mr_histogram *histogram, uint64_t value)
{
	uint64_t above = 0;

	for (size_t i = bucket_of(value) + 1; i < BUCKETS; i++)
		above += histogram->buckets[i];
	return above;
}

uint64_t mr_histogram_outliers(const struct mr_histogram *histogram)
{
	const uint64_t median = mr_histogram_quantile(histogram, 0.5);
	const uint64_t spread = mr_histogram_quantile(histogram, 0.9) - median;
	const uint64_t far = spread > median / 10 ? 10 * spread : median;

	return mr_histogram_above(histogram, median + far);
}

bool mr_histogram_next(const struct mr_histogram *histogram, size_t *from,
		       struct mr_histogram_bucket *bucket)
{
	for (; *from < BUCKETS; ++*from) {
		if (!histogram->buckets[*from])
			continue;
		*bucket = (struct mr_histogram_bucket){ within(histogram, middle_of(*from)),
							histogram->buckets[*from] };
		++*from;
		return true;
	}
	return false;
}
