// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "cmd/output/chart.h"
#include "cmd/output/replaced_file.h"
#include "cmd/output/scale.h"
#include "cmd/output/svg.h"
#include "cmd/output/svg_plot.h"
#include "cmd/output/text.h"
#include "lib/base/cleanup.h"

#define WIDTH       800.0
#define MARGIN      28.0
#define PLOT_HEIGHT 300.0

#define TITLE_SIZE  18.0
#define TITLE_LINE  24.0
#define TEXT_LINE   20.0

#define LOG_SCALE   " (log scale)"

/* Between a label of the vertical axis and the axis, and between that axis' name and the plot. */
#define LABEL_SPACE 8.0

/* About as many ticks at most. */
#define X_TICKS 10
#define Y_TICKS 8

/* The width of a letter of a label, about. */
#define LETTER (LABEL_SIZE * 0.65)

/* Letters are wider where they are bold. */
#define BOLD 1.15

/* The line before a name of the legend, and what separates names. */
#define SAMPLE     34.0
#define NAME_SPACE 24.0

/* Prints a text in as many lines as it needs. */
static void put_lines(struct panel *panel, const char *text, double size, double line,
		      const char *attributes, double boldness)
{
	mr_auto_free char *harmless = text_harmless(text ? text : "");

	for (const char *rest = harmless; rest && *rest; rest += strspn(rest, " ")) {
		const size_t length = svg_fit(rest, size * boldness, WIDTH - 2 * MARGIN, true);

		panel->end += line;
		svg_text(panel->stream,
			 &(struct svg_text){ MARGIN, panel->end, size, "start", attributes }, rest,
			 length, false);
		rest += length;
	}
}

static void put_axis_label(struct panel *panel, const struct chart_axis *axis, double x,
			   const char *anchor)
{
	mr_auto_free char *label = text_harmless(axis->label ? axis->label : "");
	mr_auto_free char *text = NULL;

	panel->end += TEXT_LINE;
	if (!label || asprintf(&text, "%s%s", label, axis->is_log ? LOG_SCALE : "") < 0) {
		text = NULL;
		return;
	}
	svg_text(panel->stream, &(struct svg_text){ x, panel->end, LABEL_SIZE, anchor, PALE }, text,
		 svg_fit(text, LABEL_SIZE, panel->right - panel->left, false), true);
}

/* Leaves room for the labels beside the vertical axis, and for half of the last one below the other. */
static void fit_axes(struct panel *panel)
{
	const struct chart *chart = panel->chart;
	char text[SCALE_LABEL_MAX];
	double widest = 0;

	scale_fit(&panel->y, chart, &chart->y, Y_TICKS);
	for (size_t i = 0; i < panel->y.count; i++) {
		const double width =
			svg_width(scale_label(&panel->y, panel->y.ticks[i], text), LABEL_SIZE);

		widest = width > widest ? width : widest;
	}
	panel->left = MARGIN + widest + LABEL_SPACE;
	panel->right = WIDTH - MARGIN;
	scale_fit_labels(&panel->x, chart, &chart->x, X_TICKS,
			 (size_t)((panel->right - panel->left) / LETTER));
	if (panel->x.count) {
		scale_label(&panel->x, panel->x.ticks[panel->x.count - 1], text);
		panel->right -= svg_width(text, LABEL_SIZE) / 2;
	}
}

static double widest_name(const struct chart *chart)
{
	double widest = 0;

	for (size_t i = 0; i < chart->count; i++) {
		mr_auto_free char *name = text_harmless(chart->curves[i].name);
		const double width = name ? svg_width(name, TEXT_SIZE) : 0;

		widest = width > widest ? width : widest;
	}
	return widest;
}

