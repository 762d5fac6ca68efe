// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Histograms of times, lines through them, and how much longer one set of times is than another. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "lib/bench/bench.h"

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

/* A time is near a line that is within a quarter of it: log(1.25). */
#define NEAR 0.223144

static bool differs_from_all_before(const struct mr_fit_point *points, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (!(points[i].x < points[index].x) && !(points[i].x > points[index].x))
			return false;
	return true;
}

static bool can_fit(const struct mr_fit_point *points, size_t count)
{
	size_t different = 0;

	for (size_t i = 0; i < count; i++) {
		if (!(points[i].y > 0))
			return false;
		different += differs_from_all_before(points, i);
	}
	return different >= 3;
}

/* How far a time is from the line, the same for half and for twice of it; infinite where the line is not above 0. */
static double distance_of(const struct mr_fit_point *point, const struct mr_fit *fit)
{
	const double expected = fit->fixed + fit->slope * point->x;

	return expected > 0 ? fabs(log(point->y / expected)) : INFINITY;
}

static double sum_of_distances(const struct mr_fit_point *points, size_t count,
			       const struct mr_fit *fit)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += distance_of(&points[i], fit);
	return sum;
}

static struct mr_fit line_through(const struct mr_fit_point *one, const struct mr_fit_point *other)
{
	const double slope = (other->y - one->y) / (other->x - one->x);

	return (struct mr_fit){ .fixed = one->y - slope * one->x, .slope = slope };
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
			const struct mr_fit fit = line_through(&points[i], &points[j]);
			const double sum = sum_of_distances(points, count, &fit);

			if (sum < least) { /* not so where x are equal */
				best = fit;
				least = sum;
			}
		}
	}
	return best;
}

/* The line near @first whose relative errors have the least sum of squares, of the points that are near @first. */
static struct mr_fit least_squares(const struct mr_fit_point *points, size_t count,
				   const struct mr_fit *first)
{
	double weights = 0, x = 0, y = 0, xx = 0, xy = 0;
	struct mr_fit fit = { .residual = 0 };

	for (size_t i = 0; i < count; i++) {
		const double expected = first->fixed + first->slope * points[i].x;
		const double weight = 1 / (expected * expected);

		if (distance_of(&points[i], first) > NEAR)
			continue;
		weights += weight;
		x += weight * points[i].x;
		y += weight * points[i].y;
		xx += weight * points[i].x * points[i].x;
		xy += weight * points[i].x * points[i].y;
	}
	fit.slope = (weights * xy - x * y) / (weights * xx - x * x);
	fit.fixed = (y - fit.slope * x) / weights;
	return fit;
}

static double residual_of(const struct mr_fit_point *points, size_t count, const struct mr_fit *fit)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		const double error =
			(fit->fixed + fit->slope * points[i].x - points[i].y) / points[i].y;

		sum += error * error;
	}
	return sqrt(sum / (double)count);
}

int mr_fit(const struct mr_fit_point *points, size_t count, struct mr_fit *fit)
{
	struct mr_fit first;

	if (!can_fit(points, count))
		return -EDOM;
	first = nearest_line(points, count);
	*fit = least_squares(points, count, &first);
	fit->residual = residual_of(points, count, fit);
	return 0;
}

/* The probability that the interval is wrong at one of its ends, and the normal quantile for it. */
#define TAIL   0.025
#define TAIL_Z 1.959964

/* For more times the normal distribution is near enough. */
#define EXACT_MAX 50

/* ---- the interval's rank ---- */

/*
 * The probability of each value of U, the number of pairs whose new time is the lesser one, where old and new times
 * do not differ.  With one more new time, U is that without it where an old time is the greatest of all; or, where
 * that new time is the greatest, U without it and a pair for each old time that is less.  (Mann and Whitney, 1947)
 * Return: the probabilities of 0 to @m * @n; NULL where memory is short.
 */
