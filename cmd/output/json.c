// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "cmd/output/output.h"
#include "lib/base/base.h"
#include "lib/diagnose/causes/causes.h"
#include "lib/verbs/verbs.h"

/* ---- writing records ---- */

/*
 * A list can have a million rows, so records are written straight away: trees of cJSON took four times as long, and
 * fputs_unlocked(3) takes a third longer for these short texts.
 */
static void put(FILE *to, const char *text)
{
	while (*text)
		putc_unlocked(*text++, to);
}

static void put_integer(FILE *to, enum field_type type, uint64_t number)
{
	char digits[24] = "\"", *end;

	if (type == FIELD_HEX) {
		end = put_hexadecimal(digits + 1, number);
		*end++ = '"';
	} else {
		end = put_decimal(digits, number);
	}
	fwrite_unlocked(digits, 1, (size_t)(end - digits), to);
}

static void put_text(FILE *to, const char *text)
{
	if (text)
		text_print_json(text, to);
	else
		put(to, "null");
}

static void put_access(FILE *to, uint32_t bits)
{
	const char *before = "[", *name;
	char raw[16];

	for (; (name = mr_access_next(&bits, raw)); before = ",") {
		put(to, before);
		put_text(to, name);
	}
	put(to, *before == '[' ? "[]" : "]");
}

static void put_pages(FILE *to, uint64_t sizes)
{
	put(to, "[");
	for (; sizes; sizes &= sizes - 1) {
		put_integer(to, FIELD_NUMBER, sizes & -sizes);
		put(to, sizes & (sizes - 1) ? "," : "");
	}
	put(to, "]");
}

static void put_words(FILE *to, const char *const *words)
{
	put(to, words ? "[" : "null");
	for (; words && *words; words++) {
		put_text(to, *words);
		put(to, words[1] ? "," : "");
	}
	put(to, words ? "]" : "");
}

static void put_list(FILE *to, const struct list *list)
{
	put(to, list ? "[" : "null");
	for (size_t i = 0; list && i < list->count; i++) {
		put(to, i ? "," : "");
		json_put_object(to, list->record, NULL, (const char *)list->rows + i * list->size);
	}
	put(to, list ? "]" : "");
}

static void put_evidence(FILE *to, const struct field *field, const void *row)
{
	size_t count;
	const struct mr_evidence *evidence = field_evidence(field, row, &count);

	put(to, "{");
	for (size_t i = 0; i < count; i++, evidence++) {
		put(to, i ? "," : "");
		put_text(to, evidence->name);
		put(to, ":");
		if (evidence->is_number)
			put_integer(to, FIELD_NUMBER, evidence->number);
		else
			put_text(to, evidence->text);
	}
	put(to, "}");
}

static void put_value(FILE *to, const struct field *field, const void *row)
{
	const void *member = (const char *)row + field->offset;
	const struct mr_opt_u64 number = field_number(field, row);
	char buffer[FIELD_TEXT_MAX];
	struct field_words room;
	const struct list *list;

	if (field_is_number(field) && !number.known)
		return put(to, "null");
	switch (field->type) {
	case FIELD_STRING:
	case FIELD_TEXT:
	case FIELD_WORD:
	case FIELD_ERRNO:
		return put_text(to, field_text(field, row, buffer));
	case FIELD_NUMBER:
	case FIELD_LIMIT:
	case FIELD_HEX:
		return put_integer(to, field->type, number.value);
	case FIELD_ACCESS:
		return put_access(to, (uint32_t)number.value);
	case FIELD_PAGES:
		return put_pages(to, number.value);
	case FIELD_BOOL:
	case FIELD_TRISTATE:
	case FIELD_RATIO:
		return put(to, field_text(field, row, buffer));
	case FIELD_WORDS:
	case FIELD_BITS:
		return put_words(to, field_words(field, row, &room));
	case FIELD_LIST:
		return put_list(to, field_list(field, row));
	case FIELD_ONE:
		list = field_list(field, row);
		if (!list || !list->count)
			return put(to, "null");
		return json_put_object(to, list->record, NULL, list->rows);
	case FIELD_RECORD:
		return json_put_object(to, field->record, NULL, member);
	case FIELD_EVIDENCE:
		return put_evidence(to, field, row);
	}
}

void json_put_members(FILE *to, const struct record *record, const struct field *const *columns,
		      const void *row, const char *before)
{
	for (const struct field *f = columns ? *columns : record->fields; f && f->key;
	     f = columns ? *++columns : f + 1) {
		put(to, before);
		putc_unlocked('"', to);
		put(to, f->key);
		putc_unlocked('"', to);
		putc_unlocked(':', to);
		put_value(to, f, row);
		before = ",";
	}
}

void json_put_object(FILE *to, const struct record *record, const struct field *const *columns,
		     const void *row)
{
	json_put_members(to, record, columns, row, "{");
	put(to, "}");
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
	char digits[24];

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

/* Copies a document with its long integers as marked strings.  Return: free() it; NULL with errno. */
static char *mark_long(const char *text, size_t length)
{
	const char *end = text + length;
	size_t nodes = 0, size, part, sign;
	bool is_string = false;
	char *copy = NULL;
	FILE *stream = open_memstream(&copy, &size);

	for (; stream && text < end && nodes <= JSON_NODES_MAX; text += part) {
		if (!is_string)
			part = strspn(text, "+-.0123456789eE"); /* a number */
		else
			part = *text == '\\' ? 2 : strcspn(text, "\"\\");
		part = MIN(part ?: 1, (size_t)(end - text));
		is_string ^= *text == '"';
		nodes += !is_string && memchr(",[{", *text, 3);
		sign = *text == '-';
		if (!is_string && part - sign > EXACT_DIGITS &&
		    part == sign + strspn(text + sign, "0123456789"))
			fprintf(stream, "\"" LONG_NUMBER "%.*s\"", (int)part, text);
		else
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
