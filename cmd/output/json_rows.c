// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/output/json_rows.h"

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

void json_texts_release(struct json_texts *texts)
{
	json_rows_release(&texts->rows);
	json_rows_release(&texts->objects);
}
