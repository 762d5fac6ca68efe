// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/output/digits.h"
#include "cmd/output/json_plain.h"
#include "lib/verbs/verbs.h"

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

int json_buffer_put(struct json_buffer *text, const char *bytes, size_t count)
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

bool json_plain_value(const struct field *field, const void *row, struct json_value *value)
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

int json_plain_member(struct json_buffer *text, const struct field *field,
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
