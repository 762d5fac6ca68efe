// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "cmd/output/canvas.h"
#include "cmd/output/chart.h"
#include "cmd/output/colour.h"
#include "cmd/output/paragraph.h"
#include "cmd/output/scale.h"
#include "cmd/output/stream.h"
#include "cmd/output/text.h"
#include "lib/base/cleanup.h"

#define WIDTH_MAX 80
#define WIDTH_MIN 40
#define ROWS      16

/* Rows and columns that a tick of an axis takes, about. */
#define TICK_ROWS    2
#define TICK_COLUMNS 10

/* Columns of a mark in the legend, before its name; and between names. */
#define NAME       2
#define NAME_SPACE 3

/* Characters of an axis. */
struct frame {
	const char *side, *side_tick, *corner, *bottom, *bottom_tick, *ellipsis;
};

static const struct frame frames[] = {
	[false] = { "|", "+", "+", "-", "+", "..." },
	[true] = { "│", "┤", "└", "─", "┬", "…" },
};

struct drawing {
	const struct chart *chart;
	const struct frame *frame;
	struct canvas canvas;
	struct scale x, y;
	size_t width; /* of the terminal: its last column stays free */
	size_t left;  /* columns beside the axis */
};

/* Whether the user's locale has UTF-8.  mrctl itself runs in the locale "C". */
static bool has_utf8(void)
{
	const locale_t locale = newlocale(LC_CTYPE_MASK, "", NULL);
	bool is_utf8;

	if (!locale)
		return false;
	is_utf8 = !strcmp(nl_langinfo_l(CODESET, locale), "UTF-8");
	freelocale(locale);
	return is_utf8;
}

