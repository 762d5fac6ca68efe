/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the columns of a table show of their fields. */
#ifndef CMD_OUTPUT_CELL_H
#define CMD_OUTPUT_CELL_H

#include "cmd/output/fields.h"

/** Room for the heading of a column. */
#define HEADING_MAX 64

/**
 * cell_heading() - what stands above a column: the field's key in upper case
 * @is_for_people: the column is a usual one; a duration, whose cells name the unit, is then without "_NS"
 */
void cell_heading(const struct field *field, bool is_for_people, char heading[HEADING_MAX]);

/**
 * cell_text() - the value of a field in @row
 * @is_for_people: a duration is "820 ns", "7.1 us" or "12 us", cut to so many digits
 * @buffer:        FIELD_TEXT_MAX bytes that may be used
 *
 * Return: as field_text().
 */
const char *cell_text(const struct field *field, bool is_for_people, const void *row, char *buffer);

/** cell_escape() - the escape sequence of the colour that the field gives to @text; NULL: none */
const char *cell_escape(const struct field *field, const char *text);

/** cell_iec_text() - bytes as "64K", "1.5G"; @buffer: FIELD_TEXT_MAX bytes */
const char *cell_iec_text(uint64_t bytes, char *buffer);

#endif
