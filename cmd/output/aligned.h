/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rows in columns whose widths are known: libsmartcols measures and decodes each cell several times. */
#ifndef CMD_OUTPUT_ALIGNED_H
#define CMD_OUTPUT_ALIGNED_H

#include <stdio.h>

#include "cmd/output/fields.h"

struct aligned_column {
	const struct field *field;
	size_t width;
	bool right;
};

/** The columns that are shown. */
struct aligned {
	struct aligned_column *columns;
	size_t count;
	char *line; /**< room for a line of these columns */
};

struct libscols_table;

/**
 * aligned_set() - take the columns that libsmartcols has printed, in place of those of before
 * @fields: of the columns, end with NULL
 *
 * Where memory is short there are none.
 */
void aligned_set(struct aligned *aligned, const struct field *const *fields,
		 struct libscols_table *scols);

/**
 * aligned_print() - print a row as libsmartcols prints it in columns of these widths
 *
 * Return: false where a cell is wider than its column, or has other characters than those of printable ASCII:
 * then nothing is printed.
 */
bool aligned_print(const struct aligned *aligned, const void *row, FILE *stream);

/** aligned_free() - free the room for columns and line */
void aligned_free(struct aligned *aligned);

#endif
