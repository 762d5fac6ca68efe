/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Curves between two axes, drawn on a terminal or written to a file of SVG. */
#ifndef CMD_OUTPUT_CHART_H
#define CMD_OUTPUT_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/error.h"

/** What the numbers of an axis are, which decides its ticks and their labels. */
enum chart_unit {
	CHART_BYTES,    /**< "4K", "1M": powers of 1024 */
	CHART_NS,       /**< nanoseconds: "800 ns", "1.2 us", "12 ms" */
	CHART_FRACTION, /**< of 1: "50 %"; the axis has all of 0 to 1 */
	CHART_COUNT,    /**< "12", "3k", "5M": powers of 1000 */
};

struct chart_axis {
	const char *label; /**< or NULL */
	enum chart_unit unit;
	bool is_log;
};

struct chart_point {
	double x, y;
};

/** Points in the order in which they are joined. */
struct chart_curve {
	const char *name;
	const struct chart_point *points;
	size_t count;
	bool is_stepped; /**< the value stays up to the next point, as in a distribution of few samples */
};

/**
 * Texts may hold any bytes.  A point is left out that has no place: one that is not finite or beyond 1e100,
 * and on a logarithmic axis one that is not positive.
 */
struct chart {
	const char *title;
	const char *subtitle; /**< or NULL */
	struct chart_axis x, y;
	const struct chart_curve *curves;
	size_t count;
};

/**
 * chart_text() - draw a chart on standard output
 * @columns: of the terminal; 0: as many as it has.  The chart has at most 79, and at least 39.
 *
 * Where the user's locale has UTF-8, lines are of dots; else of ASCII characters.  Each curve has a mark of its
 * own, and a colour where standard output is a terminal that has colours.
 *
 * Return: 0, or -ENOMEM with MR_ERROR_HOST.
 */
int chart_text(const struct chart *chart, size_t columns, struct mr_error *err);

/**
 * chart_svg() - write charts to a file of SVG, one below the other
 * @path: replaced at once when all is written, as of replaced_file_open()
 *
 * Return: 0, or -errno with MR_ERROR_HOST; then a file that was there is as it was.
 */
int chart_svg(const char *path, const struct chart *charts, size_t count, struct mr_error *err);

#endif
