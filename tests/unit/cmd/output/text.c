// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How text with any bytes is printed on a terminal and in JSON. */
#include "cmd/output/output.h"
#include "tests/unit/unit.h"

/* The replacement character, as UTF-8. */
#define FFFD "\xef\xbf\xbd"

static const struct row {
	const char *text;
	const char *printed;
	const char *json;
} rows[] = {
	{ "", "", "" },
	{ "plain", "plain", "plain" },
	{ "a\"b\\c", "a\"b\\c", "a\\\"b\\\\c" },
	/* The first and the last character of each length, and letters. */
	{ "\xc2\xa0\xdf\xbf", "\xc2\xa0\xdf\xbf", "\xc2\xa0\xdf\xbf" },
	{ "\xe0\xa0\x80\xef\xbf\xbf", "\xe0\xa0\x80\xef\xbf\xbf", "\xe0\xa0\x80\xef\xbf\xbf" },
	{ "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf",
	  "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf" },
	{ "gr\xc3\xb6\xc3\x9f\x65 \xe5\xa4\xa7", "gr\xc3\xb6\xc3\x9f\x65 \xe5\xa4\xa7",
	  "gr\xc3\xb6\xc3\x9f\x65 \xe5\xa4\xa7" },
	/* Control characters, which a terminal obeys. */
	{ "a\nmrctl: b", "a\\x0amrctl: b", "a\\u000amrctl: b" },
	{ "\x1b[2J\r\t\x7f", "\\x1b[2J\\x0d\\x09\\x7f", "\\u001b[2J\\u000d\\u0009\\u007f" },
	{ "\xc2\x9b\x33\x31m", "\\xc2\\x9b31m", "\\u009b31m" },
	{ "\xe2\x80\xa8\xe2\x80\xae\xe2\x81\xa6", "\\xe2\\x80\\xa8\\xe2\\x80\\xae\\xe2\\x81\\xa6",
	  "\\u2028\\u202e\\u2066" },
	{ "\xe2\x80\x8e\xe2\x80\x8f\xe2\x81\xa9", "\\xe2\\x80\\x8e\\xe2\\x80\\x8f\\xe2\\x81\\xa9",
	  "\\u200e\\u200f\\u2069" },
	{ "\xd8\x9c\xc2\x80\xc2\x9f", "\\xd8\\x9c\\xc2\\x80\\xc2\\x9f", "\\u061c\\u0080\\u009f" },
	/* Their neighbours are shown. */
	{ "\xd8\x9d\xe2\x80\x90\xe2\x80\xa7", "\xd8\x9d\xe2\x80\x90\xe2\x80\xa7",
	  "\xd8\x9d\xe2\x80\x90\xe2\x80\xa7" },
	{ "\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa ~", "\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa ~",
	  "\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa ~" },
	/* Bytes that are not UTF-8: lone ones, cut sequences, overlong ones, surrogates, too large values. */
	{ "a\xff", "a\\xff", "a" FFFD },
	{ "\x80z", "\\x80z", FFFD "z" },
	{ "\xc3", "\\xc3", FFFD },
	{ "\xe5\xa4", "\\xe5\\xa4", FFFD FFFD },
	{ "\xc0\xaf", "\\xc0\\xaf", FFFD FFFD },
	{ "\xe0\x9f\xbf", "\\xe0\\x9f\\xbf", FFFD FFFD FFFD },
	{ "\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf", FFFD FFFD FFFD FFFD },
	{ "\xed\xa0\x80", "\\xed\\xa0\\x80", FFFD FFFD FFFD },
	{ "\xed\xbf\xbf", "\\xed\\xbf\\xbf", FFFD FFFD FFFD },
	{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", FFFD FFFD FFFD FFFD },
	{ "\xf8\x88\x80\x80\x80", "\\xf8\\x88\\x80\\x80\\x80", FFFD FFFD FFFD FFFD FFFD },
};

TEST(letters_are_printed_and_control_characters_are_not)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char buffer[256] = "";
		FILE *stream = fmemopen(buffer, sizeof(buffer), "w");

		assert_non_null(stream);
		text_print(rows[i].text, stream);
		fclose(stream);
		assert_string_equal(buffer, rows[i].printed);
	}
}

TEST(a_string_of_json_is_valid_utf_8)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char buffer[256] = "", expected[256];
		FILE *stream = fmemopen(buffer, sizeof(buffer), "w");

		assert_non_null(stream);
		text_print_json(rows[i].text, stream);
		fclose(stream);
		snprintf(expected, sizeof(expected), "\"%s\"", rows[i].json);
		assert_string_equal(buffer, expected);
	}
}
