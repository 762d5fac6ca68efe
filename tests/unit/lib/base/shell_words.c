// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lines of words: quotes, backslashes and comments; no other character is special. */
#include "lib/base/base.h"
#include "tests/unit/unit.h"

static struct mr_shell_words words;
static struct mr_error err;

static int release(void **state __attribute__((unused)))
{
	mr_shell_words_release(&words);
	return 0;
}

static int split(const char *line)
{
	return mr_shell_words_split(&words, line, strlen(line), &err);
}

TEST(words_are_split)
{
	static const struct {
		const char *line;
		const char *expected; /* the words, each with | behind it */
	} cases[] = {
		{ "", "" },
		{ " \t ", "" },
		{ "reg", "reg|" },
		{ "  reg\t --size  4K ", "reg|--size|4K|" },
		{ "# reg", "" },
		{ "reg # rest 'of", "reg|" },
		{ "reg#1 a# #", "reg#1|a#|" },
		{ "'' \"\"", "||" },
		{ "'a b' \"c d\"", "a b|c d|" },
		{ "a'b c'd\"e f\"g", "ab cde fg|" },
		{ "'a\\' b", "a\\|b|" },
		{ "'\"' \"'\"", "\"|'|" },
		{ "\"\\\"\\\\\\$\\`\"", "\"\\$`|" },
		{ "\"\\a\\ \"", "\\a\\ |" },
		{ "a\\ b \\# \\'", "a b|#|'|" },
		{ "'#' \"#\" a '# b'", "#|#|a|# b|" },
		{ "$a `b` $(c) *.d ~ e>f | g; & {h,i}", "$a|`b`|$(c)|*.d|~|e>f|||g;|&|{h,i}|" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char found[256] = "";

		assert_int_equal(split(cases[i].line), 0);
		for (size_t n = 0; n < words.count; n++) {
			strcat(found, words.list[n]);
			strcat(found, "|");
		}
		assert_string_equal(found, cases[i].expected);
		assert_null(words.list[words.count]);
	}
}

TEST(quotes_and_backslashes_without_an_end_are_refused)
{
	static const struct {
		const char *line, *what;
	} rows[] = {
		{ "'", "the quote '" },      { "a 'b\"", "the quote '" }, { "\"", "the quote \"" },
		{ "a \"b\\\"", "quote \"" }, { "\"a'", "quote \"" },      { "a\\", "backslash" },
		{ "\"a\\", "quote \"" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_equal_for(rows[i].line, split(rows[i].line), -EINVAL);
		assert_int_equal(err.kind, MR_ERROR_USAGE);
		assert_contains(err.text, rows[i].what);
		assert_int_equal(words.count, 0);
	}
}

ALL_TESTS(NULL, release)
