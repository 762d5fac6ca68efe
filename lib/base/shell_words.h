/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Splitting a line into words as a POSIX shell does, without expansions and operators. */
#ifndef LIB_BASE_SHELL_WORDS_H
#define LIB_BASE_SHELL_WORDS_H

#include <stddef.h>

#include "lib/base/error.h"

/** The words of a line.  Initialise it with zeros. */
struct mr_shell_words {
	char **list; /**< ends with NULL */
	size_t count;
	char *buffer; /**< the words themselves, each terminated */
	size_t size;  /**< bytes of the buffer */
};

/**
 * mr_shell_words_split() - split a line into words
 * @words:  set; the words of an earlier line are replaced
 * @length: bytes of the line, without the NUL that it ends with
 *
 * Blanks separate words.  Characters between '...' or "..." belong to one word.  A backslash escapes the
 * character behind it: in "..." only ", \, $ and `, in '...' none.  A # where a word would begin starts a
 * comment.
 *
 * Return: 0, or -errno: MR_ERROR_USAGE for a quote that does not end, or a backslash at the end.
 */
int mr_shell_words_split(struct mr_shell_words *words, const char *line, size_t length,
			 struct mr_error *err);
void mr_shell_words_release(struct mr_shell_words *words);

#endif
