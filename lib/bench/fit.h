/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A line through times by size: what a call costs by itself, and what each byte adds. */
#ifndef LIB_BENCH_FIT_H
#define LIB_BENCH_FIT_H

#include <stddef.h>

struct mr_fit_point {
	double x, y;
};

/** y = @fixed + @slope * x */
struct mr_fit {
	double fixed, slope;
	double residual; /**< root of the mean square of the relative errors of all points: 0.05 is 5 % */
};

/**
 * mr_fit() - find the line that most points are near to
 * @points: with y greater than 0
 *
 * Sizes span many powers of ten.  By absolute errors the largest alone would decide.  Of the lines through two of the
 * points the one is taken whose sum of |log(y / line)| is the least: a time that is far too short or too long does not
 * move it.  Through the points within a quarter of that line goes the one whose relative errors have the least sum of
 * squares.
 *
 * Return: 0; -EDOM where fewer than three x differ, or a y is not greater than 0.
 */
int mr_fit(const struct mr_fit_point *points, size_t count, struct mr_fit *fit);

#endif
