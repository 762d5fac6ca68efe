// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Where the lines of a sentence end. */
#include <string.h>
#include <unistd.h>

#include "cmd/output/paragraph.h"
#include "tests/unit/unit.h"

#define TEN "123456789 "

/* Prints by output_paragraph().  Return: what came out. */
static const char *printed(const char *text, size_t at, size_t indent)
{
	static char out[4096];
	FILE *file = tmpfile();
	const int saved = dup(STDOUT_FILENO);
	size_t got;

	assert_non_null(file);
	fflush(stdout);
	assert_true(dup2(fileno(file), STDOUT_FILENO) >= 0);
	output_paragraph(text, at, indent);
	fflush(stdout);
	assert_true(dup2(saved, STDOUT_FILENO) >= 0);
	close(saved);
	rewind(file);
	got = fread(out, 1, sizeof(out) - 1, file);
	out[got] = '\0';
	fclose(file);
	return out;
}

TEST(a_short_sentence_is_a_line)
{
	assert_string_equal(printed("a word", 4, 4), "a word\n");
	assert_string_equal(printed("", 4, 4), "");
}

TEST(a_line_has_at_most_79_columns)
{
	assert_string_equal(printed(TEN TEN TEN TEN TEN TEN TEN "123456789", 0, 0),
			    TEN TEN TEN TEN TEN TEN TEN "123456789\n");
	assert_string_equal(
		printed(TEN TEN TEN TEN TEN TEN TEN "1234567890", 0, 0),
		"123456789 123456789 123456789 123456789 123456789 123456789 123456789\n"
		"1234567890\n");
}

TEST(lines_begin_at_their_columns)
{
	assert_string_equal(printed("one two three", 75, 2), "one\n  two three\n");
	assert_string_equal(printed("one  two", 75, 2), "one\n  two\n");
}

TEST(a_word_that_is_too_long_stays_whole)
{
	char word[101];

	memset(word, 'x', sizeof(word) - 1);
	word[100] = '\0';
	assert_int_equal(strlen(printed(word, 0, 0)), 101);
	/* behind the last column, too */
	assert_string_equal(printed("one two", 90, 1), "one\n two\n");
	assert_string_equal(printed("one two", 0, 90), "one two\n");
}

TEST(bytes_that_a_terminal_obeys_are_escaped)
{
	assert_string_equal(printed("a\x1b[2J\nb", 0, 0), "a\\x1b[2J\\x0ab\n");
}
