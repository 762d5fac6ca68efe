/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A record as JSON. */
#ifndef CMD_OUTPUT_JSON_H
#define CMD_OUTPUT_JSON_H

#include "cmd/output/fields.h"

/**
 * json_text() - a record as a JSON object
 * @columns: its fields that are wanted, ends with NULL; or NULL for all
 *
 * Return: the text, json_free() it; NULL when memory is short.
 */
char *json_text(const struct record *record, const struct field *const *columns, const void *row);
void json_free(char *text);

#endif