static double *distribution(size_t m, size_t n)
{
	const size_t values = m * n + 1;
	/* rows[j] is the distribution of i old and j new times; i grows */
	double *rows = calloc((n + 1) * values, sizeof(*rows));

	if (!rows)
		return NULL;
	for (size_t j = 0; j <= n; j++)
		rows[j * values] = 1;
	for (size_t i = 1; i <= m; i++)
		for (size_t j = 1; j <= n; j++)
			for (size_t u = i * j + 1; u-- > 0;) {
				const double old_greatest = rows[j * values + u];
				const double new_greatest =
					u >= i ? rows[(j - 1) * values + u - i] : 0;

				rows[j * values + u] =
					(old_greatest * (double)i + new_greatest * (double)j) /
					(double)(i + j);
			}
	return rows;
}

/* The greatest rank k for which U is less than k with a probability of TAIL at most; 0: there is none. */
static size_t exact_rank(size_t m, size_t n, bool *out_of_memory)
{
	double *rows = distribution(m, n);
	const double *last = rows ? rows + n * (m * n + 1) : NULL;
	double sum = 0;
	size_t rank = 0;

	*out_of_memory = !rows;
	while (rows && rank < m * n && sum + last[rank] <= TAIL)
		sum += last[rank++];
	free(rows);
	return rank;
}

static size_t normal_rank(size_t m, size_t n)
{
	const double pairs = (double)m * (double)n;
	const double rank = pairs / 2 - TAIL_Z * sqrt(pairs * (double)(m + n + 1) / 12);

	return rank < 0 ? 0 : (size_t)rank;
}

/* ---- the effect ---- */

static int compare_ratios(const void *left, const void *right)
{
	const double l = *(const double *)left, r = *(const double *)right;

	return (l > r) - (l < r);
}

static bool are_times(const double *times, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!(times[i] > 0))
			return false;
	return true;
}

static void read_effect(const double *ratios, size_t count, size_t rank, struct mr_effect *effect)
{
	effect->ratio =
		count % 2 ? ratios[count / 2] : sqrt(ratios[count / 2 - 1] * ratios[count / 2]);
	effect->low = ratios[rank - 1];
	effect->high = ratios[count - rank];
}

int mr_effect(const double *old, size_t old_count, const double *new, size_t new_count,
	      struct mr_effect *effect)
{
	const size_t count = old_count * new_count;
	bool out_of_memory = false;
	double *ratios;
	size_t rank;

	if (!are_times(old, old_count) || !are_times(new, new_count))
		return -EDOM;
	rank = old_count > EXACT_MAX || new_count > EXACT_MAX
		       ? normal_rank(old_count, new_count)
		       : exact_rank(old_count, new_count, &out_of_memory);
	if (out_of_memory)
		return -ENOMEM;
	if (!rank)
		return -EDOM;
	ratios = calloc(count, sizeof(*ratios));
	if (!ratios)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		ratios[i] = new[i % new_count] / old[i / new_count];
	qsort(ratios, count, sizeof(*ratios), compare_ratios);
	read_effect(ratios, count, rank, effect);
	free(ratios);
	return 0;
}

enum mr_effect_verdict mr_effect_judge(const struct mr_effect *effect, double tolerance)
{
	if (effect->low > 1 + tolerance)
		return MR_EFFECT_SLOWER;
	if (effect->high < 1 - tolerance)
		return MR_EFFECT_FASTER;
	return effect->low >= 1 - tolerance && effect->high <= 1 + tolerance ? MR_EFFECT_SAME
									     : MR_EFFECT_UNCLEAR;
}

const char *mr_effect_name(enum mr_effect_verdict verdict)
{
	static const char *const names[MR_EFFECT_VERDICTS] = {
		[MR_EFFECT_SAME] = "same",
		[MR_EFFECT_SLOWER] = "slower",
		[MR_EFFECT_FASTER] = "faster",
		[MR_EFFECT_UNCLEAR] = "unclear",
		[MR_EFFECT_TOO_FEW] = "too-few-rounds",
	};

	return names[verdict];
}
