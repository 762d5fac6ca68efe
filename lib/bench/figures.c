// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Histograms of times, lines through them, and how much longer one set of times is than another. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "lib/bench/bench.h"

static int compare_times(const void *left, const void *right)
{
	const uint64_t l = *(const uint64_t *)left, r = *(const uint64_t *)right;

	return (l > r) - (l < r);
}

uint64_t mr_bench_median(uint64_t *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare_times);
	return count ? values[(count - 1) / 2] : 0;
}

/* ---- histograms ---- */

/* Buckets of a power of two, as a power of two: a value has an error of at most 1 in 2048. */
#define BITS 10

/*
 * Values below 2 * PER_POWER have a bucket each.  The bucket of a greater one is its highest bits, as many as
 * BITS + 1, and how far they were shifted.
 */
#define PER_POWER (UINT64_C(1) << BITS)
#define BUCKETS   ((64 - BITS + 1) * PER_POWER)

static size_t bucket_of(uint64_t value)
{
	const unsigned int bits = value ? 64 - (unsigned int)__builtin_clzll(value) : 0;
	const unsigned int shift = bits > BITS + 1 ? bits - BITS - 1 : 0;

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

void mr_histogram_add(struct mr_histogram *histogram, uint64_t value)
{
	histogram->buckets[bucket_of(value)]++;
	histogram->count++;
	histogram->sum += (double)value;
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
	for (size_t i = 0;; i++) {
		seen += histogram->buckets[i];
		if ((double)seen >= rank)
			return within(histogram, middle_of(i));
	}
}

double mr_histogram_mean(const struct mr_histogram *histogram)
{
	return histogram->count ? histogram->sum / (double)histogram->count : 0;
}

uint64_t mr_histogram_outliers(const struct mr_histogram *histogram)
{
	const uint64_t median = mr_histogram_quantile(histogram, 0.5);
	const uint64_t spread = mr_histogram_quantile(histogram, 0.9) - median;
	const uint64_t far = spread > median / 10 ? 10 * spread : median;
	uint64_t outliers = 0;

	for (size_t i = bucket_of(median + far) + 1; i < BUCKETS; i++)
		outliers += histogram->buckets[i];
	return outliers;
}

struct mr_histogram_bucket *mr_histogram_list(const struct mr_histogram *histogram, size_t *count)
{
	struct mr_histogram_bucket *list;
	size_t room = 0;

	*count = 0;
	for (size_t i = 0; i < BUCKETS; i++)
		room += histogram->buckets[i] != 0;
	list = room ? calloc(room, sizeof(*list)) : NULL;
	for (size_t i = 0; list && i < BUCKETS; i++)
		if (histogram->buckets[i])
			list[(*count)++] = (struct mr_histogram_bucket){
				{ within(histogram, middle_of(i)), true },
				{ histogram->buckets[i], true },
			};
	return list;
}

/* ---- lines ---- */

/* A time is near a line that is within a quarter of it: log(1.25). */
#define NEAR 0.223144

/* How far a time is from the line, the same for half and for twice of it; infinite where the line is not above 0. */
static double distance_of(const struct mr_fit_point *point, const struct mr_fit *fit)
{
	const double expected = fit->fixed + fit->slope * point->x;

	return expected > 0 ? fabs(log(point->y / expected)) : INFINITY;
}

/*
 * The line through two of the points that the others are nearest to.  There is one: that through the least and the
 * greatest x is above 0 at each point.
 */
static struct mr_fit nearest_line(const struct mr_fit_point *points, size_t count)
{
	struct mr_fit best = { .fixed = 0 };
	double least = INFINITY;

	for (size_t i = 1; i < count; i++) {
		for (size_t j = 0; j < i; j++) {
			const double slope =
				(points[i].y - points[j].y) / (points[i].x - points[j].x);
			const struct mr_fit fit = { .fixed = points[i].y - slope * points[i].x,
						    .slope = slope };
			double sum = 0;

			for (size_t n = 0; n < count; n++)
				sum += distance_of(&points[n], &fit);
			if (sum < least) {
				best = fit;
				least = sum;
			}
		}
	}
	return best;
}

/*
 * Lays a line through the points near @first, by the least sum of squares of their relative errors, and keeps what the
 * interval around it depends on.
 */
static struct mr_fit least_squares(const struct mr_fit_point *points, size_t count,
				   const struct mr_fit *first)
{
	double weights = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
	struct mr_fit fit = { .used = 0 };

	for (size_t i = 0; i < count; i++) {
		const double expected = first->fixed + first->slope * points[i].x;
		const double weight = 1 / (expected * expected);

		if (distance_of(&points[i], first) > NEAR)
			continue;
		fit.used++;
		weights += weight;
		x += weight * points[i].x;
		y += weight * points[i].y;
		xx += weight * points[i].x * points[i].x;
		xy += weight * points[i].x * points[i].y;
		yy += weight * points[i].y * points[i].y;
	}
	fit.spread = xx - x * x / weights;
	fit.slope = (xy - x * y / weights) / fit.spread;
	fit.fixed = (y - fit.slope * x) / weights;
	fit.weight = weights;
	fit.middle = x / weights;
	if (fit.used > 2)
		fit.sigma =
			sqrt(fmax(0, yy - fit.fixed * y - fit.slope * xy) / (double)(fit.used - 2));
	return fit;
}

int mr_fit(const struct mr_fit_point *points, size_t count, struct mr_fit *fit)
{
	struct mr_fit first;
	double sum = 0;

	if (count < 3)
		return -EDOM;
	for (size_t i = 0; i < count; i++)
		if (!(points[i].y > 0))
			return -EDOM;
	first = nearest_line(points, count);
	*fit = least_squares(points, count, &first);
	for (size_t i = 0; i < count; i++)
		sum += pow((fit->fixed + fit->slope * points[i].x) / points[i].y - 1, 2);
	fit->residual = sqrt(sum / (double)count);
	return 0;
}

double mr_fit_error(const struct mr_fit *fit, double x)
{
	/* Student's t at 97.5 % by degrees of freedom, from 1 on; then near enough by a formula. */
	static const double quantiles[] = { 12.706, 4.303, 3.182, 2.776, 2.571,
					    2.447,  2.365, 2.306, 2.262, 2.228 };
	const size_t freedom = fit->used - 2;

	if (fit->used <= 2)
		return INFINITY;
	return (freedom <= 10 ? quantiles[freedom - 1] : 1.96 + 2.7 / (double)freedom) *
	       fit->sigma *
	       sqrt(1 / fit->weight + (x - fit->middle) * (x - fit->middle) / fit->spread);
}

/* ---- effects ---- */

/* The normal quantile for a probability of 2.5 % at each end. */
#define TAIL_Z 1.959964

static int compare_ratios(const void *left, const void *right)
{
	const double l = *(const double *)left, r = *(const double *)right;

	return (l > r) - (l < r);
}

int mr_effect(const double *old, size_t old_count, const double *new, size_t new_count,
	      struct mr_effect *effect)
{
	const size_t count = old_count * new_count;
	const double pairs = (double)count;
	const double rank =
		pairs / 2 - TAIL_Z * sqrt(pairs * (double)(old_count + new_count + 1) / 12);
	double *ratios;

	if (rank < 1)
		return -EDOM;
	ratios = calloc(count, sizeof(*ratios));
	if (!ratios)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (!(old[i / new_count] > 0 && new[i % new_count] > 0)) {
			free(ratios);
			return -EDOM;
		}
		ratios[i] = new[i % new_count] / old[i / new_count];
	}
	qsort(ratios, count, sizeof(*ratios), compare_ratios);
	effect->ratio = sqrt(ratios[(count - 1) / 2] * ratios[count / 2]);
	effect->low = ratios[(size_t)rank - 1];
	effect->high = ratios[count - (size_t)rank];
	free(ratios);
	return 0;
}
