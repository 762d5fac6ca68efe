/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Numbers and texts in SVG.  Lengths are in pixels. */
#ifndef CMD_OUTPUT_SVG_H
#define CMD_OUTPUT_SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** Where a text is, and how it looks. */
struct svg_text {
	double x, y; /**< of the end that is @anchor, and of the line that letters stand on */
	double size;
	const char *anchor; /**< "start", "middle" or "end" */
	const char *more;   /**< attributes, or "" */
};

/** svg_number() - print a coordinate with a decimal; the locale does not count */
void svg_number(FILE *stream, double value);

/** svg_attribute() - print a blank and an attribute that is a number */
void svg_attribute(FILE *stream, const char *name, double value);

/** svg_escape() - print a harmless text (text_harmless()) as characters of XML */
void svg_escape(FILE *stream, const char *text, size_t length);

/** svg_width() - about how wide a harmless text is, rather more */
double svg_width(const char *text, double size);

/**
 * svg_fit() - how many bytes of a harmless text fit in a line
 * @at_blanks: break before a blank, if there is one
 *
 * Return: one character at least, if the text has one.
 */
size_t svg_fit(const char *text, double size, double room, bool at_blanks);

/** svg_text() - print the first @length bytes of a harmless text; and "…" if that is not all of it and @is_cut */
void svg_text(FILE *stream, const struct svg_text *place, const char *text, size_t length,
	      bool is_cut);

/** svg_line() - print a line */
void svg_line(FILE *stream, double x1, double y1, double x2, double y2, const char *attributes);

/** svg_title() - print a text with any bytes as the title of an element: what is shown below a pointer */
void svg_title(FILE *stream, const char *text);

#endif
