// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "cmd/output/svg.h"
#include "cmd/output/svg_plot.h"

/* Of a label below its tick. */
#define LABEL_HEIGHT 16.0

/* A curve of more points shows none of them. */
#define POINTS_SHOWN 40

/* Points that are nearer than this to the one before, in pixels, change nothing that can be seen. */
#define RESOLUTION 0.4

#define AXIS       " stroke=\"#555\""
#define GRID       " stroke=\"#ddd\""
#define FINE       " stroke=\"#f0f0f0\""

static double x_of(const struct panel *panel, double value)
{
	return panel->left + scale_place(&panel->x, value) * (panel->right - panel->left);
}

static double y_of(const struct panel *panel, double value)
{
	return panel->bottom - scale_place(&panel->y, value) * (panel->bottom - panel->top);
}

/* Colours are those of Okabe and Ito, which most people can tell apart, without yellow. */
void svg_plot_style(FILE *stream, size_t curve)
{
	static const char *const colours[] = { "#0072b2", "#d55e00", "#009e73", "#cc79a7",
					       "#e69f00", "#56b4e9", "#000000" };
	static const char *const dashes[] = { "", " stroke-dasharray=\"8 4\"",
					      " stroke-dasharray=\"2.5 3\"",
					      " stroke-dasharray=\"10 3 2.5 3\"" };

	fprintf(stream, " stroke=\"%s\"%s", colours[curve % (sizeof(colours) / sizeof(*colours))],
		dashes[curve % (sizeof(dashes) / sizeof(*dashes))]);
}

/* Prints lines between the ticks of a logarithmic axis where these are decades. */
static void put_fine_grid(const struct panel *panel, const struct scale *scale)
{
	if (!scale->is_log || scale->unit == CHART_BYTES || scale->count < 2 ||
	    scale->ticks[1] / scale->ticks[0] < 9 || scale->ticks[1] / scale->ticks[0] > 11)
		return;
	for (size_t i = 0; i <= scale->count; i++)
		for (int factor = 2; factor < 10; factor++) {
			const double decade = i ? scale->ticks[i - 1] : scale->ticks[0] / 10;
			const double value = decade * factor;

			if (value <= scale->low || value >= scale->high)
				continue;
			if (scale == &panel->x)
				svg_line(panel->stream, x_of(panel, value), panel->top,
					 x_of(panel, value), panel->bottom, FINE);
			else
				svg_line(panel->stream, panel->left, y_of(panel, value),
					 panel->right, y_of(panel, value), FINE);
		}
}

static void put_y_ticks(const struct panel *panel)
{
	char text[SCALE_LABEL_MAX];

	for (size_t i = 0; i < panel->y.count; i++) {
		const double y = y_of(panel, panel->y.ticks[i]);

		svg_line(panel->stream, panel->left, y, panel->right, y, GRID);
		scale_label(&panel->y, panel->y.ticks[i], text);
		svg_text(panel->stream,
			 &(struct svg_text){ panel->left - 8, y + LABEL_SIZE / 3, LABEL_SIZE, "end",
					     DARK },
			 text, strlen(text), false);
	}
}

/* Leaves out labels that would touch the one before. */
static void put_x_ticks(const struct panel *panel)
{
	double end = 0;

	for (size_t i = 0; i < panel->x.count; i++) {
		char text[SCALE_LABEL_MAX];
		const double x = x_of(panel, panel->x.ticks[i]);
		const double half =
			svg_width(scale_label(&panel->x, panel->x.ticks[i], text), LABEL_SIZE) / 2;

		svg_line(panel->stream, x, panel->top, x, panel->bottom, GRID);
		if (i && x - half < end + LABEL_SIZE / 2)
			continue;
		end = x + half;
		svg_text(panel->stream,
			 &(struct svg_text){ x, panel->bottom + LABEL_HEIGHT, LABEL_SIZE, "middle",
					     DARK },
			 text, strlen(text), false);
	}
}

static void put_grid(const struct panel *panel)
{
	static const char nothing[] = "no data";

	put_fine_grid(panel, &panel->x);
	put_fine_grid(panel, &panel->y);
	put_y_ticks(panel);
	put_x_ticks(panel);
	svg_line(panel->stream, panel->left, panel->top, panel->left, panel->bottom, AXIS);
	svg_line(panel->stream, panel->left, panel->bottom, panel->right, panel->bottom, AXIS);
	if (!panel->x.count)
		svg_text(panel->stream,
			 &(struct svg_text){ (panel->left + panel->right) / 2,
					     (panel->top + panel->bottom) / 2, TEXT_SIZE, "middle",
					     PALE },
			 nothing, strlen(nothing), false);
}

static void put_number_after(FILE *stream, char letter, double number)
{
	fputc(letter, stream);
	svg_number(stream, number);
}

/* Prints the path of a curve.  Return: how many of its points have a place. */
static size_t put_path(const struct panel *panel, const struct chart_curve *curve)
{
	double before_x = 0, before_y = 0;
	size_t shown = 0;

	for (size_t i = 0; i < curve->count; i++) {
		double x, y;

		if (!scale_shows(panel->chart, &curve->points[i]))
			continue;
		x = x_of(panel, curve->points[i].x);
		y = y_of(panel, curve->points[i].y);
		shown++;
		if (shown > 1 && i + 1 < curve->count && x - before_x < RESOLUTION &&
		    before_x - x < RESOLUTION && y - before_y < RESOLUTION &&
		    before_y - y < RESOLUTION)
			continue;
		if (curve->is_stepped && shown > 1) {
			put_number_after(panel->stream, 'H', x);
			put_number_after(panel->stream, 'V', y);
		} else {
			put_number_after(panel->stream, shown == 1 ? 'M' : 'L', x);
			put_number_after(panel->stream, ' ', y);
		}
		before_x = x;
		before_y = y;
	}
	return shown;
}

/* Prints the points of a curve as discs. */
static void put_points(const struct panel *panel, const struct chart_curve *curve)
{
	for (size_t i = 0; i < curve->count; i++) {
		if (!scale_shows(panel->chart, &curve->points[i]))
			continue;
		fputs("<circle", panel->stream);
		svg_attribute(panel->stream, "cx", x_of(panel, curve->points[i].x));
		svg_attribute(panel->stream, "cy", y_of(panel, curve->points[i].y));
		fputs(" r=\"1.5\" stroke-width=\"3\" stroke-dasharray=\"none\"/>\n", panel->stream);
	}
}

static void put_curve(const struct panel *panel, size_t number)
{
	const struct chart_curve *curve = &panel->chart->curves[number];
	size_t shown;

	fputs("<g fill=\"none\" stroke-width=\"2\" stroke-linejoin=\"round\"", panel->stream);
	svg_plot_style(panel->stream, number);
	fputs(">\n", panel->stream);
	svg_title(panel->stream, curve->name);
	fputs("<path d=\"", panel->stream);
	shown = put_path(panel, curve);
	fputs("\"/>\n", panel->stream);
	if (shown == 1 || (shown <= POINTS_SHOWN && !curve->is_stepped))
		put_points(panel, curve);
	fputs("</g>\n", panel->stream);
}

void svg_plot(const struct panel *panel)
{
	put_grid(panel);
	for (size_t i = 0; i < panel->chart->count; i++)
		put_curve(panel, i);
}
