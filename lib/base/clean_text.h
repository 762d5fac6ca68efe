/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Texts that other processes wrote and that may come to a terminal. */
#ifndef LIB_BASE_CLEAN_TEXT_H
#define LIB_BASE_CLEAN_TEXT_H

#include <stddef.h>

/**
 * mr_clean_text() - terminate a text, and replace all but printable ASCII by '?'
 * @size: bytes of the array @text; the last one becomes the NUL
 */
static inline void mr_clean_text(char *text, size_t size)
{
	text[size - 1] = '\0';
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

#endif
