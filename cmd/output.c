// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "output.h"
#include "table.h"

/* Most rows fit; others make their buffer grow. */
#define ROW_SIZE 1024

static void note_error(struct output *out, int rc)
{
	if (rc && !out->error)
		out->error = rc;
}

/* "rkey,length" to fields; the result ends with NULL. */
static int choose_columns(struct output *out, const char *text, struct mr_error *err)
{
	size_t count = 0;

	out->columns = calloc(strlen(text) + 2, sizeof(*out->columns));
	if (!out->columns)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	for (const char *item = text;; item++) {
		size_t length = strcspn(item, ",");
		const struct field *field = fields_find(out->record, item, length);

		if (!field) {
			mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				     "unknown column '%.*s' in --output", (int)length, item);
			return -EINVAL;
		}
		out->columns[count++] = field;
		item += length;
		if (!*item)
			return 0;
	}
}

int output_open(struct output *out, const struct global_args *global, const struct record *record,
		struct mr_error *err)
{
	*out = (struct output){ .global = global, .record = record, .separator = "" };
	if (global->columns && !record)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--output chooses columns, and this command prints none");
	return global->columns ? choose_columns(out, global->columns, err) : 0;
}

void output_release(struct output *out)
{
	free(out->columns);
	out->columns = NULL;
}

static bool add_row(cJSON *object, const struct record *record, const struct field *const *columns,
		    const void *row);

static cJSON *access_list(uint32_t bits)
{
	cJSON *array = cJSON_CreateArray();
	const char *name;
	char raw[16];

	while (array && (name = mr_access_next(&bits, raw)))
		if (!cJSON_AddItemToArray(array, cJSON_CreateString(name)))
			return cJSON_Delete(array), NULL;
	return array;
}

static cJSON *pages_list(uint64_t sizes)
{
	cJSON *array = cJSON_CreateArray();
	char text[24];

	for (; array && sizes; sizes &= sizes - 1) {
		snprintf(text, sizeof(text), "%" PRIu64, sizes & -sizes);
		if (!cJSON_AddItemToArray(array, cJSON_CreateRaw(text)))
			return cJSON_Delete(array), NULL;
	}
	return array;
}

static cJSON *record_list(const struct list *list)
{
	cJSON *array = cJSON_CreateArray();

	for (size_t i = 0; array && i < list->count; i++) {
		cJSON *object = cJSON_CreateObject();

		if (!cJSON_AddItemToArray(array, object) ||
		    !add_row(object, list->record, NULL, (const char *)list->rows + i * list->size))
			return cJSON_Delete(array), NULL;
	}
	return array;
}

/*
 * A value as a JSON item, or NULL when memory is short.
 *
 * Integers go in as raw text: cJSON's numbers are doubles and would round above 2^53.
 */
static cJSON *new_item(const struct field *field, const void *row)
{
	const void *value = (const char *)row + field->offset;
	const struct mr_opt_u64 *number = value;
	char buffer[FIELD_TEXT_MAX];
	const char *text;

	if (field->type == FIELD_LIST)
		return record_list(value);
	if (field->type == FIELD_ACCESS && number->known)
		return access_list((uint32_t)number->value);
	if (field->type == FIELD_PAGES && number->known)
		return pages_list(number->value);
	text = field_text(field, row, buffer);
	if (!text)
		return cJSON_CreateNull();
	switch (field->type) {
	case FIELD_BOOL:
	case FIELD_OPT_BOOL:
	case FIELD_NUMBER:
		return cJSON_CreateRaw(text);
	default:
		return cJSON_CreateString(text);
	}
}

/* Keys are the fields' own, which live for ever: they are not copied. */
static bool add_field(cJSON *object, const struct field *field, const void *row)
{
	cJSON *item = new_item(field, row);

	return item && cJSON_AddItemToObjectCS(object, field->key, item);
}

static bool add_row(cJSON *object, const struct record *record, const struct field *const *columns,
		    const void *row)
{
	for (; columns && *columns; columns++)
		if (!add_field(object, *columns, row))
			return false;
	for (const struct field *f = columns ? NULL : record->fields; f && f->key; f++)
		if (!add_field(object, f, row))
			return false;
	return true;
}

