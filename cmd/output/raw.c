// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/output/raw.h"

#define LINE_MAX_BYTES 1024

/* Puts a cell.  Return: where it ends; NULL where it is not plain, or does not end before @end. */
static char *put_cell(char *to, const char *end, const char *text)
{
	if (!*text)
		return NULL;
	for (; *text; text++) {
		if (*text <= ' ' || *text > '~' || *text == '\\' || to == end)
			return NULL;
		*to++ = *text;
	}
	return to;
}

bool raw_print(const struct field *const *fields, const void *row, FILE *stream)
{
	char line[LINE_MAX_BYTES], buffer[FIELD_TEXT_MAX], *to = line;

	do {
		to = put_cell(to, line + sizeof(line) - 1, field_text(*fields, row, buffer) ?: "-");
		if (!to)
			return false;
		*to++ = fields[1] ? ' ' : '\n';
	} while (*++fields);
	fwrite_unlocked(line, 1, (size_t)(to - line), stream);
	return true;
}
