// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lib/base/utf8.h"
#include "tests/unit/unit.h"

TEST(characters_have_their_length)
{
	assert_int_equal(mr_utf8_shown("a\xc3\xa4"), 1);
	assert_int_equal(mr_utf8_shown(" "), 1);
	assert_int_equal(mr_utf8_shown("\xc3\xa4z"), 2);
	assert_int_equal(mr_utf8_shown("\xe5\xa4\xa7"), 3);
	assert_int_equal(mr_utf8_shown("\xf0\x9f\x98\x80"), 4);
}

TEST(what_is_no_utf8_has_none)
{
	assert_int_equal(mr_utf8_shown("\xff"), 0);
	assert_int_equal(mr_utf8_shown("\x80"), 0);
	assert_int_equal(mr_utf8_shown("\xc3"), 0); /* cut */
	assert_int_equal(mr_utf8_shown("\xe5\xa4"), 0);
	assert_int_equal(mr_utf8_shown("\xc0\xaf"), 0); /* overlong */
	assert_int_equal(mr_utf8_shown("\xe0\x80\xaf"), 0);
	assert_int_equal(mr_utf8_shown("\xed\xa0\x80"), 0); /* a surrogate */
	assert_int_equal(mr_utf8_shown("\xf4\x90\x80\x80"), 0);
}

TEST(what_no_terminal_shows_has_none)
{
	assert_int_equal(mr_utf8_shown(""), 0);
	assert_int_equal(mr_utf8_shown("\n"), 0);
	assert_int_equal(mr_utf8_shown("\x7f"), 0);
	assert_int_equal(mr_utf8_shown("\xc2\x9b"), 0);     /* CSI */
	assert_int_equal(mr_utf8_shown("\xe2\x80\xae"), 0); /* from right to left */
	assert_int_equal(mr_utf8_shown("\xe2\x81\xa6"), 0);
	assert_int_equal(mr_utf8_shown("\xef\xbb\xbf"), 0);
}
