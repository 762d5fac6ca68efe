/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which columns are printed: lists of them in the code, which the compiler checks, and those of users. */
#ifndef CMD_OUTPUT_COLUMNS_H
#define CMD_OUTPUT_COLUMNS_H

#include "cmd/output/fields.h"
#include "lib/base/base.h"

/**
 * COLUMNS() - the members of @structure with these names, as the text that --output takes
 *
 * COLUMNS(struct region_row, id, name) is "id,name".  A field's key is its member's name.  A member that
 * does not exist, or whose type no field has, does not compile.
 */
#ifdef __cppcheck__ /* has no __VA_OPT__ */
#define COLUMNS(structure, ...) #__VA_ARGS__
#else
#define COLUMNS(structure, ...) (&(COLUMN_TEXT(__VA_ARGS__))[COLUMN_CHECK(structure, __VA_ARGS__)])
#endif

/* The text begins with a comma, which the check, 1, skips. */
#define COLUMN_TEXT(...)             COLUMN_EACH(COLUMN_NAME, , __VA_ARGS__)
#define COLUMN_NAME(unused, member)  "," #member
#define COLUMN_CHECK(structure, ...) (1 COLUMN_EACH(COLUMN_ZERO, structure, __VA_ARGS__))
/* Buffers of text, to which a field's member points, have none of these types. */
#define COLUMN_ZERO(structure, member)                                                             \
	+_Generic(((structure *)0)->member, const char * : 0, bool : 0, struct opt_bool : 0,       \
		  struct mr_opt_u64 : 0, const char *const * : 0, struct list : 0)

/* Each pass of the preprocessor takes one more name, and 81 are made. */
#define COLUMN_EACH(macro, fixed, ...) COLUMN_PASS(COLUMN_NEXT(macro, fixed, __VA_ARGS__))
#define COLUMN_NEXT(macro, fixed, member, ...)                                                     \
	macro(fixed, member) __VA_OPT__(COLUMN_AGAIN COLUMN_EMPTY()()(macro, fixed, __VA_ARGS__))
#define COLUMN_AGAIN() COLUMN_NEXT
#define COLUMN_EMPTY()
#define COLUMN_PASS(...)  COLUMN_PASS3(COLUMN_PASS3(COLUMN_PASS3(__VA_ARGS__)))
#define COLUMN_PASS3(...) COLUMN_PASS2(COLUMN_PASS2(COLUMN_PASS2(__VA_ARGS__)))
#define COLUMN_PASS2(...) COLUMN_PASS1(COLUMN_PASS1(COLUMN_PASS1(__VA_ARGS__)))
#define COLUMN_PASS1(...) COLUMN_PASS0(COLUMN_PASS0(COLUMN_PASS0(__VA_ARGS__)))
#define COLUMN_PASS0(...) __VA_ARGS__

/**
 * columns_parse() - "rkey,length" to fields
 * @json:    for objects: a column that is named again is dropped, and lists and records are columns, too
 * @columns: set to them, ends with NULL; free() it, after a failure too
 *
 * Return: 0, or -errno: MR_ERROR_USAGE where a column does not exist, or is no cell of a table.
 */
int columns_parse(const struct record *record, const char *text, bool json,
		  const struct field ***columns, struct mr_error *err);

/**
 * columns_usual() - the columns of a table where no list says which
 * @verbose: with those that are details
 *
 * Return: ends with NULL; free() it; NULL when memory is short.
 */
const struct field **columns_usual(const struct record *record, bool verbose);

/**
 * columns_add() - add columns to a list, unless it has them
 * @columns: from one of the functions above; it must not be used any more
 * @more:    end with NULL; or NULL: none
 *
 * Return: the new list; NULL when memory is short, and then nothing is left to free.
 */
const struct field **columns_add(const struct field **columns, const struct field *const *more);

/** columns_have() - whether @field is one of @columns, which end with NULL */
bool columns_have(const struct field *const *columns, const struct field *field);

/** columns_find() - the column with this key; NULL: none, or @key is NULL */
const struct field *columns_find(const struct field *const *columns, const char *key);

/** columns_count() - how many columns the list has; 0 where it is NULL */
size_t columns_count(const struct field *const *columns);

#endif
