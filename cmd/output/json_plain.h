/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Members of plain records as JSON, in the same bytes as by cJSON. */
#ifndef CMD_OUTPUT_JSON_PLAIN_H
#define CMD_OUTPUT_JSON_PLAIN_H

#include "cmd/output/fields.h"

/** A text that grows. */
struct json_buffer {
	char *bytes;
	size_t used, room;
};

/**
 * json_buffer_put() - put bytes behind the text
 * Return: 0, or -ENOMEM.
 */
int json_buffer_put(struct json_buffer *text, const char *bytes, size_t count);

/** The value of a plain field. */
struct json_value {
	uint64_t number;  /**< of a text: its length */
	const char *text; /**< NULL: it is none */
	bool known;
};

/**
 * json_plain_value() - get the value of a field
 * Return: false where its type is not plain, but a list, say.
 */
bool json_plain_value(const struct field *field, const void *row, struct json_value *value);

/**
 * json_plain_member() - put a member of an object, with the brace or comma before it
 * Return: 0; -EINVAL where its value is a text that is not of printable ASCII, or needs escapes; -ENOMEM.
 */
int json_plain_member(struct json_buffer *text, const struct field *field,
		      const struct json_value *value);

#endif
