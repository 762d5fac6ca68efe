/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Text that is not mrctl's own: names, paths, words of command lines, what other processes wrote.  It may
 * hold any bytes; here they are made harmless for a terminal, or for a reader of JSON.
 */
#ifndef CMD_OUTPUT_TEXT_H
#define CMD_OUTPUT_TEXT_H

#include <stdbool.h>
#include <stdio.h>

/**
 * text_print() - print @text for people
 *
 * Letters stay as they are.  What is no UTF-8 (RFC 3629), and what a terminal would obey (line ends,
 * escapes, marks of direction), is printed byte by byte as \xNN.
 */
void text_print(const char *text, FILE *stream);

/** text_print_part() - print the first @length bytes of @text, which end with a whole character */
void text_print_part(const char *text, size_t length, FILE *stream);

/** text_harmless() - what text_print() prints; free() it; NULL when memory is short */
char *text_harmless(const char *text);

/** text_is_plain() - whether all of @text is printable ASCII */
bool text_is_plain(const char *text);

/**
 * text_to_json() - @text as a JSON string, with its quotes
 *
 * What is no UTF-8 becomes U+FFFD; what a terminal would obey is escaped.
 *
 * Return: the string, to be freed; NULL when memory is short.
 */
char *text_to_json(const char *text);

#endif
