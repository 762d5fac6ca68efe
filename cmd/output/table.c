// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <libsmartcols.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/output/table.h"
#include "cmd/output/text.h"
#include "lib/base/cleanup.h"

/*
 * Rows are printed in chunks, so that a million of them need no more memory than these; the
 * widths of the first chunk hold for all that follow.
 */
#define CHUNK 1024

/* Wide enough for the longest key; the same for all records, so that they line up. */
#define KEY_WIDTH 18

/* A column of a table. */
struct column {
	struct libscols_column *scols;
	const struct field *other; /* the field it is compared with: repeats or instead; or NULL */
	size_t width;              /* of its longest cell so far */
	size_t folded;             /* the same where each item of a list takes a line */
	bool usual;                /* not chosen by the user */
	bool says_something;       /* a row so far has more than what is expected */
};

struct table {
	struct libscols_table *scols;
	const struct field *const *fields;
	struct column *columns; /* one for each of the fields */
	size_t rows;            /* in the current chunk */
	bool headings;
	bool fits_terminal; /* as far as can be */
};

static bool is_number(const struct field *field)
{
	return field->type == FIELD_NUMBER;
}

/* The longest item of a list. */
static size_t longest_item(const struct libscols_column *column __attribute__((unused)),
			   const char *list, void *data __attribute__((unused)))
{
	size_t longest = 0, length;

	for (; list && *list; list += length + !!list[length]) {
		length = strcspn(list, ",");
		if (length > longest)
			longest = length;
	}
	return longest;
}

/* Ends the first item of a list.  Return: the others, or NULL. */
static char *next_item(const struct libscols_column *column __attribute__((unused)), char *list,
		       void *data __attribute__((unused)))
{
	char *comma = list ? strchr(list, ',') : NULL;

	if (!comma)
		return NULL;
	*comma = '\0';
	return comma + 1;
}

static const struct field *find_column(const struct field *const *fields, const char *key)
{
	for (; key && *fields; fields++)
		if (!strcmp((*fields)->key, key))
			return *fields;
	return NULL;
}

/* Columns are headed by their keys in upper case. */
static int add_column(struct table *table, const struct field *field, struct column *column)
{
	char heading[64];
	size_t i;

	for (i = 0; i < sizeof(heading) - 1 && field->key[i]; i++)
		heading[i] = (char)toupper((unsigned char)field->key[i]);
	heading[i] = '\0';
	column->scols = scols_table_new_column(table->scols, heading, 0,
					       is_number(field) ? SCOLS_FL_RIGHT : 0);
	column->width = column->folded = i;
	column->other = find_column(table->fields, field->repeats ?: field->instead);
	return column->scols ? 0 : -ENOMEM;
}

static int add_columns(struct table *table, size_t usual)
{
	for (size_t i = 0; table->fields[i]; i++) {
		struct column *column = &table->columns[i];

		column->usual = i < usual;
		if (add_column(table, table->fields[i], column))
			return -ENOMEM;
	}
	return 0;
}

static void free_table(struct table *table)
{
	scols_unref_table(table->scols);
	free(table->columns);
	free(table);
}

struct table *table_new(const struct field *const *columns, size_t usual, bool headings,
			FILE *stream)
{
	struct table *table = calloc(1, sizeof(*table));
	size_t count = 0;

	if (!table)
		return NULL;
	while (columns[count])
		count++;
	table->fields = columns;
	table->headings = headings;
	table->fits_terminal = headings && usual && isatty(fileno(stream));
	table->columns = calloc(count + 1, sizeof(*table->columns));
	table->scols = scols_new_table();
	if (!table->columns || !table->scols || add_columns(table, headings ? usual : 0)) {
		free_table(table);
		return NULL;
	}
	scols_table_set_stream(table->scols, stream);
	scols_table_enable_noheadings(table->scols, !headings);
	scols_table_enable_raw(table->scols, !headings); /* for scripts: nothing is padded */
	scols_table_enable_nowrap(table->scols, 0);
	scols_table_set_termforce(table->scols, table->fits_terminal ? SCOLS_TERMFORCE_AUTO
								     : SCOLS_TERMFORCE_NEVER);
	return table;
}

