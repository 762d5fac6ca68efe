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

/* Return: false where the text needs escapes. */
static bool put_string(struct growing *text, const char *string)
{
	size_t length = 0;

	while (string[length] >= ' ' && string[length] <= '~' && string[length] != '"' &&
	       string[length] != '\\')
		length++;
	if (string[length])
		return false;
	put(text, "\"", 1);
	put(text, string, length);
	put(text, "\"", 1);
	return true;
}

/* Return: false where the value is not plain. */
static bool put_value(struct growing *text, const struct field *field, const void *row)
{
	const struct mr_opt_u64 *number = (const void *)((const char *)row + field->offset);
	char buffer[FIELD_TEXT_MAX];
	const char *value;

	switch (field->type) {
	case FIELD_NUMBER:
	case FIELD_LIMIT:
		if (number->known)
			put_number(text, number->value);
		else
			put_text(text, "null");
		return true;
	case FIELD_BOOL:
	case FIELD_OPT_BOOL:
		value = field_text(field, row, buffer);
		put_text(text, value ? value : "null");
		return true;
	case FIELD_HEX:
		if (number->known)
			put_hex(text, number->value);
		else
			put_text(text, "null");
		return true;
	case FIELD_STRING:
	case FIELD_TEXT:
		value = field_text(field, row, buffer);
		if (value)
			return put_string(text, value);
		put_text(text, "null");
		return true;
	default:
		return false;
	}
}

static bool put_member(struct growing *text, const struct field *field, const void *row)
{
	put_text(text, text->length > 1 ? ",\"" : "\"");
	put_text(text, field->key);
	put_text(text, "\":");
	return put_value(text, field, row);
}

char *json_plain_text(const struct record *record, const struct field *const *columns,
		      const void *row)
{
	struct growing text = { .bytes = malloc(512), .room = 512 };
	bool is_plain = true;

	put_text(&text, "{");
	for (; columns && *columns && is_plain; columns++)
		is_plain = put_member(&text, *columns, row);
	for (const struct field *f = columns ? NULL : record->fields; f && f->key && is_plain; f++)
		is_plain = put_member(&text, f, row);
	put(&text, "}", sizeof("}"));
	if (is_plain)
		return text.bytes;
	free(text.bytes);
	return NULL;
}
