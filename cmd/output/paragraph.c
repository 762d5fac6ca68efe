// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <string.h>

#include "cmd/output/paragraph.h"
#include "cmd/output/text.h"

#define WIDTH 80

/* Where a line of at most @room bytes of @text ends: before blanks, or behind a word that is too long. */
static size_t end_of_line(const char *text, size_t room)
{
	size_t cut = strlen(text);

	if (cut <= room)
		return cut;
	for (cut = room; cut && text[cut] != ' '; cut--)
		;
	while (cut && text[cut - 1] == ' ')
		cut--;
	return cut ? cut : strcspn(text, " ");
}

void output_paragraph(const char *text, size_t at, size_t indent)
{
	while (*text) {
		const size_t cut = end_of_line(text, at < WIDTH ? WIDTH - 1 - at : 0);

		text_print_part(text, cut, stdout);
		putchar('\n');
		text += cut + strspn(text + cut, " ");
		at = indent;
		if (*text)
			printf("%*s", (int)indent, "");
	}
}