/* Leaves out columns that say nothing.  If a later row needs one, headings are printed again. */
static void hide_silent_columns(struct table *table)
{
	for (size_t i = 0; table->fields[i]; i++) {
		const struct column *column = &table->columns[i];
		int flags = scols_column_get_flags(column->scols);
		bool hidden = column->usual && !column->says_something;

		if (hidden == !!(flags & SCOLS_FL_HIDDEN))
			continue;
		scols_column_set_flags(column->scols, flags ^ SCOLS_FL_HIDDEN);
		scols_table_enable_noheadings(table->scols, !table->headings);
	}
}

static bool is_foldable(const struct table *table, size_t i)
{
	return table->columns[i].usual && table->fields[i]->type == FIELD_ACCESS;
}

static bool fits(const struct table *table, bool folded)
{
	size_t width = 0;

	for (size_t i = 0; table->fields[i]; i++) {
		const struct column *column = &table->columns[i];

		if (!scols_column_is_hidden(column->scols))
			width += !!width +
				 (folded && is_foldable(table, i) ? column->folded : column->width);
	}
	return width <= scols_table_get_termwidth(table->scols);
}

/* Gives each access flag a line of its own if the table fits then: a list that is cut looks whole. */
static void fold_lists(struct table *table)
{
	if (fits(table, false) || !fits(table, true))
		return;
	for (size_t i = 0; table->fields[i]; i++) {
		const struct column *column = &table->columns[i];

		if (!is_foldable(table, i))
			continue;
		scols_column_set_flags(column->scols,
				       scols_column_get_flags(column->scols) | SCOLS_FL_WRAP);
		scols_column_set_wrapfunc(column->scols, longest_item, next_item, NULL);
	}
}

static int print_chunk(struct table *table)
{
	if (!table->rows)
		return 0;
	hide_silent_columns(table);
	if (table->fits_terminal)
		fold_lists(table);
	if (scols_print_table(table->scols))
		return -EIO;
	for (size_t i = 0; table->fields[i]; i++) {
		struct libscols_column *column = table->columns[i].scols;

		scols_column_set_whint(column, (double)scols_column_get_width(column));
	}
	scols_table_remove_lines(table->scols);
	scols_table_enable_noheadings(table->scols, 1);
	table->rows = 0;
	return 0;
}

/* Whether a value is more than what all rows are expected to have. */
static bool says_something(const struct field *field, const struct field *other, const char *text,
			   const void *row)
{
	char buffer[FIELD_TEXT_MAX];
	const char *other_text;

	if (!text || (field->usual && !strcmp(text, field->usual)))
		return false;
	other_text = other ? field_text(other, row, buffer) : NULL;
	return !other_text || (field->repeats && strcmp(text, other_text) != 0);
}

static void measure(struct column *column, const char *text)
{
	size_t width = strlen(text), folded = longest_item(NULL, text, NULL);

	column->width = width > column->width ? width : column->width;
	column->folded = folded > column->folded ? folded : column->folded;
}

int table_row(struct table *table, const void *row)
{
	struct libscols_line *line = scols_table_new_line(table->scols, NULL);
	char buffer[FIELD_TEXT_MAX];

	if (!line)
		return -ENOMEM;
	for (size_t i = 0; table->fields[i]; i++) {
		const char *text = field_text(table->fields[i], row, buffer);
		struct column *column = &table->columns[i];

		if (column->usual && !column->says_something)
			column->says_something =
				says_something(table->fields[i], column->other, text, row);
		if (scols_line_set_data(line, i, text ? text : "-"))
			return -ENOMEM;
		if (text && table->fits_terminal)
			measure(column, text);
	}
	return ++table->rows == CHUNK ? print_chunk(table) : 0;
}

int table_finish(struct table *table)
{
	int rc = print_chunk(table);

	free_table(table);
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
