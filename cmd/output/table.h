/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records as a table (libsmartcols). */
#ifndef CMD_OUTPUT_TABLE_H
#define CMD_OUTPUT_TABLE_H

#include <stdio.h>

#include "cmd/output/fields.h"

struct table;

/**
 * table_new() - begin a table
 * @columns:  ends with NULL; must outlive the table
 * @usual:    how many of the columns, from the first, the user did not choose: one is left out if no value in
 *            it is unexpected (struct field), and its long lists take several lines where a terminal is narrow
 * @headings: print the names of the columns first
 *
 * Return: NULL when memory is short.
 */
struct table *table_new(const struct field *const *columns, size_t usual, bool headings,
			FILE *stream);

/** table_row() - add a row, which may be printed together with later ones.  Return: 0 or -errno. */
int table_row(struct table *table, const void *row);

/** table_finish() - print what is left and free the table.  Return: 0 or -errno. */
int table_finish(struct table *table);

#endif
