/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Text in UTF-8 that other programs wrote. */
#ifndef LIB_BASE_UTF8_H
#define LIB_BASE_UTF8_H

#include <stddef.h>

/**
 * mr_utf8_shown() - bytes of the character at the beginning of a text
 *
 * Return: 0 where the text ends, is no UTF-8, or begins with what a terminal does not show: control characters, and
 * those that let what follows appear elsewhere.
 */
size_t mr_utf8_shown(const char *text);

#endif
