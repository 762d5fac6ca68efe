// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>

#include "cmd/output/columns.h"
#include "cmd/output/lines.h"
#include "cmd/output/table.h"
#include "cmd/output/text.h"
#include "lib/base/base.h"

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

/* Prints a list as a table, without columns that are unknown in all rows.  Return: 0 or -errno. */
static int print_table(const struct list *list, bool verbose, FILE *stream)
{
	mr_auto_free const struct field **columns = columns_usual(list->record, verbose);
	struct table *table =
		columns ? table_new(columns, columns_count(columns), true, stream) : NULL;
	int rc = table ? 0 : -ENOMEM, ended;

	for (size_t i = 0; !rc && i < list->count; i++)
		rc = table_row(table, (const char *)list->rows + i * list->size);
	ended = table ? table_finish(table) : 0;
	return rc ? rc : ended;
}

/* Where lines are printed, and the heading that is due before the next one. */
struct printer {
	enum lines lines;
	const char *indent;
	FILE *stream;
	const char *section; /* of the fields that are being printed; NULL: none */
	bool heading_due;
};

static void print_heading(struct printer *printer)
{
	if (printer->heading_due)
		fprintf(printer->stream, "%s%s:\n", printer->indent, printer->section);
	printer->heading_due = false;
}

static void print_line(struct printer *printer, const struct field *field, const char *text)
{
	print_heading(printer);
	fprintf(printer->stream, "%s%s%s:%*s", printer->indent, printer->section ? "  " : "",
		field->key, KEY_WIDTH - (int)strlen(field->key), "");
	text_print(text, printer->stream);
	fputc('\n', printer->stream);
}

/* Prints a list as a table below the heading. */
static void print_list(struct printer *printer, const struct list *list)
{
	mr_auto_free char *text = NULL;
	size_t size;
	FILE *stream = list->count ? open_memstream(&text, &size) : NULL;
	char *rest, *line;

	if (!stream)
		return;
	print_table(list, printer->lines != LINES_USUAL, stream);
	if (fclose(stream))
		return;
	print_heading(printer);
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		fprintf(printer->stream, "%s  ", printer->indent);
		text_print(line, printer->stream);
		fputc('\n', printer->stream);
	}
}

static void print_fields(struct printer *printer, const struct record *record, const void *row)
{
	char buffer[FIELD_TEXT_MAX];

	for (const struct field *f = record->fields; f->key; f++) {
		const void *value = (const char *)row + f->offset;
		const char *text;

		if (f->section &&
		    (!printer->section || strcmp(f->section, printer->section) != 0)) {
			printer->section = f->section;
			printer->heading_due = true;
		}
		if (f->flags & FIELD_DETAIL && printer->lines == LINES_USUAL)
			continue;
		if (f->type == FIELD_RECORD && printer->section) {
			print_fields(printer, f->record, value);
			continue;
		}
		if (f->type == FIELD_LIST && printer->section) {
			print_list(printer, value);
			continue;
		}
		text = f->type == FIELD_LIST ? list_text(value, buffer)
					     : field_text(f, row, buffer);
		if (!text)
			text = f->unknown;
		if (text || printer->lines == LINES_ALL)
			print_line(printer, f, text ? text : "-");
	}
}

void lines_print(const struct record *record, const void *row, enum lines lines, const char *indent,
		 FILE *stream)
{
	struct printer printer = { .lines = lines, .indent = indent, .stream = stream };

	print_fields(&printer, record, row);
}
