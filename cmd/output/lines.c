// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "cmd/output/lines.h"
#include "cmd/output/text.h"

/* Wide enough for the longest key; the same for all records, so that their values line up. */
#define KEY_WIDTH 18

/* A list as one line: the first field of each of its rows.  Return: NULL where it is empty. */
static const char *list_text(const struct list *list, char *buffer)
{
	char value[FIELD_TEXT_MAX];
	size_t used = 0;

	for (size_t i = 0; i < list->count && used < FIELD_TEXT_MAX; i++) {
		const char *text = field_text(list->record->fields,
					      (const char *)list->rows + i * list->size, value);

		used += (size_t)snprintf(buffer + used, FIELD_TEXT_MAX - used, "%s%s",
					 i ? ", " : "", text ? text : "-");
	}
	return list->count ? buffer : NULL;
}

void lines_print(const struct record *record, const void *row, enum lines lines, const char *indent,
		 FILE *stream)
{
	char buffer[FIELD_TEXT_MAX];

	for (const struct field *f = record->fields; f->key; f++) {
		const char *text;

		if (f->flags & FIELD_DETAIL && lines == LINES_USUAL)
			continue;
		text = f->type == FIELD_LIST
			       ? list_text((const void *)((const char *)row + f->offset), buffer)
			       : field_text(f, row, buffer);
		if (!text && lines != LINES_ALL)
			continue;
		fprintf(stream, "%s%s:%*s", indent, f->key, KEY_WIDTH - (int)strlen(f->key), "");
		text_print(text ? text : "-", stream);
		fputc('\n', stream);
	}
}
