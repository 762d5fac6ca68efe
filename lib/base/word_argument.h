/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Words that users type with an argument, or as a number. */
#ifndef LIB_BASE_WORD_ARGUMENT_H
#define LIB_BASE_WORD_ARGUMENT_H

#include "lib/base/choice.h"
#include "lib/base/error.h"

/**
 * mr_word_with_argument() - find a word that may have an argument behind a colon: "file:PATH"
 * @words:    their names show it: "anon" takes no argument, "file:PATH" one, "dm[:SIZE]" one or none
 * @what:     what messages call such a word: "memory"
 * @argument: set to the argument within @text, or to NULL
 *
 * Return: the index of the word, or -EINVAL with MR_ERROR_USAGE.
 */
int mr_word_with_argument(const struct mr_word *words, const char *what, const char *text,
			  const char **argument, struct mr_error *err);

/**
 * mr_fail_argument() - record that @text is not written as the name of @word shows
 * @what: as of mr_word_with_argument()
 *
 * Return: -EINVAL, with MR_ERROR_USAGE.
 */
int mr_fail_argument(const struct mr_word *word, const char *what, const char *text,
		     struct mr_error *err);

/**
 * mr_word_as_number() - read a number of 32 bits that stands in the place of a word of a table
 * @what:   what messages call such a word: "access flag"
 * @item:   no word of the table, of @length bytes
 * @number: set on success
 *
 * Return: 0, or -EINVAL/-ERANGE with MR_ERROR_USAGE: the message for other text lists the words.
 */
int mr_word_as_number(const struct mr_word *words, const char *what, const char *item,
		      size_t length, uint32_t *number, struct mr_error *err);

#endif
