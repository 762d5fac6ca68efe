// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Where the lines of a sentence end. */
#include "cmd/output/output.h"
#include "tests/unit/unit.h"

#define TEN   "123456789 "
#define SIXTY TEN TEN TEN TEN TEN TEN

TEST(sentences_are_cut_at_blanks_before_the_last_column)
{
	static const struct {
		const char *text;
		size_t at, indent;
		const char *printed;
	} rows[] = {
		{ "a word", 4, 4, "a word\n" },
		{ "", 4, 4, "" },
		{ SIXTY TEN "123456789", 0, 0, SIXTY TEN "123456789\n" },
		{ SIXTY TEN "1234567890", 0, 0, SIXTY "123456789\n1234567890\n" },
		{ "one two three", 75, 2, "one\n  two three\n" },
		{ "one  two", 75, 2, "one\n  two\n" },
		/* a word that is too long, and columns behind the last one */
		{ "1234567890 2", 75, 0, "1234567890\n2\n" },
		{ "one two", 80, 1, "one\n two\n" },
		{ "one two", 90, 1, "one\n two\n" },
		{ "one two", 0, 90, "one two\n" },
		{ "a\x1b[2J\nb", 0, 0, "a\\x1b[2J\\x0ab\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct capture c;

		capture_begin(&c, STDOUT_FILENO);
		output_paragraph(rows[i].text, rows[i].at, rows[i].indent);
		assert_string_equal(capture_end(&c), rows[i].printed);
	}
}
