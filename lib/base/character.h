/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Classes of characters, whatever the locale. */
#ifndef LIB_BASE_CHARACTER_H
#define LIB_BASE_CHARACTER_H

#include <stdbool.h>

/** mr_is_blank() - whether @c is a space or a tab: these separate words */
static inline bool mr_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline bool mr_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool mr_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

#endif
