// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <cjson/cJSON.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/output/output.h"
#include "lib/base/base.h"
#include "lib/diagnose/causes/causes.h"
#include "lib/verbs/verbs.h"

/* ---- writing records ---- */

/*
 * A list can have a million rows.  So records are written straight into a buffer, and no call can fail: trees of cJSON,
 * some 40 nodes for each row, took four times as long.
 */
struct writer {
	FILE *to;
	size_t used;
	char bytes[4096];
};

static void flush(struct writer *writer)
{
	fwrite_unlocked(writer->bytes, 1, writer->used, writer->to);
	writer->used = 0;
}

static inline void put_bytes(struct writer *writer, const char *bytes, size_t count)
{
	if (count > sizeof(writer->bytes) - writer->used) {
		flush(writer);
		if (count > sizeof(writer->bytes)) {
			fwrite_unlocked(bytes, 1, count, writer->to);
			return;
		}
	}
	memcpy(writer->bytes + writer->used, bytes, count);
	writer->used += count;
}

static void put(struct writer *writer, const char *text)
{
	put_bytes(writer, text, strlen(text));
}

/* Bytes of a number of 64 bits, decimal or hexadecimal, with quotes. */
#define DIGITS_MAX 24

static void put_number(struct writer *writer, uint64_t number)
{
	char digits[DIGITS_MAX];

	put_bytes(writer, digits, (size_t)(put_decimal(digits, number) - digits));
}

static void put_hex(struct writer *writer, uint64_t number)
{
	char digits[DIGITS_MAX] = "\"", *end = put_hexadecimal(digits + 1, number);

	*end++ = '"';
	put_bytes(writer, digits, (size_t)(end - digits));
}

static void put_text(struct writer *writer, const char *text)
{
	size_t length = text ? text_same_in_json(text) : 0;

	if (!text)
		return put(writer, "null");
	if (text[length]) {
		flush(writer);
		return text_print_json(text, writer->to);
	}
	put(writer, "\"");
	put_bytes(writer, text, length);
	put(writer, "\"");
}

static void put_access(struct writer *writer, uint32_t bits)
{
	const char *before = "[", *name;
	char raw[16];

	for (; (name = mr_access_next(&bits, raw)); before = ",") {
		put(writer, before);
		put_text(writer, name);
	}
	put(writer, *before == '[' ? "[]" : "]");
}

static void put_pages(struct writer *writer, uint64_t sizes)
{
	put(writer, "[");
	for (; sizes; sizes &= sizes - 1) {
		put_number(writer, sizes & -sizes);
		put(writer, sizes & (sizes - 1) ? "," : "");
	}
	put(writer, "]");
}

static void put_words(struct writer *writer, const char *const *words)
{
	put(writer, words ? "[" : "null");
	for (; words && *words; words++) {
		put_text(writer, *words);
		put(writer, words[1] ? "," : "");
	}
	put(writer, words ? "]" : "");
}

static void put_object(struct writer *writer, const struct record *record,
		       const struct field *const *columns, const void *row);

static void put_list(struct writer *writer, const struct list *list)
{
	put(writer, list ? "[" : "null");
	for (size_t i = 0; list && i < list->count; i++) {
		put(writer, i ? "," : "");
		put_object(writer, list->record, NULL, (const char *)list->rows + i * list->size);
	}
	put(writer, list ? "]" : "");
}

static void put_evidence(struct writer *writer, const struct field *field, const void *row)
{
	size_t count;
	const struct mr_evidence *evidence = field_evidence(field, row, &count);

	put(writer, "{");
	for (size_t i = 0; i < count; i++, evidence++) {
		put(writer, i ? "," : "");
		put_text(writer, evidence->name);
		put(writer, ":");
		if (evidence->is_number)
			put_number(writer, evidence->number);
		else
			put_text(writer, evidence->text);
	}
	put(writer, "}");
}

static void put_integer(struct writer *writer, enum field_type type, struct mr_opt_u64 number)
{
	if (!number.known)
		put(writer, "null");
	else if (type == FIELD_HEX)
		put_hex(writer, number.value);
	else if (type == FIELD_ACCESS)
		put_access(writer, (uint32_t)number.value);
	else if (type == FIELD_PAGES)
		put_pages(writer, number.value);
	else
		put_number(writer, number.value);
}

