// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Words that users choose from: lists, spellings, and guesses at misspelled ones. */
#include "lib/base/base.h"
#include "tests/unit/unit.h"

/* Returns the items of a list, each in brackets. */
static void check_items(const char *list, const char *separators, const char *expected)
{
	char all[256] = "";
	const char *item;
	size_t length;

	for (const char *rest = list; (item = mr_list_item(&rest, separators, &length));)
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "[%.*s]", (int)length, item);
	if (strcmp(all, expected) != 0)
		fail_msg("'%s' is %s, not %s", list, all, expected);
}

TEST(items_are_split_at_separators_without_blanks_around)
{
	check_items("a", ",", "[a]");
	check_items("a|bc,d", ",|", "[a][bc][d]");
	check_items("a|b,c", ",", "[a|b][c]");
	check_items("", ",", "[]");
	check_items(",", ",", "[][]");
	check_items("a,", ",", "[a][]");
	check_items(" , ", ",", "[][]");
	check_items(" a ,\tb c | d", ",|", "[a][b c][d]");
}

TEST(spellings_of_a_word_are_the_word)
{
	static const struct {
		const char *word, *name;
		bool is;
	} rows[] = {
		{ "on-demand", "on-demand", true },   { "ON_DEMAND", "on-demand", true },
		{ "page-size", "page_size", true },   { "on-deman", "on-demand", false },
		{ "on-demands", "on-demand", false }, { "on demand", "on-demand", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_equal_for(rows[i].word,
				 mr_word_is(rows[i].word, strlen(rows[i].word), rows[i].name),
				 rows[i].is);
}

TEST(a_prefix_is_removed_only_if_something_follows_it)
{
	static const char *const prefixes[] = { "IBV_", "IB_", NULL };
	size_t length = 8;

	assert_string_equal(mr_word_without("IBV_READ", &length, prefixes), "READ");
	assert_int_equal(length, 4);
	assert_string_equal(mr_word_without("IBV_", &length, prefixes), "IBV_");
	assert_int_equal(length, 4);
}

static const struct word {
	const char *name, *help;
} words[] = { { "reg", "" },       { "reg-iova", "" },     { "dereg", "" },
	      { "rereg", "" },     { "stat", "" },         { "local-write", "" },
	      { "file:PATH", "" }, { "hugetlb[:2M]", "" }, { NULL, "" } };

static void check_guess(const char *word, const char *expected)
{
	const char *guess = mr_guess_from(word, strlen(word), words, sizeof(*words));

	if (strcmp(guess ? guess : "", expected) != 0)
		fail_msg("'%s' is taken for '%s', not for '%s'", word, guess, expected);
}

TEST(words_that_are_near_or_begin_another_are_guessed)
{
	static const char *const rows[][2] = {
		{ "rge", "reg" },
		{ "stats", "stat" },
		{ "sat", "stat" },
		{ "stst", "stat" },
		{ "dreeg", "dereg" },
		{ "local_wirte", "local-write" },
		{ "LOCALWRITE", "local-write" },
		{ "register", "reg" },
		{ "deregister", "dereg" },
		{ "local", "local-write" },
		{ "status", "stat" },
		/* a name with an argument is compared without it */
		{ "fiel:/dev/shm/x", "file:PATH" },
		{ "hugtlb", "hugetlb[:2M]" },
		{ "hugetlbs:2M", "hugetlb[:2M]" },
		{ "", "" },
		{ "r", "" },
		{ "re", "reg" },
		{ ":", "" },
		{ "bogus", "" },
		{ "write", "" },
	};
	char word[4096];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check_guess(rows[i][0], rows[i][1]);
	memset(word, 'r', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	check_guess(word, "");
	check_guess("local-writeeeeeeeeeeeeeeeeeeeeee", "local-write"); /* 32 characters */
	check_guess("local-writeeeeeeeeeeeeeeeeeeeeeee", "");
}

TEST(a_word_is_found_by_its_index)
{
	static const struct mr_word flags[] = {
		MR_WORD("local-write", "one"),
		MR_WORD("flush", "another"),
		{ .name = NULL },
	};

	assert_int_equal(mr_word_find(flags, "LOCAL_WRITE,", 11), 0);
	assert_int_equal(mr_word_find(flags, "flush", 5), 1);
	assert_int_equal(mr_word_find(flags, "flush", 4), -1);
	assert_int_equal(mr_word_find(flags, "", 0), -1);
}
