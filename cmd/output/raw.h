/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rows for scripts, as libsmartcols prints them in its raw mode: it would copy and decode each cell. */
#ifndef CMD_OUTPUT_RAW_H
#define CMD_OUTPUT_RAW_H

#include <stdbool.h>
#include <stdio.h>

#include "cmd/output/fields.h"

/**
 * raw_print() - print the cells of a row with a blank between them
 * @fields: of the columns, at least one; end with NULL
 *
 * Return: false where a cell is empty, has a character that libsmartcols escapes, or the line is very long: then
 * nothing is printed.
 */
bool raw_print(const struct field *const *fields, const void *row, FILE *stream);

#endif
