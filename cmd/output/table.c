// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <libsmartcols.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <unistd.h>

#include "cmd/output/output.h"

/* ECMA-48, Select Graphic Rendition: 1 is bold, 31 to 33 are colours. */
static const char *const escapes[] = {
	[COLOUR_PLAIN] = NULL,       [COLOUR_GOOD] = "\033[32m",   [COLOUR_DOUBT] = "\033[33m",
	[COLOUR_BAD] = "\033[1;31m", [COLOUR_HEADING] = "\033[1m",
};

/*
 * Returns the escape sequence that begins a colour. Return: NULL for COLOUR_PLAIN; also where standard
 * output is no terminal that has colours, or the user set $NO_COLOR (https://no-color.org).
 */
static const char *colour_escape(enum output_colour colour)
{
	const char *refused = getenv("NO_COLOR");

	return output_is_screen(STDOUT_FILENO) && !(refused && *refused) ? escapes[colour] : NULL;
}

void output_coloured(enum output_colour colour, const char *word, int width)
{
	const char *escape = colour_escape(colour);

	printf(escape ? "%s%-*s\033[0m" : "%s%-*s", escape ?: "", width, word);
}

static bool is_duration(const struct field *field, bool is_for_people)
{
	return is_for_people && field->flags & FIELD_DURATION;
}

/* Room for the heading of a column. */
#define HEADING_MAX 64

/* Heading of a column: the field's key in upper case, without the unit that the cells have. */
static void cell_heading(const struct field *field, bool is_for_people, char heading[HEADING_MAX])
{
	size_t length = strlen(field->key), i;

	if (is_duration(field, is_for_people))
		length -= strlen("_ns");
	for (i = 0; i < HEADING_MAX - 1 && i < length; i++)
		heading[i] = (char)toupper((unsigned char)field->key[i]);
	heading[i] = '\0';
}

static const char *duration_text(uint64_t ns, char *buffer)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	const size_t last = sizeof(units) / sizeof(*units) - 1;
	uint64_t whole = ns, rest = 0;
	size_t unit;

	for (unit = 0; whole >= 1000 && unit < last; unit++) {
		rest = whole % 1000;
		whole /= 1000;
	}
	if (unit && whole < 10)
		snprintf(buffer, FIELD_TEXT_MAX, "%" PRIu64 ".%" PRIu64 " %s", whole, rest / 100,
			 units[unit]);
	else
		snprintf(buffer, FIELD_TEXT_MAX, "%" PRIu64 " %s", whole, units[unit]);
	return buffer;
}

const char *cell_text(const struct field *field, bool is_for_people, const void *row, char *buffer)
{
	const struct mr_opt_u64 number = field_number(field, row);

	if (!is_duration(field, is_for_people) && !(is_for_people && field->flags & FIELD_IEC))
		return field_text(field, row, buffer);
	if (!number.known)
		return NULL;
	return field->flags & FIELD_IEC ? iec_text(number.value, buffer)
					: duration_text(number.value, buffer);
}

/* The escape sequence of the colour that the field gives to a text; NULL: none */
static const char *cell_escape(const struct field *field, const char *text)
{
	for (const struct coloured_word *colours = field->colours; colours && colours->word;
	     colours++)
		if (!strcmp(colours->word, text))
			return colour_escape(colours->colour);
	return NULL;
}

/*
 * Rows of a chunk, which are laid out together: a million rows need no more memory than one chunk.  Columns of later
 * chunks are at least as wide as those before.
 */
#define CHUNK 1024

/* A column of a table. */
struct column {
	struct libscols_column *scols;
	const struct field *other; /* the field it is compared with: repeats or instead; or NULL */
	size_t width;              /* of its longest cell so far */
	size_t folded;             /* the same where each item of a list takes a line */
	bool usual;                /* not chosen by the user: cells are as people read them */
	bool is_needed;            /* a value so far is neither unknown nor expected */
};

struct table {
	struct libscols_table *scols;
	const struct field *const *fields;
	struct column columns[COLUMNS_MAX]; /* one for each of the fields */
	size_t rows;                        /* in the current chunk */
	bool headings;
	bool fit_terminal; /* make the table fit where that is possible */
};

/* The bytes of the longest item of a list. */
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

/* Cuts the list after its first item.  Return: the other items, or NULL. */
static char *next_item(const struct libscols_column *column __attribute__((unused)), char *list,
		       void *data __attribute__((unused)))
{
	char *comma = list ? strchr(list, ',') : NULL;

	if (!comma)
		return NULL;
	*comma = '\0';
	return comma + 1;
}

/* @usual: how many of the columns, from the first, the user did not choose */
static int add_columns(struct table *table, size_t usual)
{
	char heading[HEADING_MAX];

	for (size_t i = 0; table->fields[i]; i++) {
		const struct field *field = table->fields[i];
		struct column *column = &table->columns[i];

		column->usual = i < usual;
		cell_heading(field, column->usual, heading);
		column->scols = scols_table_new_column(
			table->scols, heading, 0, field->type == FIELD_NUMBER ? SCOLS_FL_RIGHT : 0);
		if (!column->scols)
			return -ENOMEM;
		column->width = column->folded = strlen(heading);
		column->other = columns_find(table->fields, field->repeats ?: field->instead);
	}
	return 0;
}