static void put_value(struct writer *writer, const struct field *field, const void *row)
{
	const void *member = (const char *)row + field->offset;
	char buffer[FIELD_TEXT_MAX];
	struct field_words room;
	const struct list *list;

	switch (field->type) {
	case FIELD_STRING:
	case FIELD_TEXT:
	case FIELD_WORD:
	case FIELD_ERRNO:
		return put_text(writer, field_text(field, row, buffer));
	case FIELD_NUMBER:
	case FIELD_LIMIT:
	case FIELD_HEX:
	case FIELD_ACCESS:
	case FIELD_PAGES:
		return put_integer(writer, field->type, field_number(field, row));
	case FIELD_BOOL:
	case FIELD_OPT_BOOL:
	case FIELD_TRISTATE:
	case FIELD_RATIO:
		return put(writer, field_text(field, row, buffer) ?: "null");
	case FIELD_WORDS:
	case FIELD_BITS:
		return put_words(writer, field_words(field, row, &room));
	case FIELD_LIST:
		return put_list(writer, field_list(field, row));
	case FIELD_ONE:
		list = field_list(field, row);
		if (!list || !list->count)
			return put(writer, "null");
		return put_object(writer, list->record, NULL, list->rows);
	case FIELD_RECORD:
		return put_object(writer, field->record, NULL, member);
	case FIELD_EVIDENCE:
		return put_evidence(writer, field, row);
	}
}

static void put_members(struct writer *writer, const struct record *record,
			const struct field *const *columns, const void *row, const char *before)
{
	for (const struct field *f = columns ? *columns : record->fields; f && f->key;
	     f = columns ? *++columns : f + 1) {
		put(writer, before);
		put(writer, "\"");
		put(writer, f->key);
		put(writer, "\":");
		put_value(writer, f, row);
		before = ",";
	}
}

static void put_object(struct writer *writer, const struct record *record,
		       const struct field *const *columns, const void *row)
{
	put_members(writer, record, columns, row, "{");
	put(writer, "}");
}

void json_put_members(FILE *to, const struct record *record, const struct field *const *columns,
		      const void *row, const char *before)
{
	struct writer writer;

	writer.to = to;
	writer.used = 0;
	put_members(&writer, record, columns, row, before);
	flush(&writer);
}

void json_put_object(FILE *to, const struct record *record, const struct field *const *columns,
		     const void *row)
{
	json_put_members(to, record, columns, row, "{");
	fputs_unlocked("}", to);
}

/* ---- documents that were read ---- */

/* The most values that a document may have. */
#define JSON_NODES_MAX 500000

cJSON *json_get(const cJSON *object, const char *key)
{
	return cJSON_IsObject(object) ? cJSON_GetObjectItemCaseSensitive(object, key) : NULL;
}

const char *json_text(const cJSON *object, const char *key)
{
	return cJSON_GetStringValue(json_get(object, key));
}

const char *json_scalar(const cJSON *item, char buffer[JSON_SCALAR_MAX])
{
	if (cJSON_IsString(item) || cJSON_IsRaw(item))
		return item->valuestring;
	if (cJSON_IsBool(item))
		return cJSON_IsTrue(item) ? "true" : "false";
	if (!cJSON_IsNumber(item))
		return NULL;
	snprintf(buffer, JSON_SCALAR_MAX, "%.17g", item->valuedouble);
	return buffer;
}

cJSON *json_number(uint64_t value)
{
	char digits[DIGITS_MAX + 1];

	*put_decimal(digits, value) = '\0';
	return cJSON_CreateRaw(digits);
}

static void print_scalar(const cJSON *item)
{
	char buffer[JSON_SCALAR_MAX];
	const char *text = json_scalar(item, buffer);

	if (cJSON_IsString(item))
		text_print_json(text, stdout);
	/* JSON has no infinite numbers, which cJSON reads from 1e999. */
	else if (text && (!cJSON_IsNumber(item) || isfinite(item->valuedouble)))
		fputs(text, stdout);
	else
		fputs("null", stdout);
}

