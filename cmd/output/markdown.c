// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <libsmartcols.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/output/columns.h"
#include "cmd/output/markdown.h"
#include "cmd/output/markdown_text.h"

/* The columns of a terminal that UTF-8 takes, if no character is a wide one. */
static size_t width_of(const char *text)
{
	size_t width = 0;

	for (; text && *text; text++)
		width += (*text & 0xc0) != 0x80;
	return width;
}

static void print_row(char *const *cells, const size_t *widths, const bool *right, size_t columns,
		      FILE *stream)
{
	for (size_t i = 0; i < columns; i++) {
		int pad = (int)(widths[i] - width_of(cells[i]));

		fprintf(stream, "| %*s%s%*s ", right && right[i] ? pad : 0, "", cells[i],
			right && right[i] ? 0 : pad, "");
	}
	fputs("|\n", stream);
}

static void print_rule(const size_t *widths, const bool *right, size_t columns, FILE *stream)
{
	for (size_t i = 0; i < columns; i++) {
		fputs("| ", stream);
		for (size_t n = 1; n < widths[i]; n++)
			fputc('-', stream);
		fputs(right && right[i] ? ": " : "- ", stream);
	}
	fputs("|\n", stream);
}

static void print_cells(const struct markdown_table *table, char *const *cells,
			const size_t *widths, FILE *stream)
{
	for (size_t row = 0; row < table->rows; row++) {
		print_row(cells + row * table->columns, widths, table->right, table->columns,
			  stream);
		if (!row)
			print_rule(widths, table->right, table->columns, stream);
	}
}

int markdown_table(const struct markdown_table *table, FILE *stream)
{
	size_t count = table->columns * table->rows, filled = 0;
	size_t *widths = calloc(table->columns + 1, sizeof(*widths));
	char **cells = calloc(count + 1, sizeof(*cells));
	bool done;

	for (; widths && cells && filled < count; filled++) {
		size_t *width = &widths[filled % table->columns], own;

		cells[filled] = markdown_escaped(table->cells[filled]);
		if (!cells[filled])
			break;
		own = width_of(cells[filled]);
		/* Some readers take fewer dashes for no table. */
		*width = own > *width ? own : *width < 3 ? 3 : *width;
	}
	done = widths && cells && filled == count;
	if (done)
		print_cells(table, cells, widths, stream);
	for (size_t i = 0; cells && i < filled; i++)
		free(cells[i]);
	free(cells);
	free(widths);
	return done ? 0 : -ENOMEM;
}

/* Keys and values, which become a table of two columns. */
struct pairs {
	char **cells; /* NULL: unknown */
	size_t count; /* of cells */
	bool out_of_memory;
};

static void add_cell(struct pairs *pairs, const char *text)
{
	char **cells = reallocarray(pairs->cells, pairs->count + 1, sizeof(*cells));

	if (cells) {
		pairs->cells = cells;
		cells[pairs->count] = text ? strdup(text) : NULL;
	}
	if (!cells || (text && !cells[pairs->count]))
		pairs->out_of_memory = true;
	pairs->count += cells != NULL;
}

static void add_fields(struct pairs *pairs, const struct record *record, const void *row,
		       const char *inside, bool verbose)
{
	char buffer[FIELD_TEXT_MAX], key[128];

	for (const struct field *f = record->fields; f->key; f++) {
		const char *text;

		if (f->type == FIELD_LIST || (f->flags & FIELD_DETAIL && !verbose))
			continue;
		snprintf(key, sizeof(key), "%s%s%s", inside, *inside ? "." : "", f->key);
		if (f->type == FIELD_RECORD) {
			add_fields(pairs, f->record, (const char *)row + f->offset, key, verbose);
			continue;
		}
		text = field_text(f, row, buffer);
		if (!text && !verbose)
			continue;
		add_cell(pairs, key);
		add_cell(pairs, text);
	}
}

/* Adds the values of a row to the cells of a table. */
static void add_row(struct pairs *cells, const struct field *const *columns, const void *row)
{
	char buffer[FIELD_TEXT_MAX];

	for (; *columns; columns++)
		add_cell(cells, field_text(*columns, row, buffer));
}

