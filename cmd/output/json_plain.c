// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/output/digits.h"
#include "cmd/output/json_plain.h"
#include "lib/verbs/access.h"

/*
 * A list can have a million rows, of which most bytes are keys, and most members are as in the row before.  So what
 * has not changed is copied from the text of that row, and each other byte is written once, where it belongs; what
 * that needs at most is reserved before each member.
 */

/* What surrounds the key and the value: a comma or brace, four quotes, a colon, the last brace and the end. */
#define FRAME 8
/* Bytes of any value but a text or list: a hexadecimal number of 64 bits is "0x" and 16 digits, a decimal one 20. */
#define VALUE_MAX 20
/* Of the names of all access flags, each with quotes, and of 64 decimal numbers, each with a comma. */
#define ACCESS_MAX (FIELD_TEXT_MAX + 2 * 32 + 2)
#define PAGES_MAX  (64 * (VALUE_MAX + 1) + 2)

/* Bytes that most texts fit in. */
#define TEXT_SIZE 1024

/* The value of a plain field. */
struct value {
	uint64_t number; /* of a text: its length */
	const char *text;
	bool known;
};

struct json_member {
	const struct field *field;
	uint64_t number;
	bool known;
	size_t end; /* where it ends in the text of the row */
};

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

/* Gets the value of a field.  Return: false where it is of no plain type. */
static bool get_value(const struct field *field, const void *row, struct value *value)
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
		*value = (struct value){ number->value, NULL, number->known };
		return true;
	case FIELD_BOOL:
		*value = (struct value){ *(const bool *)from, NULL, true };
		return true;
	case FIELD_OPT_BOOL:
		*value = (struct value){ truth->value, NULL, truth->known };
		return true;
	case FIELD_STRING:
	case FIELD_TEXT:
		text = field_text(field, row, NULL);
		*value = (struct value){ text ? strlen(text) : 0, text, text != NULL };
		return true;
	default:
		return false;
	}
}

/* Puts a value.  Return: where it ends; NULL where it is not plain. */
static char *put_value(char *to, enum field_type type, const struct value *value)
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
static size_t room_of(enum field_type type, const struct value *value)
{
	if (value->text)
		return value->number;
	return type == FIELD_ACCESS ? ACCESS_MAX : type == FIELD_PAGES ? PAGES_MAX : VALUE_MAX;
}

/* Puts a member of the object.  Return: 0; -EINVAL where its value is not plain; -ENOMEM. */
static int put_member(struct json_buffer *text, const struct field *field,
		      const struct value *value)
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

/* Return: 0, or -ENOMEM. */
static int put_bytes(struct json_buffer *text, const char *bytes, size_t count)
{
	if (!count)
		return 0;
	if (!reserve(text, count))
		return -ENOMEM;
	memcpy(text->bytes + text->used, bytes, count);
	text->used += count;
	return 0;
}

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
			 const struct field *field, const struct value *value)
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
	int rc = put_bytes(&making->rows->now, rows->before.bytes + making->copied,
			   making->next - making->copied);

	making->copied = making->next;
	return rc;
}

/* Return: as put_member(). */
static int make_member(struct making *making, const struct field *field)
{
	struct json_rows *rows = making->rows;
	struct json_member *member = next_member(making);
	struct value value;
	int rc = 0;

	if (!member)
		return -ENOMEM;
	if (!get_value(field, making->row, &value))
		return -EINVAL;
	if (making->index <= rows->count && is_as_before(rows, member, field, &value)) {
		making->next = member->end;
	} else {
		rc = copy_members(making);
		if (making->index <= rows->count)
			making->copied = making->next = member->end;
		if (!rc)
			rc = put_member(&rows->now, field, &value);
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
		rc = put_bytes(&making->rows->now, "{", 1);
	return rc ? rc : put_bytes(&making->rows->now, "}", sizeof("}"));
}

bool json_rows_text(struct json_rows *rows, const struct record *record,
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
