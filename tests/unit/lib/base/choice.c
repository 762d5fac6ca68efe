// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Words that users choose from: lists, spellings, and guesses at misspelled ones. */
#include "lib/base/base.h"
#include "tests/unit/unit.h"

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
