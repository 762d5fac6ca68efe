/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records as text: a table (libsmartcols), or aligned "key: value" lines. */
#ifndef CMD_OUTPUT_TABLE_H
#define CMD_OUTPUT_TABLE_H

#include <stdio.h>

#include "cmd/output/fields.h"

struct table;

/**
 * table_new() - begin a table
 * @columns:  ends with NULL; must outlive the table
 * @usual:    so many of the columns are not chosen by the user: they are left out if they say nothing
 *            (struct field), and long lists take several lines, so that the table fits a terminal
 * @headings: print the names of the columns first
 *
 * Return: NULL when memory is short.
 */
struct table *table_new(const struct field *const *columns, size_t usual, bool headings,
			FILE *stream);

/** table_row() - add a row; printed when enough have come.  Return: 0 or -errno. */
int table_row(struct table *table, const void *row);

/** table_finish() - print what is left and free the table.  Return: 0 or -errno. */
int table_finish(struct table *table);

/** Which fields lines_print() prints. */
enum lines {
	LINES_USUAL,     /**< what is known, without details */
	LINES_ALL_KNOWN, /**< what is known */
	LINES_ALL,
};

/** lines_print() - one record as lines, each behind @indent */
void lines_print(const struct record *record, const void *row, enum lines lines, const char *indent,
		 FILE *stream);

#endif
