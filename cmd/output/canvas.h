/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Curves in cells of characters: of dots (braille) in UTF-8, else a mark in each cell. */
#ifndef CMD_OUTPUT_CANVAS_H
#define CMD_OUTPUT_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Curves whose marks and cells can differ; further ones share them. */
#define CANVAS_CURVES 64

struct canvas_cell {
	uint8_t dots;    /**< as the characters from U+2800 number them */
	uint64_t curves; /**< that go through it, a bit for each */
	uint64_t marked; /**< of these, the ones whose mark it has to show */
};

struct canvas {
	bool is_utf8;
	size_t columns, rows;
	size_t curves; /**< how many there are */
	struct canvas_cell *cells;
};

/** canvas_init() - an empty one; Return: false when memory is short */
bool canvas_init(struct canvas *canvas, bool is_utf8, size_t columns, size_t rows, size_t curves);

void canvas_release(struct canvas *canvas);

/** canvas_x(), canvas_y() - the dots of a place, 0 to 1: from the left, and from the top */
size_t canvas_x(const struct canvas *canvas, double place);
size_t canvas_y(const struct canvas *canvas, double place);

/** canvas_column(), canvas_row() - the column and the row of the cell that has a place */
size_t canvas_column(const struct canvas *canvas, double place);
size_t canvas_row(const struct canvas *canvas, double place);

/** canvas_line() - draw a part of a curve, between two dots */
void canvas_line(struct canvas *canvas, size_t curve, const size_t from[2], const size_t to[2]);

/**
 * canvas_mark_end() - see to it that the mark of a curve is shown
 * @first: the dot of the curve that is farthest to the left
 * @last:  the one where the mark is set if it comes nowhere else
 */
void canvas_mark_end(struct canvas *canvas, size_t curve, size_t first, const size_t last[2]);

/** canvas_mark() - the mark of a curve, a character */
const char *canvas_mark(const struct canvas *canvas, size_t curve);

/** canvas_print_row() - print the cells of a row, without the blanks at its end */
void canvas_print_row(const struct canvas *canvas, size_t row);

#endif
