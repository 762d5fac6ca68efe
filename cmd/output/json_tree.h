/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * JSON documents as trees, to be read, changed and printed.  A document may come from anywhere: its size, depth
 * and number of values are limited.  Integers of any size stay what they are.
 *
 * A function that makes a node returns NULL where memory is short; those that take a node take NULL as well.
 */
#ifndef CMD_OUTPUT_JSON_TREE_H
#define CMD_OUTPUT_JSON_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A value, with all that it holds. */
struct json_node;

enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_LIST, JSON_OBJECT };

/** Room for a value that is no string, list or object, as text. */
#define JSON_SCALAR_MAX 48

/**
 * json_tree_parse() - read a document
 * @length: bytes of @text, behind which only white space may follow the document
 *
 * Return: json_tree_free() it; NULL with errno: EBADMSG for what is no JSON, E2BIG for more values than JSON_NODES_MAX.
 */
struct json_node *json_tree_parse(const char *text, size_t length);

/** The most values that a document may have. */
#define JSON_NODES_MAX 500000

/** json_tree_free() - free a node with all that it holds; it must be in no other node */
void json_tree_free(struct json_node *node);

/* ---- reading ---- */

/** json_tree_kind() - what a node is; JSON_NULL for no node */
enum json_kind json_tree_kind(const struct json_node *node);

/** json_tree_get() - the member of an object; NULL where there is none, or @node is no object */
struct json_node *json_tree_get(const struct json_node *node, const char *key);

/** json_tree_string() - the text of a string; NULL where @node is none */
const char *json_tree_string(const struct json_node *node);

/** json_tree_text_of() - the text of a member that is a string; NULL where there is none */
const char *json_tree_text_of(const struct json_node *node, const char *key);

/** json_tree_scalar() - a string, number or truth value as text, in @buffer or in the node; NULL for others */
const char *json_tree_scalar(const struct json_node *node, char buffer[JSON_SCALAR_MAX]);

/** json_tree_first(), json_tree_next() - the members of an object or the elements of a list; NULL: no more */
struct json_node *json_tree_first(const struct json_node *node);
struct json_node *json_tree_next(const struct json_node *node);

/** json_tree_key() - the key of a member, "" of others */
const char *json_tree_key(const struct json_node *node);

/* ---- making and changing ---- */

struct json_node *json_tree_object(void);
struct json_node *json_tree_list(void);
struct json_node *json_tree_new_null(void);
struct json_node *json_tree_new_bool(bool value);
struct json_node *json_tree_new_number(uint64_t value);

/** json_tree_new_string() - a string, up to a NUL or @length bytes; JSON_NULL for no text */
struct json_node *json_tree_new_string(const char *text, size_t length);

/** json_tree_add() - add a member to an object, or an element to a list (@key NULL), which owns it.  Return: done */
bool json_tree_add(struct json_node *to, const char *key, struct json_node *child);

/** json_tree_set() - put @child in place of a member of that key, or add it.  Return: done */
bool json_tree_set(struct json_node *object, const char *key, struct json_node *child);

/** json_tree_take() - take a member out of an object; the caller owns it; NULL where there is none */
struct json_node *json_tree_take(struct json_node *object, const char *key);

/** json_tree_set_string() - give a string another text.  Return: done */
bool json_tree_set_string(struct json_node *node, const char *text);

/** json_tree_clear() - make a value null */
void json_tree_clear(struct json_node *node);

/* ---- printing ---- */

/**
 * json_tree_print() - print a document on standard output, with nothing that a terminal would obey
 * @lines: the depth down to which each member stands on a line of its own
 *
 * Return: 0 or -ENOMEM.
 */
int json_tree_print(const struct json_node *node, unsigned int lines);

#endif
