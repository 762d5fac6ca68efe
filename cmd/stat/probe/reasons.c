// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <string.h>

#include "cmd/output/output.h"
#include "cmd/stat/probe/reasons.h"

#define WIDTH 80

/* Prints a line of words, which goes on in the next lines, indented, where it is longer than the terminal is wide. */
static void print_wrapped(const char *text)
{
	const int indent = 4;
	int column = 0;

	while (*text) {
		int length = (int)strcspn(text, " ");

		if (column > indent && column + 1 + length > WIDTH) {
			output_text("\n%*s", indent, "");
			column = indent;
		} else if (column) {
			output_text(" ");
			column++;
		}
		output_text("%.*s", length, text);
		column += length;
		text += length;
		text += strspn(text, " ");
	}
	output_text("\n");
}

void print_reasons(const struct trial_row *rows, size_t trials)
{
	output_text("\n");
	print_wrapped(
		"access: lw is local-write, rw remote-write, rr remote-read, ra remote-atomic, "
		"mw mw-bind");
	for (size_t i = 0; i < trials; i++) {
		char text[sizeof(rows[i].reason) + 64];

		if (!rows[i].reason[0])
			continue;
		snprintf(text, sizeof(text), "%s: %s", rows[i].id, rows[i].reason);
		print_wrapped(text);
	}
	output_text("\n");
}
