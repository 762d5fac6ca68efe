// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <math.h>
#include <stdbool.h>

#include "lib/bench/fit.h"

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
