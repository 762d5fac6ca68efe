// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/output/output.h"
#include "lib/verbs/verbs.h"

/* The value of a plain field. */
struct json_value {
	uint64_t number;  /* of a text: its length */
	const char *text; /* NULL: it is none */
	bool known;
};

/* A list can have a million rows: so each byte is written once, where it belongs, in room that was reserved. */

/* What surrounds the key and the value: a comma or brace, four quotes, a colon, the last brace and the end. */
#define FRAME 8
/* Bytes of any value but a text or list: a hexadecimal number of 64 bits is "0x" and 16 digits, a decimal one 20. */
#define VALUE_MAX 20
/* Of the names of all access flags, each with quotes, and of 64 decimal numbers, each with a comma. */
#define ACCESS_MAX (FIELD_TEXT_MAX + 2 * 32 + 2)
#define PAGES_MAX  (64 * (VALUE_MAX + 1) + 2)

/* Bytes that most texts fit in. */
#define TEXT_SIZE 1024

/* Return: false where memory is short. */
static bool reserve(struct json_buffer *text, size_t more)
{
	size_t room = 2 * text->used + more;
	char *bytes;

	if (text->room - text->used >= more)
		return true;
	if (room < TEXT_SIZE)
		room = TEXT_SIZE;
	bytes = realloc(text->bytes, room);
	if (!bytes)
		return false;
	text->bytes = bytes;
	text->room = room;
	return true;
}

/* Puts bytes behind the text Return: 0, or -ENOMEM. */
static int json_buffer_put(struct json_buffer *text, const char *bytes, size_t count)
{
	if (!count)
		return 0;
	if (!reserve(text, count))
		return -ENOMEM;
	memcpy(text->bytes + text->used, bytes, count);
	text->used += count;
	return 0;
}

/* Puts a literal, of which the compiler knows the length. */
#define PUT(to, literal) ((char *)mempcpy((to), "" literal, sizeof(literal) - 1))

static char *put_hex(char *to, uint64_t number)
{
	return PUT(put_hexadecimal(PUT(to, "\""), number), "\"");
}

/* Return: NULL where it needs escapes. */
static char *put_string(char *to, const char *string, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (string[i] < ' ' || string[i] > '~' || string[i] == '"' || string[i] == '\\')
			return NULL;
	to = mempcpy(PUT(to, "\""), string, length);
	return PUT(to, "\"");
}

/* Puts the end of a list, each of whose items has a comma behind it. */
static char *end_list(char *to)
{
	return PUT(to[-1] == ',' ? to - 1 : to, "]");
}

static char *put_access(char *to, uint32_t bits)
{
	const char *name;
	char raw[16];

	to = PUT(to, "[");
	while ((name = mr_access_next(&bits, raw)))
		to = PUT(stpcpy(PUT(to, "\""), name), "\",");
	return end_list(to);
}

static char *put_pages(char *to, uint64_t sizes)
{
	to = PUT(to, "[");
	for (; sizes; sizes &= sizes - 1)
		to = PUT(put_decimal(to, sizes & -sizes), ",");
	return end_list(to);
}

static char *put_truth(char *to, bool value)
{
	return value ? PUT(to, "true") : PUT(to, "false");
}

/* Gets the value of a field Return: false where its type is not plain, but a list, say. */
static bool json_plain_value(const struct field *field, const void *row, struct json_value *value)
{
	const void *from = (const char *)row + field->offset;
	const struct mr_opt_u64 *number = from;
	const struct opt_bool *truth = from;
	const char *text;

	switch (field->type) {
	case FIELD_NUMBER:
	case FIELD_LIMIT:
	case FIELD_HEX:
	case FIELD_ACCESS:
	case FIELD_PAGES:
		*value = (struct json_value){ number->value, NULL, number->known };
		return true;
	case FIELD_BOOL:
		*value = (struct json_value){ *(const bool *)from, NULL, true };
		return true;
	case FIELD_OPT_BOOL:
		*value = (struct json_value){ truth->value, NULL, truth->known };
		return true;
	case FIELD_STRING:
	case FIELD_TEXT:
		text = field_text(field, row, NULL);
		*value = (struct json_value){ text ? strlen(text) : 0, text, text != NULL };
		return true;
	default:
		return false;
	}
}

/* Puts a value.  Return: where it ends; NULL where it is not plain. */
static char *put_value(char *to, enum field_type type, const struct json_value *value)
{
	if (!value->known)
		return PUT(to, "null");
	switch (type) {
	case FIELD_NUMBER:
	case FIELD_LIMIT:
		return put_decimal(to, value->number);
	case FIELD_HEX:
		return put_hex(to, value->number);
	case FIELD_ACCESS:
		return put_access(to, (uint32_t)value->number);
	case FIELD_PAGES:
		return put_pages(to, value->number);
	case FIELD_STRING:
	case FIELD_TEXT:
		return put_string(to, value->text, value->number);
	default:
		return put_truth(to, value->number);
	}
}

/* Bytes that a value takes at most, without what FRAME counts. */
static size_t room_of(enum field_type type, const struct json_value *value)
{
	if (value->text)
		return value->number;
	return type == FIELD_ACCESS ? ACCESS_MAX : type == FIELD_PAGES ? PAGES_MAX : VALUE_MAX;
}

