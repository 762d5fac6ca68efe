// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Errors: their one line of text, and the names of errnos. */
#include "lib/base/base.h"
#include "tests/unit/unit.h"

TEST(a_failure_has_a_line_and_nothing_of_the_last_one)
{
	struct mr_error err;

	memset(&err, 0xff, sizeof(err));
	assert_int_equal(mr_fail(&err, MR_ERROR_REFUSED, EINVAL, "ibv_reg_mr", NULL), -EINVAL);
	assert_string_equal(err.text, "ibv_reg_mr: EINVAL (Invalid argument)");
	assert_string_equal(err.hint, "");
	assert_string_equal(err.call, "ibv_reg_mr");
	assert_int_equal(err.errnum, EINVAL);
	assert_int_equal(err.kind, MR_ERROR_REFUSED);
	assert_null(err.shown_by);
	mr_hint(&err, "try %d", 2);
	assert_string_equal(err.hint, "try 2");
	assert_int_equal(mr_fail_text(&err, MR_ERROR_ABSENT, ENODEV, "no device '%s'", "x"),
			 -ENODEV);
	assert_string_equal(err.text, "no device 'x'");
	assert_string_equal(err.hint, "");
	assert_null(err.call);
	assert_int_equal(err.kind, MR_ERROR_ABSENT);
	mr_fail(&err, MR_ERROR_HOST, ENOENT, "open", "cannot use '%s'", "/x");
	assert_string_equal(err.text, "cannot use '/x': open: ENOENT (No such file or directory)");
	mr_fail(&err, MR_ERROR_REFUSED, 4000, "ibv_reg_mr", NULL);
	assert_string_equal(err.text, "ibv_reg_mr: errno 4000");
	assert_null(mr_errno_name(4000));
	assert_non_null(mr_errno_text(4000));
}

TEST(overlong_texts_are_cut_but_for_the_errno)
{
	char path[5000];
	struct mr_error err;

	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	mr_fail(&err, MR_ERROR_HOST, ENAMETOOLONG, "open", "cannot use '%s'", path);
	assert_contains(err.text, ": open: ENAMETOOLONG (File name too long)");
	mr_fail_text(&err, MR_ERROR_USAGE, EINVAL, "%s", path);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	mr_wrap(&err, "%s", path);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	mr_hint(&err, "%s", path);
	assert_int_equal(strlen(err.hint), sizeof(err.hint) - 1);
}

TEST(every_name_is_read_as_its_number)
{
	int names = 0;

	for (int errnum = 1; errnum < 4096; errnum++) {
		const char *name = mr_errno_name(errnum);

		if (!name)
			continue;
		names++;
		assert_equal_for(name, mr_errno_parse(name, strlen(name)), errnum);
	}
	assert_true(names > 130);
}

TEST(an_unknown_word_is_answered_with_the_known_ones)
{
	static const struct row {
		const char *name;
		int rest[3];
	} rows[] = { { "one", { 0 } }, { "two", { 0 } }, { NULL, { 0 } } };
	char word[2 * sizeof(((struct mr_error *)0)->text)];
	struct mr_error err;

	assert_int_equal(mr_fail_word(&err, "number", "three,four", 5, rows, sizeof(*rows)),
			 -EINVAL);
	assert_int_equal(err.kind, MR_ERROR_USAGE);
	assert_string_equal(err.text, "unknown number 'three'; valid values: one, two");
	mr_fail_word(&err, "number", "towns", 3, rows, sizeof(*rows));
	assert_string_equal(err.text,
			    "unknown number 'tow': did you mean 'two'? valid values: one, two");
	mr_fail_word(&err, "number", "twenty_two", 10, rows, sizeof(*rows));
	assert_string_equal(err.text,
			    "unknown number 'twenty_two': did you mean 'two'? valid values: one, two");
	memset(word, 'x', sizeof(word));
	mr_fail_word(&err, "number", word, sizeof(word), rows, sizeof(*rows));
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
}

TEST(known_words_that_are_too_many_end_with_a_whole_one)
{
	static const char *const rows[] = {
		[0 ... 99] = "abcdefgh",
		NULL,
	};
	const char *end = "abcdefgh, ...";
	struct mr_error err;

	mr_fail_word(&err, "letter", "x", 1, rows, sizeof(*rows));
	assert_string_equal(err.text + strlen(err.text) - strlen(end), end);
	/* no more were left out than had to be */
	assert_in_range(strlen(err.text), sizeof(err.text) - strlen(", abcdefgh"),
			sizeof(err.text) - 1);
}

TEST(names_of_errnos_are_read_and_guessed)
{
	static const struct {
		const char *word;
		int errnum;
		const char *guess;
	} rows[] = {
		{ "einval", EINVAL, "EINVAL" },
		{ "Enomem", ENOMEM, "ENOMEM" },
		{ "ewouldblock", EAGAIN, NULL },
		{ "ENOTSUP", EOPNOTSUPP, "ENOTSUPP" },
		{ "EDEADLOCK", EDEADLK, "EDEADLK" },
		{ "ENOTSUPP", 524, "ENOTSUPP" },
		{ "EINVL", 0, "EINVAL" },
		{ "enomme", 0, "ENOMEM" },
		{ "EOPNOSUPP", 0, "EOPNOTSUPP" },
		{ "bogus", 0, NULL },
		{ "", 0, NULL },
		{ "E", 0, NULL },
		{ "EINVALX", 0, "EINVAL" },
		{ "22", 0, NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *guess = mr_errno_guess(rows[i].word, strlen(rows[i].word));

		assert_equal_for(rows[i].word, mr_errno_parse(rows[i].word, strlen(rows[i].word)),
				 rows[i].errnum);
		assert_string_equal(guess ?: "", rows[i].guess ?: "");
	}
	assert_int_equal(mr_errno_parse("EINVAL,ENOMEM", 6), EINVAL);
	assert_int_equal(mr_errno_parse("EINVAL,ENOMEM", 5), 0);
	assert_contains(mr_errno_text(524), "kernel-internal");
}

TEST(items_of_a_list_have_no_blanks_around_them_and_may_be_empty)
{
	static const char *const items[] = { "a b", "", "", "c" };
	const char *rest = " a b\t, ,|c", *item;
	size_t length, count = 0;

	for (; (item = mr_list_item(&rest, ",|", &length)); count++) {
		assert_int_equal(length, strlen(items[count]));
		assert_memory_equal(item, items[count], length);
	}
	assert_int_equal(count, ARRAY_SIZE(items));
}
