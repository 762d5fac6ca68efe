// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/output/output.h"
#include "lib/base/base.h"

/* Wide enough for the longest key; the same for all records, so that their values line up. */
#define KEY_WIDTH 18

/* A list as one line: the first field of each of its rows.  Return: NULL where it is empty, or not known. */
static const char *list_text(const struct list *list, char *buffer)
{
	char value[FIELD_TEXT_MAX];

	*buffer = '\0';
	for (size_t i = 0; list && i < list->count; i++)
		mr_text_add(buffer, FIELD_TEXT_MAX, ", ", "%s",
			    field_text(list->record->fields,
				       (const char *)list->rows + i * list->size, value)
				    ?: "-");
	return *buffer ? buffer : NULL;
}

/* A cell of a table cannot hold records. */
static bool is_nested(const struct field *field)
{
	return field->type >= FIELD_LIST;
}

/*
 * Adds the columns that a list names: "rkey,length".
 * @json:   lists and records are columns, too
 * @unique: a column that is there already is left out
 */
static int add_columns(struct output *out, const struct record *record, const char *text, bool json,
		       bool unique, struct mr_error *err)
{
	const char *item;
	size_t length;

	while ((item = mr_list_item(&text, ",", &length))) {
		bool plus = length && *item == '+';
		const struct field *field = fields_find(record, item + plus, length - plus);

		if (!field) {
			mr_fail_word(err, "column", item + plus, length - plus, record->fields,
				     sizeof(*record->fields));
			if (mr_word_is(item, length, "json"))
				mr_hint(err, "use --json (-j) for JSON");
			return -EINVAL;
		}
		if (!json && is_nested(field))
			return mr_fail_usage(
				err, "column '%s' requires --json: it has more than one value",
				field->key);
		if (unique && columns_find(out->columns, field->key))
			continue;
		if (out->column_count == COLUMNS_MAX)
			return mr_fail_usage(err, "at most %d columns", COLUMNS_MAX);
		out->columns[out->column_count++] = field;
	}
	return 0;
}

/* Adds all columns that a table has without a list of them. */
static void add_usual_columns(struct output *out, const struct record *record, bool verbose)
{
	for (const struct field *f = record->fields; f->key; f++)
		if (!is_nested(f) && (verbose || !(f->flags & FIELD_DETAIL)) &&
		    out->column_count < COLUMNS_MAX)
			out->columns[out->column_count++] = f;
}

/* Prints a list as a table of the columns of @out.  Return: 0 or -errno. */
static int print_table(const struct list *list, const struct output *out, FILE *stream)
{
	struct table *table = table_new(out->columns, out->column_count, true, stream);
	int rc = 0;

	if (!table)
		return -ENOMEM;
	for (size_t i = 0; !rc && i < list->count; i++)
		rc = table_row(table, (const char *)list->rows + i * list->size);
	return table_finish(table) ?: rc;
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

/* Prints a list as a table below the heading. */
static void print_list(struct printer *printer, const struct list *list)
{
	mr_auto_free char *text = NULL;
	size_t size;
	FILE *stream = list && list->count ? open_memstream(&text, &size) : NULL;
	struct output usual = { .column_count = 0 };
	char *rest, *line;

	if (!stream)
		return;
	add_usual_columns(&usual, list->record, printer->lines != LINES_USUAL);
	print_table(list, &usual, stream);
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
		const char *text;

		if (f->section &&
		    (!printer->section || strcmp(f->section, printer->section) != 0)) {
			printer->section = f->section;
			printer->heading_due = true;
		}
		if (f->flags & FIELD_DETAIL && printer->lines == LINES_USUAL)
			continue;
		if (f->type == FIELD_RECORD && printer->section) {
			print_fields(printer, f->record, (const char *)row + f->offset);
			continue;
		}
		if (f->type == FIELD_LIST && printer->section) {
			print_list(printer, field_list(f, row));
			continue;
		}
		text = f->type == FIELD_LIST ? list_text(field_list(f, row), buffer)
					     : field_text(f, row, buffer);
		if (!text)
			text = f->unknown;
		if (!text && printer->lines != LINES_ALL)
			continue;
		print_heading(printer);
		fprintf(printer->stream, "%s%s%s:%*s", printer->indent,
			printer->section ? "  " : "", f->key, KEY_WIDTH - (int)strlen(f->key), "");
		text_print(text ? text : "-", printer->stream);
		fputc('\n', printer->stream);
	}
}

void lines_print(const struct record *record, const void *row, enum lines lines, const char *indent,
		 FILE *stream)
{
	struct printer printer = { .lines = lines, .indent = indent, .stream = stream };

	print_fields(&printer, record, row);
}

static void note_error(struct output *out, int rc)
{
	if (rc && !out->error)
		out->error = rc;
}

int output_open(struct output *out, const struct output_style *style, const struct record *record,
		struct mr_error *err)
{
	const struct output empty = { .style = style, .record = record, .separator = "" };

	*out = empty;
	if (!style->columns)
		return 0;
	if (!record)
		return mr_fail_usage(err, "this command does not support --output");
	if (add_columns(out, record, style->columns, style->json, style->json, err))
		return -EINVAL;
	if (*style->columns == '+') /* they are added to the usual ones, once these are known */
		*out = empty;
	return 0;
}

void output_release(struct output *out)
{
	metrics_release(&out->metrics);
}