static void put_entry(const struct panel *panel, size_t curve, double x, double room)
{
	mr_auto_free char *name = text_harmless(panel->chart->curves[curve].name);
	size_t length;

	if (!name)
		return;
	length = svg_fit(name, TEXT_SIZE, room, false);
	if (name[length]) /* the ellipsis needs room, too */
		length = svg_fit(name, TEXT_SIZE, room - TEXT_SIZE, false);
	fputs("<g>\n", panel->stream);
	svg_title(panel->stream, panel->chart->curves[curve].name);
	fputs("<g stroke-width=\"2\"", panel->stream);
	svg_plot_style(panel->stream, curve);
	fputs(">", panel->stream);
	svg_line(panel->stream, x, panel->end - TEXT_SIZE / 3, x + SAMPLE - 8,
		 panel->end - TEXT_SIZE / 3, "");
	fputs("</g>\n", panel->stream);
	svg_text(panel->stream,
		 &(struct svg_text){ x + SAMPLE, panel->end, TEXT_SIZE, "start", DARK }, name,
		 length, true);
	fputs("</g>\n", panel->stream);
}

/* Names in columns, as many as fit. */
static void put_legend(struct panel *panel)
{
	const double room = panel->right - panel->left;
	const double entry = SAMPLE + widest_name(panel->chart) + NAME_SPACE;
	const size_t columns = entry < room ? (size_t)((room + NAME_SPACE) / entry) : 1;

	for (size_t i = 0; i < panel->chart->count; i++) {
		if (i % columns == 0)
			panel->end += TEXT_LINE;
		put_entry(panel, i, panel->left + (double)(i % columns) * entry, room - SAMPLE);
	}
}

static void put_panel(struct panel *panel)
{
	const struct chart *chart = panel->chart;

	fit_axes(panel);
	put_lines(panel, chart->title, TITLE_SIZE, TITLE_LINE, DARK " font-weight=\"bold\"", BOLD);
	put_lines(panel, chart->subtitle, TEXT_SIZE, TEXT_LINE, PALE, 1);
	panel->end += LABEL_SPACE;
	put_axis_label(panel, &chart->y, panel->left, "start");
	panel->top = panel->end + LABEL_SPACE;
	panel->bottom = panel->top + PLOT_HEIGHT;
	svg_plot(panel);
	panel->end = panel->bottom + TEXT_LINE;
	put_axis_label(panel, &chart->x, panel->right, "end");
	panel->end += LABEL_SPACE;
	put_legend(panel);
	panel->end += MARGIN;
}

static void put_page(FILE *stream, const char *title, double height, const char *body)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	      "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-labelledby=\"title\"",
	      stream);
	svg_attribute(stream, "width", WIDTH);
	svg_attribute(stream, "height", height);
	fputs(" viewBox=\"0 0 ", stream);
	svg_number(stream, WIDTH);
	fputc(' ', stream);
	svg_number(stream, height);
	fputs("\" font-family=\"'DejaVu Sans', Verdana, Arial, Helvetica, sans-serif\">\n"
	      "<title id=\"title\">",
	      stream);
	svg_escape(stream, title, strlen(title));
	fputs("</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n", stream);
	fputs(body, stream);
	fputs("</svg>\n", stream);
}

/* Prints the charts one below the other, which tells how high the page is.  Return: free() it; or NULL. */
static char *print_panels(const struct chart *charts, size_t count, double *height)
{
	char *body = NULL;
	size_t size;
	FILE *stream = open_memstream(&body, &size);

	if (!stream)
		return NULL;
	*height = MARGIN / 2;
	for (size_t i = 0; i < count; i++) {
		struct panel panel = { .stream = stream, .chart = &charts[i], .end = *height };

		put_panel(&panel);
		*height = panel.end;
	}
	if (!fclose(stream))
		return body;
	free(body);
	return NULL;
}

int chart_svg(const char *path, const struct chart *charts, size_t count, struct mr_error *err)
{
	double height = 0;
	mr_auto_free char *body = print_panels(charts, count, &height);
	mr_auto_free char *title = text_harmless(count ? charts->title : "");
	struct replaced_file file;
	int rc;

	if (!body || !title)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "malloc", NULL);
	rc = replaced_file_open(&file, path, err);
	if (rc)
		return rc;
	put_page(file.stream, title, height, body);
	return replaced_file_close(&file, err);
}
