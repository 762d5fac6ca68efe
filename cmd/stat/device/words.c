// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdio.h>

#include "cmd/stat/device/words.h"

/* Adds what has no name as a number.  Return: the list. */
static const char *const *end_words(struct bit_words *words, size_t count, uint64_t rest)
{
	if (rest) {
		snprintf(words->rest, sizeof(words->rest), "0x%" PRIx64, rest);
		words->list[count++] = words->rest;
	}
	words->list[count] = NULL;
	return words->list;
}

const char *const *bit_words_name(struct bit_words *words, const struct mr_word *table,
				  uint64_t bits)
{
	size_t count = 0;

	for (; table->name; table++) {
		if (bits & table->bit)
			words->list[count++] = table->name;
		bits &= ~(uint64_t)table->bit;
	}
	return end_words(words, count, bits);
}

const char *const *bit_words_name_capabilities(struct bit_words *words,
					       const struct mr_device_capability *table,
					       uint64_t bits)
{
	size_t count = 0;

	for (; table->name; table++)
		if (bits & table->bit)
			words->list[count++] = table->name;
	return end_words(words, count, 0);
}
