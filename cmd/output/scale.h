/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Axes of charts: which values they have, where these are, and which of them are labelled. */
#ifndef CMD_OUTPUT_SCALE_H
#define CMD_OUTPUT_SCALE_H

#include "cmd/output/chart.h"

/** Ticks of an axis, at most. */
#define SCALE_TICKS 24

/** Room for the label of a tick. */
#define SCALE_LABEL_MAX 80

struct scale {
	enum chart_unit unit;
	bool is_log;
	double low, high; /**< the ends of the axis, @low < @high */
	double step;      /**< between ticks of a linear axis */
	double ticks[SCALE_TICKS];
	size_t count; /**< of ticks; 0 where the chart has no points */
};

/** scale_shows() - whether a point has a place in the chart */
bool scale_shows(const struct chart *chart, const struct chart_point *point);

/**
 * scale_fit() - an axis that has all points of the chart
 * @axis:  &chart->x or &chart->y
 * @ticks: about as many at most, 2 to SCALE_TICKS - 2
 */
void scale_fit(struct scale *scale, const struct chart *chart, const struct chart_axis *axis,
	       size_t ticks);

/**
 * scale_fit_labels() - the same for a horizontal axis, with fewer ticks where labels are long
 * @room: characters that the labels may have together, with a blank for each
 */
void scale_fit_labels(struct scale *scale, const struct chart *chart, const struct chart_axis *axis,
		      size_t ticks, size_t room);

/** scale_place() - where a value is: 0 at the low end of the axis, 1 at the high end */
double scale_place(const struct scale *scale, double value);

/**
 * scale_label() - the label of a tick, in ASCII, whatever the locale
 * Return: @text.
 */
const char *scale_label(const struct scale *scale, double value, char text[SCALE_LABEL_MAX]);

#endif