/* Prints the separator before the next element of a list. */
static const char *separator_in_list(const struct output *out, bool is_first)
{
	const char *separator = is_first ? "\n" : ",\n";

	return !out->style->one_line ? separator : is_first ? "" : ",";
}

/* Prints a record as the next element of a list. */
static void print_element(struct output *out, const struct record *record,
			  const struct field *const *columns, const void *row)
{
	output_put(out->separator);
	json_put_object(stdout, record, columns, row);
	out->separator = separator_in_list(out, false);
}

static void print_key(const struct output *out, const char *key, const char *value)
{
	printf("%s\"%s\":%s", out->separator, key, value);
}

void output_begin(struct output *out, const char *command)
{
	if (!out->style->json)
		return;
	if (!out->is_part)
		printf("{\"format\":1,\"command\":\"%s\"", command);
	out->separator = ",";
}

void output_member(struct output *out, const struct field *field, const void *row)
{
	const struct field *const fields[] = { field, NULL };

	if (out->style->json)
		json_put_members(stdout, NULL, fields, row, out->separator);
}

bool output_is_for_people(const struct output *out)
{
	const struct output_style *style = out->style;

	return !style->json && !style->quiet && !style->no_headings && !style->columns &&
	       style->format == OUTPUT_TEXT;
}

bool output_is_metrics(const struct output *out)
{
	return !out->style->json && out->style->format == OUTPUT_OPENMETRICS;
}

/* Prints a row as lines, with an empty line between two blocks of them; or in the format of the style. */
static void print_lines(struct output *out, const struct record *record, const void *row)
{
	if (output_is_metrics(out)) {
		if (out->metrics.table)
			note_error(out, metrics_add(&out->metrics, record, row));
		return;
	}
	if (out->block_printed)
		printf("\n");
	out->block_printed = out->blocks;
	lines_print(record, row, out->style->verbose ? LINES_ALL : LINES_USUAL, "", stdout);
}

void output_object(struct output *out, const char *key, const struct record *record,
		   const void *row)
{
	if (out->style->json) {
		print_key(out, key, "");
		json_put_object(stdout, record, NULL, row);
	} else if (!out->style->quiet) {
		print_lines(out, record, row);
	}
}

void output_list_begin(struct output *out, const char *key, const struct record *record, bool lines)
{
	struct mr_error ignored; /* of columns that were read before */

	if (out->style->json) {
		print_key(out, key, "[");
		out->separator = separator_in_list(out, true);
		return;
	}
	if (out->style->quiet || lines || output_is_metrics(out))
		return;
	/* For all that is known of a row a table is too narrow. */
	out->blocks = out->style->verbose && output_is_for_people(out);
	if (out->blocks)
		return;
	/* Without --output, the usual columns, and after them those that --output adds. */
	if (!out->column_count) {
		if (out->usual_columns && !out->style->verbose)
			add_columns(out, record, out->usual_columns, false, false, &ignored);
		else
			add_usual_columns(out, record, out->style->verbose);
		out->usual_count = out->column_count;
		if (out->style->columns)
			add_columns(out, record, out->style->columns, false, true, &ignored);
	}
	out->table = table_new(out->columns, out->usual_count, !out->style->no_headings, stdout);
	if (!out->table)
		note_error(out, -ENOMEM);
}

void output_row(struct output *out, const struct record *record, const void *row)
{
	if (out->style->json) {
		print_element(out, record, out->column_count ? out->columns : NULL, row);
	} else if (out->table) {
		note_error(out, table_row(out->table, row));
	} else if (!out->style->quiet) {
		print_lines(out, record, row);
	}
}

void output_element_begin(struct output *out, const struct record *record, const void *row)
{
	if (!out->style->json)
		return;
	output_put(out->separator);
	json_put_members(stdout, record, NULL, row, "{");
	out->separator = ",";
}

void output_element_end(struct output *out, const struct field *field, const void *row)
{
	if (field)
		output_member(out, field, row);
	if (out->style->json)
		output_put("}");
	out->separator = separator_in_list(out, false);
}

void output_list_end(struct output *out)
{
	if (out->style->json)
		output_put("]");
	else if (out->table)
		note_error(out, table_finish(out->table));
	out->table = NULL;
	out->separator = ",";
}

void output_json_list(struct output *out, const char *key, const struct list *list)
{
	if (!out->style->json)
		return;
	print_key(out, key, "[");
	out->separator = separator_in_list(out, true);
	for (size_t i = 0; i < list->count; i++)
		print_element(out, list->record, NULL, (const char *)list->rows + i * list->size);
	output_list_end(out);
}

int output_end(struct output *out, struct mr_error *err)
{
	if (out->style->json && !out->is_part)
		output_put("}\n");
	if (output_is_metrics(out))
		metrics_print(&out->metrics, stdout);
	if (out->error)
		return mr_fail(err, MR_ERROR_HOST, -out->error, "output",
			       "not all of the output could be written");
	return out->is_part ? 0 : output_flush(err);
}

void output_table(struct output *out, const char *key, const struct list *list, const char *columns)
{
	struct output usual = { .column_count = 0 };
	struct mr_error ignored;

	output_json_list(out, key, list);
	if (!output_is_for_people(out) || !list->count)
		return;
	fputc('\n', stdout);
	add_columns(&usual, list->record, columns, false, false, &ignored);
	note_error(out, print_table(list, &usual, stdout));
}
