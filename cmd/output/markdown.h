/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records as tables of Markdown (GitHub Flavored Markdown, "Tables"), as tickets and wikis take them. */
#ifndef CMD_OUTPUT_MARKDOWN_H
#define CMD_OUTPUT_MARKDOWN_H

#include <stdio.h>

#include "cmd/output/fields.h"

/** A table, whose first row is the heading. */
struct markdown_table {
	const char *const *cells; /**< row by row; NULL is unknown */
	const bool *right; /**< for each column whether it is aligned to the right; or NULL */
	size_t columns, rows;
};

/**
 * markdown_table() - print a table
 * Return: 0 or -ENOMEM.
 */
int markdown_table(const struct markdown_table *table, FILE *stream);

/**
 * markdown_object() - print a record as a table with a row for each field
 * @verbose: also the fields that are details, and those that are unknown
 *
 * A record inside it adds its fields, as "odp.rc"; lists follow as tables of their own.
 *
 * Return: 0 or -ENOMEM.
 */
int markdown_object(const struct record *record, const void *row, bool verbose, FILE *stream);

/**
 * markdown_list() - print a list as a table below its key
 * Return: 0 or -ENOMEM.
 */
int markdown_list(const char *key, const struct list *list, bool verbose, FILE *stream);

/**
 * markdown_rows() - print a table on standard output, whose first row is the heading
 * @cells: row by row, @count of them in all; NULL is unknown
 *
 * Return: 0 or -ENOMEM.
 */
int markdown_rows(const char *const *cells, size_t columns, size_t count);

struct libscols_table;

/**
 * markdown_columns() - print what libsmartcols would, as a table of Markdown, which has to have headings
 * @fields: of its columns, end with NULL; hidden columns are left out
 * @count:  its rows
 *
 * Return: 0, or -ENOMEM.
 */
int markdown_columns(const struct field *const *fields, struct libscols_table *scols, size_t count);

#endif