void json_print(const cJSON *item, unsigned int lines)
{
	const bool is_object = cJSON_IsObject(item);
	const char *separator = lines ? "\n" : "";

	if (!is_object && !cJSON_IsArray(item))
		return print_scalar(item);
	fputs(is_object ? "{" : "[", stdout);
	for (const cJSON *child = item->child; child; child = child->next) {
		fputs(separator, stdout);
		separator = lines ? ",\n" : ",";
		if (is_object) {
			text_print_json(child->string ? child->string : "", stdout);
			fputs(":", stdout);
		}
		json_print(child, lines ? lines - 1 : 0);
	}
	fputs(lines && item->child ? "\n" : "", stdout);
	fputs(is_object ? "}" : "]", stdout);
}

/*
 * cJSON reads numbers as doubles, which round integers of more digits than this.  So these are read as strings that
 * begin with this mark, and become raw text.
 */
#define EXACT_DIGITS 15
#define LONG_NUMBER  "\\u0001integer:"
#define LONG_MARK    "\x01integer:"

/* Bytes of the string at @text, with its quotes. */
static size_t string_length(const char *text, const char *end)
{
	const char *at = text + 1;

	while (at < end && *at != '"')
		at += *at == '\\' && at + 1 < end ? 2 : 1;
	return (size_t)((at < end ? at + 1 : end) - text);
}

/* Bytes of the integer at @text; 0 where there is none, or no long one. */
static size_t long_integer(const char *text, const char *end)
{
	const char *at = text + (text < end && *text == '-');

	while (at < end && isdigit((unsigned char)*at))
		at++;
	if (at - text <= EXACT_DIGITS || (at < end && strchr(".eE", *at)))
		return 0;
	return (size_t)(at - text);
}

/* Bytes of the number or word at @text. */
static size_t word_length(const char *text, const char *end)
{
	const char *at = text;

	while (at < end && (isalnum((unsigned char)*at) || strchr("+-.", *at)) && *at)
		at++;
	return at == text ? 1 : (size_t)(at - text);
}

/* Copies a document with its long integers as marked strings.  Return: free() it; NULL with errno. */
static char *mark_long(const char *text, size_t length)
{
	const char *end = text + length;
	size_t nodes = 0, size, part;
	char *copy = NULL;
	FILE *stream = open_memstream(&copy, &size);

	for (; stream && text < end && nodes <= JSON_NODES_MAX; text += part) {
		nodes += *text == ',' || *text == '[' || *text == '{';
		if (*text == '"')
			part = string_length(text, end);
		else
			part = long_integer(text, end);
		if (part && *text != '"') {
			fprintf(stream, "\"" LONG_NUMBER "%.*s\"", (int)part, text);
			continue;
		}
		part = part ? part : word_length(text, end);
		fwrite(text, 1, part, stream);
	}
	errno = nodes > JSON_NODES_MAX ? E2BIG : ENOMEM;
	if (!stream || fclose(stream) || nodes > JSON_NODES_MAX) {
		free(copy);
		return NULL;
	}
	return copy;
}

static bool is_number(const char *text)
{
	const char *digits = text + (*text == '-');

	return *digits && strspn(digits, "0123456789") == strlen(digits);
}

/* Makes marked strings the integers that they were.  A document may hold the mark itself. */
static void unmark_long(cJSON *item)
{
	for (; item; item = item->next) {
		const char *text = cJSON_IsString(item) ? item->valuestring : "";

		unmark_long(item->child);
		if (strncmp(text, LONG_MARK, strlen(LONG_MARK)) != 0 ||
		    !is_number(text + strlen(LONG_MARK)))
			continue;
		item->type = (item->type & ~0xff) | cJSON_Raw;
		memmove(item->valuestring, text + strlen(LONG_MARK),
			strlen(text + strlen(LONG_MARK)) + 1);
	}
}

cJSON *json_parse(const char *text, size_t length)
{
	mr_auto_free char *marked = mark_long(text, length);
	const char *rest = NULL;
	cJSON *item = marked ? cJSON_ParseWithOpts(marked, &rest, true) : NULL;

	if (marked && !item)
		errno = EBADMSG;
	unmark_long(item);
	return item;
}
