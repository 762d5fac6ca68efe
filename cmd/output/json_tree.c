// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <cjson/cJSON.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/output/output.h"
#include "lib/base/base.h"

/* The most values that a document may have. */
#define JSON_NODES_MAX 500000

static cJSON *item_of(const struct json_node *node)
{
	return (cJSON *)(uintptr_t)node;
}

static struct json_node *node_of(const cJSON *item)
{
	return (struct json_node *)(uintptr_t)item;
}

/* ---- reading ---- */

void json_tree_free(struct json_node *node)
{
	cJSON_Delete(item_of(node));
}

enum json_kind json_tree_kind(const struct json_node *node)
{
	const cJSON *item = item_of(node);

	return cJSON_IsObject(item)                        ? JSON_OBJECT
	       : cJSON_IsArray(item)                       ? JSON_LIST
	       : cJSON_IsString(item)                      ? JSON_STRING
	       : cJSON_IsNumber(item) || cJSON_IsRaw(item) ? JSON_NUMBER
	       : cJSON_IsBool(item)                        ? JSON_BOOL
							   : JSON_NULL;
}

struct json_node *json_tree_get(const struct json_node *node, const char *key)
{
	return node_of(cJSON_IsObject(item_of(node))
			       ? cJSON_GetObjectItemCaseSensitive(item_of(node), key)
			       : NULL);
}

const char *json_tree_string(const struct json_node *node)
{
	return cJSON_GetStringValue(item_of(node));
}

const char *json_tree_text_of(const struct json_node *node, const char *key)
{
	return json_tree_string(json_tree_get(node, key));
}

const char *json_tree_scalar(const struct json_node *node, char buffer[JSON_SCALAR_MAX])
{
	const cJSON *item = item_of(node);

	if (cJSON_IsString(item) || cJSON_IsRaw(item))
		return item->valuestring;
	if (cJSON_IsBool(item))
		return cJSON_IsTrue(item) ? "true" : "false";
	if (!cJSON_IsNumber(item))
		return NULL;
	snprintf(buffer, JSON_SCALAR_MAX, "%.17g", item->valuedouble);
	return buffer;
}

struct json_node *json_tree_first(const struct json_node *node)
{
	return node_of(node ? item_of(node)->child : NULL);
}

struct json_node *json_tree_next(const struct json_node *node)
{
	return node_of(item_of(node)->next);
}

const char *json_tree_key(const struct json_node *node)
{
	return item_of(node)->string ? item_of(node)->string : "";
}

/* ---- making and changing ---- */

struct json_node *json_tree_object(void)
{
	return node_of(cJSON_CreateObject());
}

struct json_node *json_tree_list(void)
{
	return node_of(cJSON_CreateArray());
}

struct json_node *json_tree_new_null(void)
{
	return node_of(cJSON_CreateNull());
}

struct json_node *json_tree_new_bool(bool value)
{
	return node_of(cJSON_CreateBool(value));
}

struct json_node *json_tree_new_number(uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return node_of(cJSON_CreateRaw(text));
}

struct json_node *json_tree_new_string(const char *text, size_t length)
{
	char *copy = text ? strndup(text, length) : NULL;
	cJSON *item = NULL;

	if (!text)
		return json_tree_new_null();
	if (copy)
		item = cJSON_CreateString(copy);
	free(copy);
	return node_of(item);
}

bool json_tree_add(struct json_node *to, const char *key, struct json_node *child)
{
	bool done = to && child &&
		    (key ? cJSON_AddItemToObject(item_of(to), key, item_of(child))
			 : cJSON_AddItemToArray(item_of(to), item_of(child)));

	if (!done)
		json_tree_free(child);
	return done;
}

struct json_node *json_tree_take(struct json_node *object, const char *key)
{
	return node_of(cJSON_DetachItemFromObjectCaseSensitive(item_of(object), key));
}

bool json_tree_set(struct json_node *object, const char *key, struct json_node *child)
{
	cJSON *old = item_of(json_tree_get(object, key));

	if (!old || !child)
		return json_tree_add(object, key, child);
	if (cJSON_ReplaceItemInObjectCaseSensitive(item_of(object), key, item_of(child)))
		return true;
	json_tree_free(child);
	return false;
}

bool json_tree_set_string(struct json_node *node, const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		return false;
	cJSON_free(item_of(node)->valuestring);
	item_of(node)->valuestring = copy;
	return true;
}

void json_tree_clear(struct json_node *node)
{
	cJSON *item = item_of(node);

	cJSON_Delete(item->child);
	cJSON_free(item->valuestring);
	item->child = NULL;
	item->valuestring = NULL;
	item->type = cJSON_NULL;
}

/* ---- printing ---- */

static int print_string(const char *text)
{
	mr_auto_free char *json = text_to_json(text);

	if (json)
		fputs(json, stdout);
	return json ? 0 : -ENOMEM;
}

static int print_scalar(const cJSON *item)
{
	char buffer[JSON_SCALAR_MAX];
	const char *text = json_tree_scalar(node_of(item), buffer);

	if (cJSON_IsString(item))
		return print_string(text);
	/* JSON has no infinite numbers, which cJSON reads from 1e999. */
	fputs(text && (!cJSON_IsNumber(item) || item->valuedouble - item->valuedouble == 0)
		      ? text
		      : "null",
	      stdout);
	return 0;
}

int json_tree_print(const struct json_node *node, unsigned int lines)
{
	const cJSON *item = item_of(node);
	const bool is_object = cJSON_IsObject(item);
	const char *separator = lines ? "\n" : "";
	int rc = 0;

	if (!is_object && !cJSON_IsArray(item))
		return print_scalar(item);
	fputs(is_object ? "{" : "[", stdout);
	for (const cJSON *child = item->child; child && !rc; child = child->next) {
		fputs(separator, stdout);
		separator = lines ? ",\n" : ",";
		if (is_object)
			rc = print_string(child->string ? child->string : "");
		if (is_object)
			fputs(":", stdout);
		if (!rc)
			rc = json_tree_print(node_of(child), lines ? lines - 1 : 0);
	}
	fputs(lines && item->child ? "\n" : "", stdout);
	fputs(is_object ? "}" : "]", stdout);
	return rc;
}

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
