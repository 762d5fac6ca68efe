/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* In which order rows are printed. */
#ifndef CMD_STAT_SYSTEM_ORDER_H
#define CMD_STAT_SYSTEM_ORDER_H

#include "cmd/stat/system/rows.h"

/**
 * order_rows() - sort the rows of a list
 * @field: by which: numbers from the largest, texts from A to Z, what is unknown at the end; NULL: as they are
 *
 * Rows that are equal in that keep their order.
 *
 * Return: the numbers of the rows, to be freed; NULL where memory is short, or there are none.
 */
size_t *order_rows(struct rows *rows, const struct listing *listing, const struct field *field);

#endif
