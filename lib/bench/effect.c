// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "lib/bench/effect.h"

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