/* Prints a record as an object, or without its braces where @members. */
static void print_row(struct output *out, const struct record *record,
		      const struct field *const *columns, const void *row, bool members)
{
	cJSON *object = cJSON_CreateObject();
	char *text = NULL;

	if (object && add_row(object, record, columns, row))
		text = cJSON_PrintBuffered(object, ROW_SIZE, false);
	if (!text)
		note_error(out, -ENOMEM);
	else if (members)
		printf("%.*s", (int)strlen(text) - 2, text + 1);
	else
		fputs(text, stdout);
	cJSON_free(text);
	cJSON_Delete(object);
}

void output_begin(struct output *out, const char *command)
{
	if (!out->global->json)
		return;
	printf("{\"format\":1,\"command\":\"%s\"", command);
	out->separator = ",";
}

void output_members(struct output *out, const struct record *record, const void *row)
{
	if (!out->global->json)
		return;
	fputs(out->separator, stdout);
	print_row(out, record, NULL, row, true);
}

void output_object(struct output *out, const char *key, const struct record *record,
		   const void *row)
{
	if (out->global->json) {
		printf("%s\"%s\":", out->separator, key);
		print_row(out, record, NULL, row, false);
	} else if (!out->global->quiet) {
		lines_print(record, row, out->global->verbose, stdout);
	}
}

/* The columns of a table that nobody chose. */
static const struct field **all_columns(const struct record *record, bool verbose)
{
	const struct field **columns;
	size_t count = 0;

	for (const struct field *f = record->fields; f->key; f++)
		count++;
	columns = calloc(count + 1, sizeof(*columns));
	count = 0;
	for (const struct field *f = record->fields; columns && f->key; f++)
		if (f->type != FIELD_LIST && (verbose || !f->flags))
			columns[count++] = f;
	return columns;
}

void output_list_begin(struct output *out, const char *key, const struct record *record, bool lines)
{
	struct mr_error err;

	if (out->global->json) {
		printf("%s\"%s\":[", out->separator, key);
		out->separator = "\n";
		return;
	}
	if (out->global->quiet || lines)
		return;
	if (!out->columns && out->usual_columns && !out->global->verbose)
		note_error(out, choose_columns(out, out->usual_columns, &err));
	else if (!out->columns)
		out->columns = all_columns(record, out->global->verbose);
	if (out->columns)
		out->table = table_new(out->columns, !out->global->no_headings, stdout);
	if (!out->table)
		note_error(out, -ENOMEM);
}

void output_row(struct output *out, const struct record *record, const void *row)
{
	if (out->global->json) {
		fputs(out->separator, stdout);
		print_row(out, record, out->columns, row, false);
		out->separator = ",\n";
	} else if (out->table) {
		note_error(out, table_row(out->table, row));
	} else if (!out->global->quiet) {
		lines_print(record, row, out->global->verbose, stdout);
	}
}

void output_list_end(struct output *out)
{
	if (out->global->json)
		fputs("]", stdout);
	else if (out->table)
		note_error(out, table_finish(out->table));
	out->table = NULL;
	out->separator = ",";
}

void output_json_list(struct output *out, const char *key, const struct list *list)
{
	if (!out->global->json)
		return;
	printf("%s\"%s\":[", out->separator, key);
	for (size_t i = 0; i < list->count; i++) {
		fputs(i ? ",\n" : "\n", stdout);
		print_row(out, list->record, NULL, (const char *)list->rows + i * list->size,
			  false);
	}
	fputs("]", stdout);
	out->separator = ",";
}

int output_flush(struct mr_error *err)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	/* An earlier write that failed has left its mark, but its errno is gone. */
	return mr_fail(err, MR_ERROR_HOST, errno ? errno : EIO, "write",
		       "cannot print on standard output");
}

int output_end(struct output *out, struct mr_error *err)
{
	if (out->global->json)
		fputs("}\n", stdout);
	if (out->error)
		return mr_fail(err, MR_ERROR_HOST, -out->error, "output", "cannot print");
	return output_flush(err);
}

void output_text(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
}
