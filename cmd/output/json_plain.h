/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Plain records as JSON without a tree of nodes, as lists can have a million of them. */
#ifndef CMD_OUTPUT_JSON_PLAIN_H
#define CMD_OUTPUT_JSON_PLAIN_H

#include "cmd/output/fields.h"

/**
 * json_plain_text() - a record as a JSON object, in the same bytes as by cJSON
 * @columns: ends with NULL; NULL: all fields of the record
 *
 * Return: the text, to be freed; NULL where a field is no number, truth value or text of printable ASCII, or memory
 * is short.
 */
char *json_plain_text(const struct record *record, const struct field *const *columns,
		      const void *row);

#endif
