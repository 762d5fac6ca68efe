// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/output/json.h"
#include "cmd/output/text.h"
#include "lib/verbs/verbs.h"

/* Bytes that most rows fit in; cJSON enlarges the buffer for others. */
#define ROW_SIZE 1024

static bool add_row(cJSON *object, const struct record *record, const struct field *const *columns,
		    const void *row);

/* cJSON copies any bytes, but JSON is UTF-8. */
static cJSON *new_string(const char *text)
{
	char *json;
	cJSON *item;

	if (text_is_plain(text))
		return cJSON_CreateString(text);
	json = text_to_json(text);
	item = json ? cJSON_CreateRaw(json) : NULL;
	free(json);
	return item;
}

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

static cJSON *words_list(const char *const *words)
{
	cJSON *array = words ? cJSON_CreateArray() : cJSON_CreateNull();

	for (; words && array && *words; words++)
		if (!cJSON_AddItemToArray(array, new_string(*words)))
			return cJSON_Delete(array), NULL;
	return array;
}

static cJSON *record_object(const struct record *record, const void *row)
{
	cJSON *object = cJSON_CreateObject();

	if (object && !add_row(object, record, NULL, row))
		return cJSON_Delete(object), NULL;
	return object;
}

static cJSON *record_list(const struct list *list)
{
	cJSON *array = list->record ? cJSON_CreateArray() : cJSON_CreateNull();

	for (size_t i = 0; array && i < list->count; i++)
		if (!cJSON_AddItemToArray(
			    array,
			    record_object(list->record, (const char *)list->rows + i * list->size)))
			return cJSON_Delete(array), NULL;
	return array;
}

static cJSON *record_or_null(const struct list *list)
{
	return list->count ? record_object(list->record, list->rows) : cJSON_CreateNull();
}

static cJSON *members_object(const struct members *members)
{
	cJSON *object = cJSON_CreateObject();
	char number[24];

	for (size_t i = 0; object && i < members->count; i++) {
		const struct member *member = &members->items[i];

		snprintf(number, sizeof(number), "%" PRIu64, member->number);
		if (!cJSON_AddItemToObject(object, member->key,
					   member->text ? new_string(member->text)
							: cJSON_CreateRaw(number)))
			return cJSON_Delete(object), NULL;
	}
	return object;
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

	if (field->type == FIELD_RECORD)
		return record_object(field->record, value);
	if (field->type == FIELD_ONE)
		return record_or_null(value);
	if (field->type == FIELD_WORDS)
		return words_list(*(const char *const *const *)value);
	if (field->type == FIELD_LIMIT && !number->known)
		return cJSON_CreateNull();
	if (field->type == FIELD_LIST)
		return record_list(value);
	if (field->type == FIELD_MEMBERS)
		return members_object(value);
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
	case FIELD_LIMIT:
	case FIELD_RATIO:
		return cJSON_CreateRaw(text);
	default:
		return new_string(text);
	}
}

/* The keys are literals in tables of fields, so cJSON need not copy them. */
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

const char *json_text(struct json_rows *rows, const struct record *record,
		      const struct field *const *columns, const void *row, size_t *length)
{
	const char *text;
	cJSON *object;

	if (json_rows_text(rows, record, columns, row, &text, length))
		return text;
	free(rows->other);
	rows->other = NULL;
	object = cJSON_CreateObject();
	if (object && add_row(object, record, columns, row))
		rows->other = cJSON_PrintBuffered(object, ROW_SIZE, false);
	cJSON_Delete(object);
	*length = rows->other ? strlen(rows->other) : 0;
	return rows->other;
}
