// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Words that users choose from: lists, spellings, and guesses at misspelled ones. */
#include "lib/base/choice.h"
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

TEST(items_are_split_at_separators)
{
	check_items("a", ",", "[a]");
	check_items("a,bc,d", ",", "[a][bc][d]");
	check_items("a|b,c", ",|", "[a][b][c]");
	check_items("a|b,c", ",", "[a|b][c]");
}

TEST(empty_items_are_items)
{
	check_items("", ",", "[]");
	check_items(",", ",", "[][]");
	check_items("a,", ",", "[a][]");
	check_items(" , ", ",", "[][]");
}

TEST(blanks_around_items_are_removed)
{
	check_items(" a ,\tb c | d", ",|", "[a][b c][d]");
}

TEST(spellings_of_a_word_are_the_word)
{
	assert_true(mr_word_is("on-demand", 9, "on-demand"));
	assert_true(mr_word_is("ON_DEMAND", 9, "on-demand"));
	assert_true(mr_word_is("page-size", 9, "page_size"));
	assert_false(mr_word_is("on-deman", 8, "on-demand"));
	assert_false(mr_word_is("on-demands", 10, "on-demand"));
	assert_false(mr_word_is("on demand", 9, "on-demand"));
}

TEST(a_prefix_is_removed_only_if_something_follows_it)
{
	static const char *const prefixes[] = { "IBV_", "IB_", NULL };
	size_t length = 8;

	assert_string_equal(mr_word_without("IBV_READ", &length, prefixes), "READ");
	assert_int_equal(length, 4);
	length = 4;
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

TEST(near_words_are_guessed)
{
	check_guess("rge", "reg");
	check_guess("stats", "stat");
	check_guess("sat", "stat");
	check_guess("stst", "stat");
	check_guess("dreeg", "dereg");
	check_guess("local_wirte", "local-write");
	check_guess("LOCALWRITE", "local-write");
}

TEST(a_word_that_begins_another_is_guessed)
{
	check_guess("register", "reg");
	check_guess("deregister", "dereg");
	check_guess("local", "local-write");
	check_guess("status", "stat");
}

TEST(a_name_with_an_argument_is_compared_without_it)
{
	check_guess("fiel:/dev/shm/x", "file:PATH");
	check_guess("hugtlb", "hugetlb[:2M]");
	check_guess("hugetlbs:2M", "hugetlb[:2M]");
}

TEST(far_words_are_not_guessed)
{
	char word[4096];

	check_guess("", "");
	check_guess("r", "");
	check_guess("x", "");
	check_guess(":", "");
	check_guess("bogus", "");
	check_guess("write", "");
	memset(word, 'r', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	check_guess(word, "");
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
