// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Words with an argument behind a colon, and numbers in place of words. */
#include "lib/base/base.h"
#include "tests/unit/unit.h"

static const struct mr_word words[] = {
	MR_WORD("plain", ""),
	MR_WORD("file:PATH", ""),
	MR_WORD("sized[:SIZE]", ""),
	{ .name = NULL },
};

static struct mr_error err;

TEST(words_take_the_arguments_that_their_names_show)
{
	static const struct {
		const char *text;
		int word;
		const char *argument;
	} cases[] = {
		{ "plain", 0, NULL },      { "file:a", 1, "a" },    { "file:a:b", 1, "a:b" },
		{ "file:a/b", 1, "a/b" },  { "sized", 2, NULL },    { "sized:1", 2, "1" },
		{ "plain:", -EINVAL, "" }, { "file", -EINVAL, "" }, { "file:", -EINVAL, "" },
		{ "sized:", -EINVAL, "" }, { "", -EINVAL, "" },     { "sized[", -EINVAL, "" },
		{ "PLAIN", -EINVAL, "" },  { "pla", -EINVAL, "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *argument;
		int found = mr_word_with_argument(words, "kind", cases[i].text, &argument, &err);

		assert_equal_for(cases[i].text, found, cases[i].word);
		if (found < 0)
			assert_int_equal(err.kind, MR_ERROR_USAGE);
		else if (cases[i].argument)
			assert_string_equal(argument, cases[i].argument);
		else
			assert_null(argument);
	}
}

TEST(a_message_shows_how_the_word_is_written)
{
	const char *argument;

	mr_word_with_argument(words, "kind", "file:", &argument, &err);
	assert_string_equal(err.text, "invalid kind 'file:': the form is file:PATH");
	mr_word_with_argument(words, "kind", "fiel:x", &argument, &err);
	assert_contains(err.text, "unknown kind 'fiel:x': did you mean 'file:PATH'?");
}

TEST(a_number_may_stand_in_place_of_a_word)
{
	static const struct {
		const char *item;
		size_t length;
		int rc;
		uint32_t number;
	} rows[] = {
		{ "0xffffffff,", 10, 0, UINT32_MAX },
		{ "000000000000001", 15, 0, 1 },
		{ "0000000000000001", 16, -EINVAL, 42 },
		{ "4294967296", 10, -ERANGE, 42 },
		{ "x", 1, -EINVAL, 42 },
		{ "1", 0, -EINVAL, 42 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint32_t number = 42;

		assert_equal_for(rows[i].item,
				 mr_word_as_number(words, "kind", rows[i].item, rows[i].length,
						   &number, &err),
				 rows[i].rc);
		assert_equal_for(rows[i].item, number, rows[i].number);
	}
}