static size_t choose_width(size_t columns)
{
	struct winsize size = { 0 };

	if (!columns && output_is_terminal() && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		columns = size.ws_col;
	if (!columns || columns > WIDTH_MAX)
		return WIDTH_MAX;
	return columns > WIDTH_MIN ? columns : WIDTH_MIN;
}

/* Columns of the character that a byte of UTF-8 begins: 0 where it begins none, 2 where it may be a wide one. */
static size_t columns_at(char byte)
{
	return (byte & 0xc0) == 0x80 ? 0 : (unsigned char)byte >= 0xe1 ? 2 : 1;
}

static size_t count_columns(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += columns_at(*text);
	return count;
}

/*
 * Cuts a text to some columns.  What is in the last of these then says that it was cut.
 * Return: how many it has now, at most.
 */
static size_t cut(const struct drawing *drawing, char **text, size_t columns)
{
	const char *ellipsis = drawing->frame->ellipsis;
	const size_t count = count_columns(*text);
	size_t keep = columns - count_columns(ellipsis), length = 0;
	char *shorter = NULL;

	if (count <= columns)
		return count;
	for (; keep >= columns_at((*text)[length]); length++)
		keep -= columns_at((*text)[length]);
	if (asprintf(&shorter, "%.*s%s", (int)length, *text, ellipsis) < 0)
		return count;
	free(*text);
	*text = shorter;
	return columns;
}

static void dot_of(const struct drawing *drawing, const struct chart_point *point, size_t dot[2])
{
	dot[0] = canvas_x(&drawing->canvas, scale_place(&drawing->x, point->x));
	dot[1] = canvas_y(&drawing->canvas, scale_place(&drawing->y, point->y));
}

static void draw_curve(struct drawing *drawing, size_t number)
{
	const struct chart_curve *curve = &drawing->chart->curves[number];
	size_t dot[2], corner[2], before[2] = { 0 }, leftmost = SIZE_MAX, rightmost[2] = { 0 };

	for (size_t i = 0; i < curve->count; i++) {
		if (!scale_shows(drawing->chart, &curve->points[i]))
			continue;
		dot_of(drawing, &curve->points[i], dot);
		memcpy(corner, leftmost == SIZE_MAX ? dot : before, sizeof(corner));
		if (curve->is_stepped && leftmost != SIZE_MAX) {
			corner[0] = dot[0];
			canvas_line(&drawing->canvas, number, before, corner);
		}
		canvas_line(&drawing->canvas, number, corner, dot);
		memcpy(before, dot, sizeof(dot));
		if (leftmost == SIZE_MAX || dot[0] >= rightmost[0])
			memcpy(rightmost, dot, sizeof(dot));
		leftmost = dot[0] < leftmost ? dot[0] : leftmost;
	}
	if (leftmost != SIZE_MAX)
		canvas_mark_end(&drawing->canvas, number, leftmost, rightmost);
}

static void put_label(const struct drawing *drawing, const struct chart_axis *axis, bool is_right)
{
	mr_auto_free char *label = text_harmless(axis->label ? axis->label : "");
	const char *log = axis->is_log ? " (log scale)" : "";
	const size_t room = drawing->width - 1 - drawing->left - strlen(log);
	size_t length, indent = drawing->left;

	if (!label || !*label)
		return;
	length = cut(drawing, &label, room);
	if (is_right && length < room)
		indent += room - length;
	output_text("%*s%s%s\n", (int)indent, "", label, log);
}

/* The tick in a row; NULL: none. */
static const double *tick_in(const struct drawing *drawing, size_t row)
{
	for (size_t i = 0; i < drawing->y.count; i++)
		if (canvas_row(&drawing->canvas, scale_place(&drawing->y, drawing->y.ticks[i])) ==
		    row)
			return &drawing->y.ticks[i];
	return NULL;
}

static void put_rows(const struct drawing *drawing)
{
	static const char nothing[] = "no data";

	for (size_t row = 0; row < ROWS; row++) {
		const double *tick = tick_in(drawing, row);
		char text[SCALE_LABEL_MAX] = "";

		if (tick)
			scale_label(&drawing->y, *tick, text);
		output_text("%*s %s", (int)drawing->left - 1, text,
			    tick ? drawing->frame->side_tick : drawing->frame->side);
		canvas_print_row(&drawing->canvas, row);
		if (!drawing->y.count && row == ROWS / 2)
			output_text("%*s%s", (int)((drawing->canvas.columns - strlen(nothing)) / 2),
				    "", nothing);
		output_text("\n");
	}
}

/* Puts the label of a tick below it, if it does not touch the one before. */
static bool place_label(const struct drawing *drawing, size_t tick, char *labels)
{
	const size_t column =
		canvas_column(&drawing->canvas, scale_place(&drawing->x, drawing->x.ticks[tick]));
	char text[SCALE_LABEL_MAX];
	const size_t length = strlen(scale_label(&drawing->x, drawing->x.ticks[tick], text));
	const size_t end = strlen(labels);
	const size_t middle = drawing->left + 1 + column, last = drawing->width - 1 - length;
	size_t at = middle > length / 2 ? middle - length / 2 : 0;

	at = at < last ? at : last;
	if (end && at < end + 1)
		return false;
	sprintf(labels + end, "%*s%s", (int)(at - end), "", text);
	return true;
}

static void put_bottom(const struct drawing *drawing)
{
	bool has_tick[WIDTH_MAX] = { false };
	char labels[WIDTH_MAX + 1] = "";

	for (size_t i = 0; i < drawing->x.count; i++)
		if (place_label(drawing, i, labels))
			has_tick[canvas_column(&drawing->canvas,
					       scale_place(&drawing->x, drawing->x.ticks[i]))] =
				true;
	output_text("%*s%s", (int)drawing->left, "", drawing->frame->corner);
	for (size_t column = 0; column < drawing->canvas.columns; column++)
		output_text("%s", has_tick[column] ? drawing->frame->bottom_tick
						   : drawing->frame->bottom);
	output_text("\n");
	if (*labels)
		output_text("%s\n", labels);
}

/* Prints marks and names, as many in a line as fit. */
static void put_legend(const struct drawing *drawing)
{
	const size_t room = drawing->width - 1 - drawing->left;
	size_t at = 0;

	for (size_t i = 0; i < drawing->chart->count; i++) {
		const char *escape = colour_curve(i);
		mr_auto_free char *name = text_harmless(drawing->chart->curves[i].name);
		const size_t length = NAME + (name ? cut(drawing, &name, room - NAME) : 0);

		if (at && at + NAME_SPACE + length > room) {
			output_text("\n");
			at = 0;
		}
		output_text("%*s%s%s%s %s", at ? NAME_SPACE : (int)drawing->left, "",
			    escape ? escape : "", canvas_mark(&drawing->canvas, i),
			    escape ? "\033[0m" : "", name ? name : "");
		at += length + (at ? NAME_SPACE : 0);
	}
	output_text(at ? "\n" : "");
}

static void put_titles(const struct drawing *drawing)
{
	const char *escape = colour_escape(COLOUR_HEADING);

	output_text("%s", escape ? escape : "");
	output_paragraph_within(drawing->chart->title, drawing->width);
	output_text("%s", escape ? "\033[0m" : "");
	if (drawing->chart->subtitle)
		output_paragraph_within(drawing->chart->subtitle, drawing->width);
	output_text("\n");
}

/* Leaves room for the longest label beside the axis. */
static void fit_axes(struct drawing *drawing)
{
	const struct chart *chart = drawing->chart;
	char text[SCALE_LABEL_MAX];
	size_t columns;

	scale_fit(&drawing->y, chart, &chart->y, ROWS / TICK_ROWS);
	for (size_t i = 0; i < drawing->y.count; i++) {
		const size_t length = strlen(scale_label(&drawing->y, drawing->y.ticks[i], text));

		drawing->left = length > drawing->left ? length : drawing->left;
	}
	drawing->left++; /* a blank, before the axis */
	columns = drawing->width - drawing->left;
	scale_fit_labels(&drawing->x, chart, &chart->x, columns / TICK_COLUMNS + 1, columns);
}

int chart_text(const struct chart *chart, size_t columns, struct mr_error *err)
{
	const bool is_utf8 = has_utf8();
	struct drawing drawing = {
		.chart = chart, .frame = &frames[is_utf8], .width = choose_width(columns), .left = 1
	};

	fit_axes(&drawing);
	if (!canvas_init(&drawing.canvas, is_utf8, drawing.width - drawing.left - 2, ROWS,
			 chart->count))
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	for (size_t i = 0; i < chart->count; i++)
		draw_curve(&drawing, i);
	put_titles(&drawing);
	put_label(&drawing, &chart->y, false);
	put_rows(&drawing);
	put_bottom(&drawing);
	put_label(&drawing, &chart->x, true);
	put_legend(&drawing);
	canvas_release(&drawing.canvas);
	return 0;
}
