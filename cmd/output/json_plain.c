// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/output/digits.h"
#include "cmd/output/json_plain.h"
#include "lib/verbs/access.h"

/*
 * A list can have a million rows, of which most bytes are keys.  So each byte is written once, where it
 * belongs, and what that needs at most is reserved before each member.
 */

/* What surrounds the key and the value: a comma or brace, four quotes, a colon, the last brace and the end. */
#define FRAME 8
/* Bytes of any value but a text or list: a hexadecimal number of 64 bits is "0x" and 16 digits, a decimal one 20. */
#define VALUE_MAX 20
/* Of the names of all access flags, each with quotes, and of 64 decimal numbers, each with a comma. */
#define ACCESS_MAX (FIELD_TEXT_MAX + 2 * 32 + 2)
#define PAGES_MAX  (64 * (VALUE_MAX + 1) + 2)

/* Bytes that most rows fit in, with the room that is reserved for their lists. */
#define ROW_SIZE 2048

/* A text that grows. */
struct growing {
	char *bytes, *end;
	size_t room;
};

/* Return: false where memory is short. */
static bool reserve(struct growing *text, size_t more)
{
	size_t used = text->bytes ? (size_t)(text->end - text->bytes) : 0;
	size_t room = 2 * used + more;
	char *bytes;

	if (text->room - used >= more)
		return true;
	bytes = realloc(text->bytes, room);
	if (!bytes)
		return false;
	text->bytes = bytes;
	text->end = bytes + used;
	text->room = room;
	return true;
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

/* The text of a field whose value is one; NULL: it is none, or not known. */
static const char *string_of(const struct field *field, const void *row)
{
	return field->type == FIELD_STRING || field->type == FIELD_TEXT
		       ? field_text(field, row, NULL)
		       : NULL;
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

/*
 * Puts the value of a field.
 * @string: it, where it is a text that is known; @length: its length
 *
 * Return: where the value ends; NULL where it is not plain.
 */
static char *put_value(char *to, const struct field *field, const void *row, const char *string,
		       size_t length)
{
	const void *value = (const char *)row + field->offset;
	const struct mr_opt_u64 *number = value;
	const struct opt_bool *truth = value;

	switch (field->type) {
	case FIELD_NUMBER:
	case FIELD_LIMIT:
		return number->known ? put_decimal(to, number->value) : PUT(to, "null");
	case FIELD_HEX:
		return number->known ? put_hex(to, number->value) : PUT(to, "null");
	case FIELD_ACCESS:
		return number->known ? put_access(to, (uint32_t)number->value) : PUT(to, "null");
	case FIELD_PAGES:
		return number->known ? put_pages(to, number->value) : PUT(to, "null");
	case FIELD_BOOL:
		return put_truth(to, *(const bool *)value);
	case FIELD_OPT_BOOL:
		return truth->known ? put_truth(to, truth->value) : PUT(to, "null");
	case FIELD_STRING:
	case FIELD_TEXT:
		return string ? put_string(to, string, length) : PUT(to, "null");
	default:
		return NULL;
	}
}

/* Bytes that a value takes at most, if it is not the text @string. */
static size_t room_of(const struct field *field, const char *string)
{
	if (string)
		return strlen(string);
	return field->type == FIELD_ACCESS  ? ACCESS_MAX
	       : field->type == FIELD_PAGES ? PAGES_MAX
					    : VALUE_MAX;
}

/* Puts a member of the object.  Return: 0; -EINVAL where its value is not plain; -ENOMEM. */
static int put_member(struct growing *text, const struct field *field, const void *row)
{
	const char *string = string_of(field, row);
	size_t key = strlen(field->key), value = room_of(field, string);
	char *to;

	if (!reserve(text, key + value + FRAME))
		return -ENOMEM;
	to = text->end;
	*to = to == text->bytes ? '{' : ',';
	to = PUT(to + 1, "\"");
	to = mempcpy(to, field->key, key);
	to = PUT(to, "\":");
	to = put_value(to, field, row, string, value);
	if (!to)
		return -EINVAL;
	text->end = to;
	return 0;
}

static int put_members(struct growing *text, const struct record *record,
		       const struct field *const *columns, const void *row)
{
	int rc = 0;

	for (const struct field *f = columns ? NULL : record->fields; !rc && f && f->key; f++)
		rc = put_member(text, f, row);
	for (; !rc && columns && *columns; columns++)
		rc = put_member(text, *columns, row);
	return rc;
}

bool json_plain_text(const struct record *record, const struct field *const *columns,
		     const void *row, char **object)
{
	struct growing text = { .room = 0 };
	int rc = reserve(&text, ROW_SIZE) ? put_members(&text, record, columns, row) : -ENOMEM;

	*object = NULL;
	if (rc) {
		free(text.bytes);
		return rc == -ENOMEM;
	}
	if (text.end == text.bytes)
		text.end = PUT(text.end, "{");
	text.end = PUT(text.end, "}");
	*text.end = '\0';
	*object = text.bytes;
	return true;
}
