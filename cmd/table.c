// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <libsmartcols.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "table.h"
#include "text.h"

/*
 * Rows are printed in chunks, so that a million of them need no more memory than these; the
 * widths of the first chunk hold for all that follow.
 */
#define CHUNK 1024

/* Wide enough for the longest key; the same for all records, so that they line up. */
#define KEY_WIDTH 18

struct table {
	struct libscols_table *scols;
	const struct field *const *columns;
	size_t rows; /* in the current chunk */
};

static bool is_number(const struct field *field)
{
	return field->type == FIELD_NUMBER;
}

/* Columns are headed by their keys in upper case. */
static int add_column(struct libscols_table *scols, const struct field *field)
{
	char heading[64];
	size_t i;

	for (i = 0; i < sizeof(heading) - 1 && field->key[i]; i++)
		heading[i] = (char)toupper((unsigned char)field->key[i]);
	heading[i] = '\0';
	return scols_table_new_column(scols, heading, 0, is_number(field) ? SCOLS_FL_RIGHT : 0)
		       ? 0
		       : -ENOMEM;
}

struct table *table_new(const struct field *const *columns, bool headings, FILE *stream)
{
	struct table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->columns = columns;
	table->scols = scols_new_table();
	if (!table->scols)
		goto fail;
	scols_table_set_stream(table->scols, stream);
	scols_table_enable_noheadings(table->scols, !headings);
	scols_table_enable_raw(table->scols, !headings); /* for scripts: nothing is padded */
	/* A cut key would be worse than a long line. */
	scols_table_enable_nowrap(table->scols, 0);
	scols_table_set_termforce(table->scols, SCOLS_TERMFORCE_NEVER);
	for (const struct field *const *c = columns; *c; c++)
		if (add_column(table->scols, *c))
			goto fail;
	return table;
fail:
	scols_unref_table(table->scols);
	free(table);
	return NULL;
}

static int print_chunk(struct table *table)
{
	size_t n = 0;

	if (!table->rows)
		return 0;
	if (scols_print_table(table->scols))
		return -EIO;
	for (const struct field *const *c = table->columns; *c; c++, n++) {
		struct libscols_column *column = scols_table_get_column(table->scols, n);

		scols_column_set_whint(column, (double)scols_column_get_width(column));
	}
	scols_table_remove_lines(table->scols);
	scols_table_enable_noheadings(table->scols, 1);
	table->rows = 0;
	return 0;
}

int table_row(struct table *table, const void *row)
{
	struct libscols_line *line = scols_table_new_line(table->scols, NULL);
	char buffer[FIELD_TEXT_MAX];
	size_t n = 0;

	if (!line)
		return -ENOMEM;
	for (const struct field *const *c = table->columns; *c; c++, n++) {
		const char *text = field_text(*c, row, buffer);

		if (scols_line_set_data(line, n, text ? text : "-"))
			return -ENOMEM;
	}
	return ++table->rows == CHUNK ? print_chunk(table) : 0;
}

int table_finish(struct table *table)
{
	int rc = print_chunk(table);

	scols_unref_table(table->scols);
	free(table);
	return rc;
}

/* A list in one line: the first field of each of its rows. */
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
