/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Plain records as JSON without a tree of nodes, as lists can have a million of them. */
#ifndef CMD_OUTPUT_JSON_PLAIN_H
#define CMD_OUTPUT_JSON_PLAIN_H

#include "cmd/output/fields.h"

/**
 * json_plain_text() - a record as a JSON object, in the same bytes as by cJSON
 * @columns: ends with NULL; NULL: all fields of the record
 * @text:    set to the object, to be freed; to NULL where memory is short, or the record is not plain
 *
 * Return: whether the record is plain: each field is a number, a truth value, a list of access flags or page
 * sizes, or a text of printable ASCII.
 */
bool json_plain_text(const struct record *record, const struct field *const *columns,
		     const void *row, char **text);

#endif
