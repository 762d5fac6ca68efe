// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "cmd/output/canvas.h"
#include "cmd/output/colour.h"
#include "cmd/output/stream.h"

/* Columns between marks of a curve of dots, if curves are few. */
#define MARK_STRIDE 8

/* Marks, in the order in which curves take them.  Letters follow. */
static const char *const dot_marks[] = { "●", "○", "■", "□", "▲", "△", "◆", "◇" };
static const char *const ascii_marks[] = { "*", "+", "x", "o", "#", "@", "%", "&", "=", "~" };
static const char letters[][2] = { "A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M",
				   "N", "P", "Q", "R", "S", "T", "U", "V", "W", "X", "Y", "Z" };

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

bool canvas_init(struct canvas *canvas, bool is_utf8, size_t columns, size_t rows, size_t curves)
{
	*canvas = (struct canvas){ .is_utf8 = is_utf8,
				   .columns = columns,
				   .rows = rows,
				   .curves = curves < CANVAS_CURVES ? curves : CANVAS_CURVES,
				   .cells = calloc(columns * rows, sizeof(*canvas->cells)) };
	return canvas->cells;
}

void canvas_release(struct canvas *canvas)
{
	free(canvas->cells);
}

/* Dots of a cell: two columns and four rows in braille. */
static size_t cell_width(const struct canvas *canvas)
{
	return canvas->is_utf8 ? 2 : 1;
}

static size_t cell_height(const struct canvas *canvas)
{
	return canvas->is_utf8 ? 4 : 1;
}

size_t canvas_x(const struct canvas *canvas, double place)
{
	return (size_t)(place * (double)(canvas->columns * cell_width(canvas) - 1) + 0.5);
}

size_t canvas_y(const struct canvas *canvas, double place)
{
	return (size_t)((1 - place) * (double)(canvas->rows * cell_height(canvas) - 1) + 0.5);
}

size_t canvas_column(const struct canvas *canvas, double place)
{
	return canvas_x(canvas, place) / cell_width(canvas);
}

size_t canvas_row(const struct canvas *canvas, double place)
{
	return canvas_y(canvas, place) / cell_height(canvas);
}

static struct canvas_cell *cell_at(const struct canvas *canvas, size_t x, size_t y)
{
	return &canvas->cells[y / cell_height(canvas) * canvas->columns + x / cell_width(canvas)];
}

static void set_dot(struct canvas *canvas, size_t curve, size_t x, size_t y)
{
	static const uint8_t dots[4][2] = {
		{ 0x01, 0x08 }, { 0x02, 0x10 }, { 0x04, 0x20 }, { 0x40, 0x80 }
	};
	struct canvas_cell *cell = cell_at(canvas, x, y);

	cell->dots |= dots[y % 4][x % 2];
	cell->curves |= UINT64_C(1) << curve % CANVAS_CURVES;
}

void canvas_line(struct canvas *canvas, size_t curve, const size_t from[2], const size_t to[2])
{
	const double dx = (double)to[0] - (double)from[0], dy = (double)to[1] - (double)from[1];
	const double longest = dx * dx > dy * dy ? (dx < 0 ? -dx : dx) : (dy < 0 ? -dy : dy);

	for (double step = 0; step <= longest; step++) {
		const double part = longest > 0 ? step / longest : 0;

		set_dot(canvas, curve, (size_t)((double)from[0] + dx * part + 0.5),
			(size_t)((double)from[1] + dy * part + 0.5));
	}
}

/* Whether a curve of dots has its mark in this column: each has columns of its own, as far as there are some. */
static bool is_marked(const struct canvas *canvas, size_t curve, size_t column)
{
	const size_t stride = canvas->curves > MARK_STRIDE ? canvas->curves : MARK_STRIDE;

	return column % stride == curve * stride / canvas->curves;
}

void canvas_mark_end(struct canvas *canvas, size_t curve, size_t first, const size_t last[2])
{
	const size_t end = last[0] / cell_width(canvas);

	curve %= CANVAS_CURVES;
	for (size_t column = first / cell_width(canvas); column <= end; column++)
		if (is_marked(canvas, curve, column))
			return;
	cell_at(canvas, last[0], last[1])->marked |= UINT64_C(1) << curve;
}

const char *canvas_mark(const struct canvas *canvas, size_t curve)
{
	const char *const *marks = canvas->is_utf8 ? dot_marks : ascii_marks;
	const size_t count = canvas->is_utf8 ? COUNT(dot_marks) : COUNT(ascii_marks);

	curve = curve % CANVAS_CURVES % (count + COUNT(letters));
	return curve < count ? marks[curve] : letters[curve - count];
}

/* The one of some curves that a cell shows: others have their turn in other columns. */
static size_t choose(uint64_t curves, size_t column)
{
	for (size_t turn = column % (size_t)__builtin_popcountll(curves); turn; turn--)
		curves &= curves - 1;
	return (size_t)__builtin_ctzll(curves);
}

/* Curves of dots that have their mark in this cell: the uppermost one of theirs in the column. */
static uint64_t marks_in(const struct canvas *canvas, size_t row, size_t column)
{
	const struct canvas_cell *cell = &canvas->cells[row * canvas->columns + column];
	uint64_t marks = cell->marked, above = 0;

	for (size_t i = 0; i < row; i++)
		above |= canvas->cells[i * canvas->columns + column].curves;
	for (size_t curve = 0; curve < canvas->curves; curve++)
		if (is_marked(canvas, curve, column))
			marks |= cell->curves & ~above & UINT64_C(1) << curve;
	return marks;
}

/* The character of a cell that is not empty, in UTF-8.  Sets the curve that it belongs to. */
static const char *cell_text(const struct canvas *canvas, size_t row, size_t column, size_t *curve,
			     char braille[4])
{
	const struct canvas_cell *cell = &canvas->cells[row * canvas->columns + column];
	const uint64_t marks = canvas->is_utf8 ? marks_in(canvas, row, column) : cell->curves;

	*curve = choose(marks ? marks : cell->curves, column);
	if (marks)
		return canvas_mark(canvas, *curve);
	braille[0] = '\xe2';
	braille[1] = (char)(0xa0 | cell->dots >> 6);
	braille[2] = (char)(0x80 | (cell->dots & 0x3f));
	braille[3] = '\0';
	return braille;
}

void canvas_print_row(const struct canvas *canvas, size_t row)
{
	const struct canvas_cell *cells = &canvas->cells[row * canvas->columns];
	size_t end = canvas->columns, blanks = 0, coloured = SIZE_MAX;
	const char *escape = NULL;

	while (end && !cells[end - 1].curves)
		end--;
	for (size_t column = 0; column < end; column++, blanks = 0) {
		size_t curve;
		char braille[4];
		const char *text;

		while (!cells[column].curves)
			column++, blanks++;
		text = cell_text(canvas, row, column, &curve, braille);
		if (curve != coloured) {
			escape = colour_curve(curve);
			coloured = curve;
			output_text("%s", escape ? escape : "");
		}
		output_text("%*s%s", (int)blanks, "", text);
	}
	if (escape)
		output_text("\033[0m");
}
