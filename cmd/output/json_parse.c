// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <cjson/cJSON.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/output/json_tree.h"
#include "lib/base/base.h"

/*
 * cJSON reads numbers as doubles, which round integers of more digits than this.  So these are read as strings that
 * begin with this mark, and become raw text.
 */
#define EXACT_DIGITS 15
#define LONG_NUMBER  "\\u0001integer:"
#define LONG_MARK    "\x01integer:"

/* Bytes of the string at @text, with its quotes. */
static size_t string_length(const char *text, const char *end)
{
	const char *at = text + 1;

	while (at < end && *at != '"')
		at += *at == '\\' && at + 1 < end ? 2 : 1;
	return (size_t)((at < end ? at + 1 : end) - text);
}

/* Bytes of the integer at @text; 0 where there is none, or no long one. */
static size_t long_integer(const char *text, const char *end)
{
	const char *at = text + (text < end && *text == '-');

	while (at < end && isdigit((unsigned char)*at))
		at++;
	if (at - text <= EXACT_DIGITS || (at < end && strchr(".eE", *at)))
		return 0;
	return (size_t)(at - text);
}

/* Bytes of the number or word at @text. */
static size_t word_length(const char *text, const char *end)
{
	const char *at = text;

	while (at < end && (isalnum((unsigned char)*at) || strchr("+-.", *at)) && *at)
		at++;
	return at == text ? 1 : (size_t)(at - text);
}

/* Copies a document with its long integers as marked strings.  Return: free() it; NULL with errno. */
static char *mark_long(const char *text, size_t length)
{
	const char *end = text + length;
	size_t nodes = 0, size, part;
	char *copy = NULL;
	FILE *stream = open_memstream(&copy, &size);

	for (; stream && text < end && nodes <= JSON_NODES_MAX; text += part) {
		nodes += *text == ',' || *text == '[' || *text == '{';
		if (*text == '"')
			part = string_length(text, end);
		else
			part = long_integer(text, end);
		if (part && *text != '"') {
			fprintf(stream, "\"" LONG_NUMBER "%.*s\"", (int)part, text);
			continue;
		}
		part = part ? part : word_length(text, end);
		fwrite(text, 1, part, stream);
	}
	errno = nodes > JSON_NODES_MAX ? E2BIG : ENOMEM;
	if (!stream || fclose(stream) || nodes > JSON_NODES_MAX) {
		free(copy);
		return NULL;
	}
	return copy;
}

static bool is_number(const char *text)
{
	const char *digits = text + (*text == '-');

	return *digits && strspn(digits, "0123456789") == strlen(digits);
}

/* Makes marked strings the integers that they were.  A document may hold the mark itself. */
static void unmark_long(cJSON *item)
{
	for (; item; item = item->next) {
		const char *text = cJSON_IsString(item) ? item->valuestring : "";

		unmark_long(item->child);
		if (strncmp(text, LONG_MARK, strlen(LONG_MARK)) != 0 ||
		    !is_number(text + strlen(LONG_MARK)))
			continue;
		item->type = (item->type & ~0xff) | cJSON_Raw;
		memmove(item->valuestring, text + strlen(LONG_MARK),
			strlen(text + strlen(LONG_MARK)) + 1);
	}
}

struct json_node *json_tree_parse(const char *text, size_t length)
{
	mr_auto_free char *marked = mark_long(text, length);
	const char *rest = NULL;
	cJSON *item = marked ? cJSON_ParseWithOpts(marked, &rest, true) : NULL;

	if (marked && !item)
		errno = EBADMSG;
	unmark_long(item);
	return (struct json_node *)item;
}