static void free_table(struct table *table)
{
	scols_unref_table(table->scols);
	free(table);
}

struct table *table_new(const struct field *const *columns, size_t usual, bool headings,
			FILE *stream)
{
	struct table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->fields = columns;
	table->headings = headings;
	table->fit_terminal = headings && usual && isatty(STDOUT_FILENO);
	table->scols = scols_new_table();
	if (!table->scols || add_columns(table, headings ? usual : 0)) {
		free_table(table);
		return NULL;
	}
	scols_table_set_stream(table->scols, stream);
	scols_table_enable_nowrap(table->scols, 0);
	scols_table_enable_colors(table->scols, 1);
	scols_table_set_termforce(table->scols, table->fit_terminal ? SCOLS_TERMFORCE_AUTO
								    : SCOLS_TERMFORCE_NEVER);
	return table;
}

/* Leaves out columns that are not needed.  If a later chunk needs one, headings are printed again. */
static void hide_needless_columns(struct table *table)
{
	for (size_t i = 0; table->fields[i]; i++) {
		const struct column *column = &table->columns[i];
		int flags = scols_column_get_flags(column->scols);
		bool hidden = column->usual && !column->is_needed;

		if (hidden == !!(flags & SCOLS_FL_HIDDEN))
			continue;
		scols_column_set_flags(column->scols, flags ^ SCOLS_FL_HIDDEN);
		scols_table_enable_noheadings(table->scols, 0);
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

/*
 * Puts each access flag on a separate line if the table then fits the terminal.  A list that was cut at the
 * edge would look complete.
 */
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
	int rc;

	if (!table->rows)
		return 0;
	hide_needless_columns(table);
	if (table->fit_terminal)
		fold_lists(table);
	rc = scols_print_table(table->scols);
	if (rc)
		return rc;
	for (size_t i = 0; table->fields[i]; i++) {
		struct libscols_column *column = table->columns[i].scols;

		scols_column_set_whint(column, (double)scols_column_get_width(column));
	}
	scols_table_remove_lines(table->scols);
	scols_table_enable_noheadings(table->scols, 1);
	table->rows = 0;
	return 0;
}

/* Whether a value is known, and not the one that all rows are expected to have (struct field). */
static bool is_unexpected(const struct field *field, const struct field *other, const void *row)
{
	char buffer[FIELD_TEXT_MAX], other_buffer[FIELD_TEXT_MAX];
	const char *text = field_text(field, row, buffer), *other_text;

	if (!text || (field->usual && !strcmp(text, field->usual)))
		return false;
	other_text = other ? field_text(other, row, other_buffer) : NULL;
	return !other_text || (field->repeats && strcmp(text, other_text) != 0);
}

/* Prints cells with a blank between them, for scripts: nothing in a cell looks like another one, and none is padded. */
static void print_raw(const struct table *table, const void *row)
{
	FILE *stream = scols_table_get_stream(table->scols);
	char buffer[FIELD_TEXT_MAX];

	for (size_t i = 0; table->fields[i]; i++) {
		for (const char *c = field_text(table->fields[i], row, buffer) ?: "-"; *c; c++)
			if (*c > ' ' && *c <= '~' && *c != '\\')
				putc_unlocked(*c, stream);
			else
				fprintf(stream, "\\x%02x", (unsigned char)*c);
		putc_unlocked(table->fields[i + 1] ? ' ' : '\n', stream);
	}
}

int table_row(struct table *table, const void *row)
{
	struct libscols_line *line;
	char buffer[FIELD_TEXT_MAX];

	if (!table->headings) {
		print_raw(table, row);
		return 0;
	}
	line = scols_table_new_line(table->scols, NULL);
	if (!line)
		return -ENOMEM;
	for (size_t i = 0; table->fields[i]; i++) {
		const struct field *field = table->fields[i];
		struct column *column = &table->columns[i];
		const char *text = cell_text(field, column->usual, row, buffer);

		if (column->usual && !column->is_needed)
			column->is_needed = is_unexpected(field, column->other, row);
		if (scols_line_set_data(line, i, text ? text : "-"))
			return -ENOMEM;
		if (text && column->usual &&
		    scols_cell_set_color(scols_line_get_cell(line, i), cell_escape(field, text)))
			return -ENOMEM;
		if (!text || !table->fit_terminal)
			continue;
		column->width = MAX(column->width, strlen(text));
		column->folded = MAX(column->folded, longest_item(NULL, text, NULL));
	}
	return ++table->rows == CHUNK ? print_chunk(table) : 0;
}

int table_finish(struct table *table)
{
	int rc = print_chunk(table);

	free_table(table);
	return rc;
}