static int print_and_free(struct pairs *pairs, size_t columns, FILE *stream)
{
	const struct markdown_table table = {
		.cells = (const char *const *)pairs->cells,
		.columns = columns,
		.rows = columns ? pairs->count / columns : 0,
	};
	int rc = pairs->out_of_memory ? -ENOMEM : markdown_table(&table, stream);

	for (size_t i = 0; i < pairs->count; i++)
		free(pairs->cells[i]);
	free(pairs->cells);
	return rc;
}

static bool is_known(const struct field *field, const struct list *list)
{
	char buffer[FIELD_TEXT_MAX];

	for (size_t i = 0; i < list->count; i++)
		if (field_text(field, (const char *)list->rows + i * list->size, buffer))
			return true;
	return false;
}

/* The columns in which a row has a value, or all.  Return: free() them; NULL where memory is short. */
static const struct field **choose_columns(const struct list *list, bool verbose)
{
	const struct field **columns = columns_usual(list->record, verbose), **kept = columns;

	if (verbose || !columns)
		return columns;
	for (const struct field **c = columns; *c; c++)
		if (is_known(*c, list))
			*kept++ = *c;
	*kept = NULL;
	return columns;
}

int markdown_list(const char *key, const struct list *list, bool verbose, FILE *stream)
{
	const struct field **columns = choose_columns(list, verbose);
	struct pairs cells = { .out_of_memory = !columns };
	int rc;

	for (size_t i = 0; columns && columns[i]; i++)
		add_cell(&cells, columns[i]->key);
	for (size_t i = 0; columns && i < list->count; i++)
		add_row(&cells, columns, (const char *)list->rows + i * list->size);
	fprintf(stream, "%s:\n\n", key);
	rc = print_and_free(&cells, columns_count(columns), stream);
	free(columns);
	return rc;
}

int markdown_object(const struct record *record, const void *row, bool verbose, FILE *stream)
{
	struct pairs pairs = { .cells = NULL };
	int rc;

	add_cell(&pairs, record->name);
	add_cell(&pairs, "");
	add_fields(&pairs, record, row, "", verbose);
	rc = print_and_free(&pairs, 2, stream);
	for (const struct field *f = record->fields; !rc && f->key; f++) {
		const struct list *list = (const void *)((const char *)row + f->offset);

		if (f->type != FIELD_LIST || (f->flags & FIELD_DETAIL && !verbose) || !list->count)
			continue;
		fputc('\n', stream);
		rc = markdown_list(f->key, list, verbose, stream);
	}
	return rc;
}

int markdown_columns(const struct field *const *fields, struct libscols_table *scols, size_t count)
{
	const size_t all = columns_count(fields), rows = count + 1;
	struct libscols_iter *lines = scols_new_iter(SCOLS_ITER_FORWARD);
	const char **cells = calloc(all * rows + 1, sizeof(*cells));
	bool *right = calloc(all + 1, sizeof(*right));
	struct libscols_line *line = NULL;
	size_t used = 0, columns = 0;
	int rc = -ENOMEM;

	for (size_t row = 0; lines && cells && right && row < rows; row++) {
		for (size_t i = 0; i < all; i++) {
			struct libscols_column *column = scols_table_get_column(scols, i);

			if (scols_column_is_hidden(column))
				continue;
			if (!row)
				right[columns++] = fields[i]->type == FIELD_NUMBER;
			cells[used++] =
				row ? scols_line_get_column_data(line, column) : fields[i]->key;
		}
		scols_table_next_line(scols, lines, &line);
	}
	scols_free_iter(lines);
	if (used)
		rc = markdown_table(&(struct markdown_table){ cells, right, columns, rows },
				    scols_table_get_stream(scols));
	free(cells);
	free(right);
	return rc;
}

int markdown_rows(const char *const *cells, size_t columns, size_t count)
{
	return markdown_table(&(struct markdown_table){ cells, NULL, columns, count / columns },
			      stdout);
}
