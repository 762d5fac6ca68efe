/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Bits by name, as fields of type FIELD_WORDS. */
#ifndef CMD_STAT_DEVICE_WORDS_H
#define CMD_STAT_DEVICE_WORDS_H

#include <stdint.h>

#include "lib/base/base.h"
#include "lib/verbs/device.h"

/** Names of bits, and what is left as a number. */
struct bit_words {
	const char *list[33]; /**< ends with NULL */
	char rest[24];        /**< bits without name: "0x80" */
};

/** bit_words_name() - name the bits by a table whose rows have different bits.  Return: @words->list. */
const char *const *bit_words_name(struct bit_words *words, const struct mr_word *table,
				  uint64_t bits);

/** bit_words_name_capabilities() - name those that are in the table; the others do not matter */
const char *const *bit_words_name_capabilities(struct bit_words *words,
					       const struct mr_device_capability *table,
					       uint64_t bits);

#endif
