// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "cmd/output/json_plain.h"

/* A text that grows; @bytes becomes NULL where memory is short. */
struct growing {
	char *bytes;
	size_t length, room;
};

static void put(struct growing *text, const char *part, size_t length)
{
	if (text->bytes && text->length + length >= text->room) {
		char *bytes;

		text->room = 2 * (text->length + length) + 1;
		bytes = realloc(text->bytes, text->room);
		if (!bytes)
			free(text->bytes);
		text->bytes = bytes;
	}
	if (!text->bytes)
		return;
	memcpy(text->bytes + text->length, part, length);
	text->length += length;
}

static void put_text(struct growing *text, const char *part)
{
	put(text, part, strlen(part));
}

static void put_number(struct growing *text, uint64_t number)
{
	char digits[20], *digit = digits + sizeof(digits);

	do
		*--digit = (char)('0' + number % 10);
	while (number /= 10);
	put(text, digit, (size_t)(digits + sizeof(digits) - digit));
}

static void put_hex(struct growing *text, uint64_t number)
{
	char digits[] = "\"0x0123456789abcdef\"", *digit = digits + sizeof(digits) - 1;

	*--digit = '"';
	do
		*--digit = "0123456789abcdef"[number % 16];
	while (number /= 16);
	*--digit = 'x';
	*--digit = '0';
	*--digit = '"';
	put(text, digit, (size_t)(digits + sizeof(digits) - 1 - digit));
}

static void put_string(struct growing *text, const char *string)
{
	put(text, "\"", 1);
	put_text(text, string);
	put(text, "\"", 1);
}

static void put_value(struct growing *text, const struct field *field, const void *row)
{
	const struct mr_opt_u64 *number = (const void *)((const char *)row + field->offset);
	char buffer[FIELD_TEXT_MAX];
	const char *value;

	switch (field->type) {
	case FIELD_NUMBER:
	case FIELD_LIMIT:
	case FIELD_HEX:
		if (!number->known)
			put_text(text, "null");
		else if (field->type == FIELD_HEX)
			put_hex(text, number->value);
		else
			put_number(text, number->value);
		return;
	default:
		value = field_text(field, row, buffer);
		if (!value)
			put_text(text, "null");
		else if (field->type == FIELD_STRING || field->type == FIELD_TEXT)
			put_string(text, value);
		else
			put_text(text, value);
	}
}

static void put_member(struct growing *text, const struct field *field, const void *row)
{
	put_text(text, text->length > 1 ? ",\"" : "\"");
	put_text(text, field->key);
	put_text(text, "\":");
	put_value(text, field, row);
}

/* Whether a text needs no escapes. */
static bool is_plain_string(const char *string)
{
	while (*string >= ' ' && *string <= '~' && *string != '"' && *string != '\\')
		string++;
	return !*string;
}

static bool is_plain(const struct field *field, const void *row)
{
	char buffer[FIELD_TEXT_MAX];
	const char *string;

	switch (field->type) {
	case FIELD_NUMBER:
	case FIELD_LIMIT:
	case FIELD_BOOL:
	case FIELD_OPT_BOOL:
	case FIELD_HEX:
		return true;
	case FIELD_STRING:
	case FIELD_TEXT:
		string = field_text(field, row, buffer);
		return !string || is_plain_string(string);
	default:
		return false;
	}
}

static bool all_are_plain(const struct record *record, const struct field *const *columns,
			  const void *row)
{
	for (const struct field *f = columns ? NULL : record->fields; f && f->key; f++)
		if (!is_plain(f, row))
			return false;
	for (; columns && *columns; columns++)
		if (!is_plain(*columns, row))
			return false;
	return true;
}

bool json_plain_text(const struct record *record, const struct field *const *columns,
		     const void *row, char **object)
{
	struct growing text = { .room = 512 };

	*object = NULL;
	if (!all_are_plain(record, columns, row))
		return false;
	text.bytes = malloc(text.room);
	put_text(&text, "{");
	for (const struct field *f = columns ? NULL : record->fields; f && f->key; f++)
		put_member(&text, f, row);
	for (; columns && *columns; columns++)
		put_member(&text, *columns, row);
	put(&text, "}", sizeof("}"));
	*object = text.bytes;
	return true;
}
