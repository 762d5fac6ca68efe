/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A line of words as a POSIX shell reads it, without expansions and operators. */
#ifndef LIB_BASE_SHELL_WORDS_H
#define LIB_BASE_SHELL_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/error.h"

/** Words of a line; all zeros before the first. */
struct mr_words {
	char **list; /**< ends with NULL */
	size_t count;
	char *buffer; /**< holds the words */
	size_t size;
};

/** mr_is_blank() - whether it parts words */
static inline bool mr_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/**
 * mr_words_split() - read a line
 * @words:  set; what it holds of a line before is given up
 * @length: of the line, which ends with a NUL
 *
 * Blanks separate words.  '...' and "..." keep what is in them together, a backslash takes the
 * meaning of the character behind it ("..." has it before ", \, $ and ` only), and # at the beginning
 * of a word begins a comment.
 *
 * Return: 0, or -errno: MR_ERROR_USAGE for a quote that does not end, or a backslash at the end.
 */
int mr_words_split(struct mr_words *words, const char *line, size_t length, struct mr_error *err);
void mr_words_release(struct mr_words *words);

#endif
