// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <libsmartcols.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/output/aligned.h"
#include "cmd/output/columns.h"
#include "cmd/output/text.h"

void aligned_free(struct aligned *aligned)
{
	free(aligned->columns);
	free(aligned->line);
	*aligned = (struct aligned){ .count = 0 };
}

void aligned_set(struct aligned *aligned, const struct field *const *fields,
		 struct libscols_table *scols)
{
	size_t size = 1;

	aligned_free(aligned);
	aligned->columns = calloc(columns_count(fields) + 1, sizeof(*aligned->columns));
	for (size_t i = 0; aligned->columns && fields[i]; i++) {
		struct libscols_column *column = scols_table_get_column(scols, i);
		size_t width = scols_column_get_width(column);

		if (scols_column_is_hidden(column))
			continue;
		aligned->columns[aligned->count++] =
			(struct aligned_column){ fields[i], width, scols_column_is_right(column) };
		size += width + 1;
	}
	aligned->line = aligned->columns ? malloc(size) : NULL;
	if (!aligned->line)
		aligned_free(aligned);
}

/* Puts a cell, and a blank or newline behind it.  Return: where it ends; NULL where it does not fit. */
static char *put_cell(char *to, const struct aligned_column *column, bool is_last, const void *row)
{
	char buffer[FIELD_TEXT_MAX];
	const char *text = field_text(column->field, row, buffer) ?: "-";
	size_t length = strlen(text), blanks = column->width - length;

	if (length > column->width || !text_is_plain(text))
		return NULL;
	if (column->right) {
		memset(to, ' ', blanks);
		to += blanks;
	}
	to = mempcpy(to, text, length);
	if (!column->right && !is_last) { /* no blanks at the end of a line */
		memset(to, ' ', blanks);
		to += blanks;
	}
	*to++ = is_last ? '\n' : ' ';
	return to;
}

bool aligned_print(const struct aligned *aligned, const void *row, FILE *stream)
{
	char *end = aligned->line;

	for (size_t i = 0; end && i < aligned->count; i++)
		end = put_cell(end, &aligned->columns[i], i + 1 == aligned->count, row);
	if (!end)
		return false;
	fwrite(aligned->line, 1, (size_t)(end - aligned->line), stream);
	return true;
}
