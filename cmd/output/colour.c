// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/output/colour.h"

static bool has_colours(void)
{
	const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(refused && *refused) && terminal && *terminal &&
	       strcmp(terminal, "dumb") != 0;
}

/* ECMA-48, Select Graphic Rendition: 1 is bold, 31 to 33 are colours. */
static const char *const escapes[] = {
	[COLOUR_PLAIN] = NULL,       [COLOUR_GOOD] = "\033[32m",   [COLOUR_DOUBT] = "\033[33m",
	[COLOUR_BAD] = "\033[1;31m", [COLOUR_HEADING] = "\033[1m",
};

const char *colour_escape(enum output_colour colour)
{
	return escapes[colour] && has_colours() ? escapes[colour] : NULL;
}

void output_coloured(enum output_colour colour, const char *word, int width)
{
	const char *escape = colour_escape(colour);

	printf(escape ? "%s%-*s\033[0m" : "%s%-*s", escape ?: "", width, word);
}
