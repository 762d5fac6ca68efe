/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Words that users choose from a table: reading lists of them, spellings, and guessing misspelled ones. */
#ifndef LIB_BASE_CHOICE_H
#define LIB_BASE_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A word that users may choose, with its meaning.  A table of words ends with a row without name. */
struct mr_word {
	const char *name;
	const char *help;
	uint32_t bit; /**< of a flag; in other tables the index of a row is its value */
};

/** MR_WORD() - a row of a table whose words are no flags */
#define MR_WORD(name_, help_)                                                                      \
	{                                                                                          \
		.name = (name_), .help = (help_)                                                   \
	}

/**
 * mr_list_item() - the next item of a list
 * @rest:       the rest of the list; moved behind the item, and set to NULL after the last one
 * @separators: the characters that separate items; blanks around an item are left out
 * @length:     set to the length of the item in bytes
 *
 * Return: the item, which may be empty; NULL when there is none left.
 */
const char *mr_list_item(const char **rest, const char *separators, size_t *length);

/**
 * mr_word_is() - whether @word (@length bytes) is @name
 *
 * Upper and lower case count as the same, and so do "_" and "-": ON_DEMAND is on-demand.
 */
bool mr_word_is(const char *word, size_t length, const char *name);

/**
 * mr_word_without() - the word without the prefix that it has in a C header
 * @length:   bytes of the word; reduced by those of the prefix
 * @prefixes: such as "IBV_ACCESS_"; ends with NULL
 *
 * Return: the rest of @word behind the prefix; @word itself where it has none, or is nothing else.
 */
const char *mr_word_without(const char *word, size_t *length, const char *const *prefixes);

/** mr_word_find() - the index of a word in the table @words, in any spelling that mr_word_is() accepts; or -1 */
int mr_word_find(const struct mr_word *words, const char *word, size_t length);

/** A search for what a misspelled word was meant to be. */
struct mr_guess {
	const char *word;
	size_t length;
	const char *best;      /**< the nearest name so far, or NULL while none is near */
	unsigned int distance; /**< of @best */
};

/** mr_guess_init() - a search for @word, @length bytes long */
struct mr_guess mr_guess_init(const char *word, size_t length);

/**
 * mr_guess_try() - compare the word with a name, which must outlive @guess
 *
 * A name is near where at most a third of the characters differ: missing, surplus, wrong or swapped with
 * their neighbour (the distance of Damerau and Levenshtein).  It is near, too, where one of the two
 * begins with the other, and the shorter one has at least three characters.  Of a name such as
 * "file:PATH" only the part before ':' or '[' counts, and of the word the part before ':'.
 */
void mr_guess_try(struct mr_guess *guess, const char *name);

/**
 * mr_guess_from() - the name nearest to a word
 * @length: bytes of the word
 * @table:  rows that begin with a name; the last one's is NULL
 * @size:   bytes of a row
 *
 * Return: the name, or NULL where none is near.
 */
const char *mr_guess_from(const char *word, size_t length, const void *table, size_t size);

#endif