/*
 * Puts a member of an object, with the brace or comma before it Return: 0; -EINVAL where its value is a
 * text that is not of printable ASCII, or needs escapes; -ENOMEM.
 */
static int json_plain_member(struct json_buffer *text, const struct field *field,
			     const struct json_value *value)
{
	size_t key = strlen(field->key);
	char *to;

	if (!reserve(text, key + room_of(field->type, value) + FRAME))
		return -ENOMEM;
	to = text->bytes + text->used;
	*to = text->used ? ',' : '{';
	to = PUT(to + 1, "\"");
	to = mempcpy(to, field->key, key);
	to = PUT(to, "\":");
	to = put_value(to, field->type, value);
	if (!to)
		return -EINVAL;
	text->used = (size_t)(to - text->bytes);
	return 0;
}

/*
 * A list can have a million rows, of which most bytes are keys, and most members are as in the row before.  So what
 * has not changed is copied from the text of that row.
 */

struct json_member {
	const struct field *field;
	uint64_t number;
	bool known;
	size_t end; /* where it ends in the text of the row */
};

/* A row that is being made into a text. */
struct making {
	struct json_rows *rows;
	const void *row;
	size_t index; /* of the next member */
	/* Bytes of the row before: those that are still to be copied, and where its next member begins. */
	size_t copied, next;
};

/* Makes room for a further member.  Return: it, with what it was in the row before; NULL where memory is short. */
static struct json_member *next_member(struct making *making)
{
	struct json_rows *rows = making->rows;

	if (making->index == rows->room) {
		size_t room = rows->room ? 2 * rows->room : 64;
		struct json_member *members = reallocarray(rows->members, room, sizeof(*members));

		if (!members)
			return NULL;
		rows->members = members;
		rows->room = room;
	}
	return &rows->members[making->index++];
}

static bool is_as_before(const struct json_rows *rows, const struct json_member *member,
			 const struct field *field, const struct json_value *value)
{
	if (member->field != field || member->known != value->known)
		return false;
	if (!value->known)
		return true;
	if (member->number != value->number)
		return false;
	/* A text ends with a quote. */
	return !value->text || !memcmp(rows->before.bytes + member->end - 1 - value->number,
				       value->text, value->number);
}

/* Copies the members that are as in the row before, up to the next one. */
static int copy_members(struct making *making)
{
	const struct json_rows *rows = making->rows;
	int rc = json_buffer_put(&making->rows->now, rows->before.bytes + making->copied,
				 making->next - making->copied);

	making->copied = making->next;
	return rc;
}

/* Return: as json_plain_member(). */
static int make_member(struct making *making, const struct field *field)
{
	struct json_rows *rows = making->rows;
	struct json_member *member = next_member(making);
	struct json_value value;
	int rc = 0;

	if (!member)
		return -ENOMEM;
	if (!json_plain_value(field, making->row, &value))
		return -EINVAL;
	if (making->index <= rows->count && is_as_before(rows, member, field, &value)) {
		making->next = member->end;
	} else {
		rc = copy_members(making);
		if (making->index <= rows->count)
			making->copied = making->next = member->end;
		if (!rc)
			rc = json_plain_member(&rows->now, field, &value);
	}
	*member = (struct json_member){ field, value.number, value.known,
					rows->now.used + making->next - making->copied };
	return rc;
}

static int make_row(struct making *making, const struct record *record,
		    const struct field *const *columns)
{
	int rc = 0;

	for (const struct field *f = columns ? NULL : record->fields; !rc && f && f->key; f++)
		rc = make_member(making, f);
	for (; !rc && columns && *columns; columns++)
		rc = make_member(making, *columns);
	if (!rc)
		rc = copy_members(making);
	if (!rc && !making->index)
		rc = json_buffer_put(&making->rows->now, "{", 1);
	return rc ? rc : json_buffer_put(&making->rows->now, "}", sizeof("}"));
}

/*
 * Returns a record as a JSON object, in the same bytes as by cJSON. Return: whether the record is plain:
 * each field is a number, a truth value, a list of access flags or page sizes, or a text of printable
 * ASCII.
 */
static bool json_rows_text(struct json_rows *rows, const struct record *record,
			   const struct field *const *columns, const void *row, const char **text,
			   size_t *length)
{
	struct making making = { .rows = rows, .row = row };
	struct json_buffer made;
	int rc;

	rows->now.used = 0;
	rc = make_row(&making, record, columns);
	rows->count = rc ? 0 : making.index;
	made = rows->now;
	rows->now = rows->before;
	rows->before = made;
	*text = rc ? NULL : made.bytes;
	*length = rc ? 0 : made.used - 1;
	return !rc || rc == -ENOMEM;
}

void json_rows_release(struct json_rows *rows)
{
	free(rows->now.bytes);
	free(rows->before.bytes);
	free(rows->members);
	free(rows->other); /* cJSON takes it from malloc(), as nobody has given it another allocator */
	*rows = (struct json_rows){ .count = 0 };
}

void json_texts_release(struct json_texts *texts)
{
	json_rows_release(&texts->rows);
	json_rows_release(&texts->objects);
}

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
