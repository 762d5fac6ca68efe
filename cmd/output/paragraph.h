/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sentences for people on standard output: in lines that fit 80 columns. */
#ifndef CMD_OUTPUT_PARAGRAPH_H
#define CMD_OUTPUT_PARAGRAPH_H

#include <stddef.h>

/**
 * output_paragraph() - print text that may hold any bytes, in lines shorter than 80 columns
 * @at:     the column at which it begins
 * @indent: the column at which its further lines begin
 *
 * A word that is too long for a line stays whole.
 */
void output_paragraph(const char *text, size_t at, size_t indent);

#endif
