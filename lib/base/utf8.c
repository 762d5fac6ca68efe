// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/utf8.h"

/* C0, C1; zero-width characters, line separators, and the ones that change the direction of the text. */
static bool is_shown(uint32_t character)
{
	return character >= ' ' && (character < 0x7f || character >= 0xa0) &&
	       (character < 0x200b || character > 0x200f) &&
	       (character < 0x2028 || character > 0x202e) &&
	       (character < 0x2060 || character > 0x206f) && character != 0xfeff;
}

/* Overlong forms, surrogates and numbers behind the last one are no characters. */
static bool is_character(uint32_t character, size_t length)
{
	static const uint32_t first[] = { 0, 0, 0x80, 0x800, 0x10000 };

	return character >= first[length] && character <= 0x10ffff &&
	       (character < 0xd800 || character > 0xdfff);
}

static size_t length_of(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first < 0xc0 || first >= 0xf8)
		return 0;
	return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

size_t mr_utf8_shown(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	const size_t length = length_of(*at);
	uint32_t character = length > 1 ? *at & (0x7fU >> length) : *at;

	for (size_t i = 1; i < length; i++) {
		if ((at[i] & 0xc0) != 0x80) /* the end of the text, too */
			return 0;
		character = character << 6 | (at[i] & 0x3f);
	}
	return length && is_character(character, length) && is_shown(character) ? length : 0;
}
