// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lib/base/base.h"
#include "tests/unit/unit.h"

TEST(characters_that_a_terminal_shows_have_a_length)
{
	static const struct {
		const char *text;
		size_t length;
	} rows[] = {
		{ "a\xc3\xa4", 1 },
		{ " ", 1 },
		{ "~", 1 },
		{ "\xc3\xa4z", 2 },
		{ "\xe5\xa4\xa7", 3 },
		{ "\xe0\xa4\x85", 3 },
		{ "\xf0\x9f\x98\x80", 4 },
		/* not UTF-8: lone bytes, cut ones, overlong ones, surrogates, too large ones */
		{ "\xff", 0 },
		{ "\x80", 0 },
		{ "\xc3", 0 },
		{ "\xe5\xa4", 0 },
		{ "\xc0\xaf", 0 },
		{ "\xe0\x80\xaf", 0 },
		{ "\xed\x9f\xbf", 3 },
		{ "\xed\xa0\x80", 0 },
		{ "\xed\xbf\xbf", 0 },
		{ "\xee\x80\x80", 3 },
		{ "\xf4\x8f\xbf\xbf", 4 },
		{ "\xf4\x90\x80\x80", 0 },
		/* obeyed, not shown, and their neighbours */
		{ "", 0 },
		{ "\n", 0 },
		{ "\x1f", 0 },
		{ "\x7f", 0 },
		{ "\xc2\x9f", 0 },
		{ "\xc2\xa0", 2 },
		{ "\xe2\x80\x8a", 3 },
		{ "\xe2\x80\x8b", 0 },
		{ "\xe2\x80\x8f", 0 },
		{ "\xe2\x80\x90", 3 },
		{ "\xe2\x80\xa7", 3 },
		{ "\xe2\x80\xa8", 0 },
		{ "\xe2\x80\xae", 0 },
		{ "\xe2\x80\xaf", 3 },
		{ "\xe2\x81\x9f", 3 },
		{ "\xe2\x81\xa0", 0 },
		{ "\xe2\x81\xaf", 0 },
		{ "\xe2\x81\xb0", 3 },
		{ "\xef\xbb\xbf", 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_equal_for(rows[i].text, mr_utf8_shown(rows[i].text), rows[i].length);
}

TEST(characters_that_a_terminal_obeys_are_controls_and_those_that_turn_or_end_lines)
{
	static const uint32_t ranges[][2] = { { 0, 0x1f },       { 0x7f, 0x9f },     { 0x61c, 0x61c },
					      { 0x200e, 0x200f }, { 0x2028, 0x202e }, { 0x2066, 0x2069 } };

	for (uint32_t c = 0; c < 0x3000; c++) {
		bool is_obeyed = false;

		for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
			is_obeyed |= c >= ranges[i][0] && c <= ranges[i][1];
		assert_int_equal(mr_utf8_is_obeyed(c), is_obeyed);
	}
}
