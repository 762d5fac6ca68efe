/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A record as JSON. */
#ifndef CMD_OUTPUT_JSON_H
#define CMD_OUTPUT_JSON_H

#include "cmd/output/json_rows.h"

/**
 * json_text() - a record as a JSON object
 * @rows:    json_rows_release() it
 * @columns: its fields that are wanted, ends with NULL; or NULL for all
 * @length:  set to the length of the text
 *
 * Return: the text, until the next call; NULL when memory is short.
 */
const char *json_text(struct json_rows *rows, const struct record *record,
		      const struct field *const *columns, const void *row, size_t *length);

#endif
