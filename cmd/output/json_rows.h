/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records as JSON without a tree of nodes, as lists can have a million of them. */
#ifndef CMD_OUTPUT_JSON_ROWS_H
#define CMD_OUTPUT_JSON_ROWS_H

#include "cmd/output/json_plain.h"

struct json_member;

/** Records that are made into texts one after another.  All zeros: there was none yet. */
struct json_rows {
	struct json_buffer now, before; /**< the text that is made, and the one before */
	struct json_member *members;    /**< of the record before */
	size_t count, room;
	char *other; /**< json_text(): the last text that is not plain, or NULL */
};

/**
 * json_rows_text() - a record as a JSON object, in the same bytes as by cJSON
 * @rows:    where records before this one had the same members, it costs as much as has changed
 * @columns: ends with NULL; NULL: all fields of the record
 * @text:    set to the object, until the next call; to NULL where memory is short, or the record is not plain
 * @length:  set to the length of the text
 *
 * Return: whether the record is plain: each field is a number, a truth value, a list of access flags or page
 * sizes, or a text of printable ASCII.
 */
bool json_rows_text(struct json_rows *rows, const struct record *record,
		    const struct field *const *columns, const void *row, const char **text,
		    size_t *length);

/** json_rows_release() - free the texts */
void json_rows_release(struct json_rows *rows);

/** The texts of rows of lists, and of other objects.  All zeros: there was none yet. */
struct json_texts {
	struct json_rows rows, objects;
};

/** json_texts_release() - free them */
void json_texts_release(struct json_texts *texts);

#endif
