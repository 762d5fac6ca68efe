/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is between the axes of a chart in SVG: grid, labels of ticks, curves. */
#ifndef CMD_OUTPUT_SVG_PLOT_H
#define CMD_OUTPUT_SVG_PLOT_H

#include <stdio.h>

#include "cmd/output/chart.h"
#include "cmd/output/scale.h"

/* Sizes of letters. */
#define TEXT_SIZE  13.0
#define LABEL_SIZE 12.0

/* Attributes of texts. */
#define DARK " fill=\"#222\""
#define PALE " fill=\"#555\""

/** The part of the page that a chart takes. */
struct panel {
	FILE *stream;
	const struct chart *chart;
	struct scale x, y;
	double left, right, top, bottom; /**< of the axes */
	double end;                      /**< of what is printed so far, from above */
};

/** svg_plot_style() - print the attributes by which curves differ: 28 have different colours and dashes */
void svg_plot_style(FILE *stream, size_t curve);

/** svg_plot() - print it */
void svg_plot(const struct panel *panel);

#endif
