// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <math.h>
#include <stdbool.h>

#include "lib/bench/fit.h"

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
	double weight = 0, mean_x = 0, mean_y = 0, square = 0, product = 0;

	if (!can_fit(points, count))
		return -EDOM;
	for (size_t i = 0; i < count; i++) {
		const double w = 1 / (points[i].y * points[i].y);

		weight += w;
		mean_x += w * points[i].x;
		mean_y += w * points[i].y;
	}
	mean_x /= weight;
	mean_y /= weight;
	for (size_t i = 0; i < count; i++) {
		const double w = 1 / (points[i].y * points[i].y), dx = points[i].x - mean_x;

		square += w * dx * dx;
		product += w * dx * (points[i].y - mean_y);
	}
	fit->slope = product / square;
	fit->fixed = mean_y - fit->slope * mean_x;
	fit->residual = residual_of(points, count, fit);
	return 0;
}
