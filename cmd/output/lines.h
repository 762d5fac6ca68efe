/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records as aligned lines "key: value". */
#ifndef CMD_OUTPUT_LINES_H
#define CMD_OUTPUT_LINES_H

#include <stdio.h>

#include "cmd/output/fields.h"

/** Which fields lines_print() prints. */
enum lines {
	LINES_USUAL,     /**< what is known, without details */
	LINES_ALL_KNOWN, /**< what is known */
	LINES_ALL,
};

/** lines_print() - print a record, each line after @indent */
void lines_print(const struct record *record, const void *row, enum lines lines, const char *indent,
		 FILE *stream);

#endif
