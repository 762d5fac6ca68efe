/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Colours on standard output, where it is a terminal. */
#ifndef CMD_OUTPUT_COLOUR_H
#define CMD_OUTPUT_COLOUR_H

#include <stddef.h>

/** Colours, by what they say. */
enum output_colour { COLOUR_PLAIN, COLOUR_GOOD, COLOUR_DOUBT, COLOUR_BAD, COLOUR_HEADING };

/** A word, and the colour that it has. */
struct coloured_word {
	const char *word;
	enum output_colour colour;
};

/**
 * colour_escape() - the escape sequence that begins a colour
 *
 * Return: NULL for COLOUR_PLAIN; also where standard output is no terminal that has colours, or the user set
 * $NO_COLOR (https://no-color.org).
 */
const char *colour_escape(enum output_colour colour);

/** output_coloured() - print a word in its colour, in at least @width columns */
void output_coloured(enum output_colour colour, const char *word, int width);

#endif
