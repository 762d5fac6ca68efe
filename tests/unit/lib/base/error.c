// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Errors: their one line of text, and the names of errnos. */
#include <errno.h>

#include "lib/base/error.h"
#include "tests/unit/unit.h"

TEST(a_failed_call_is_named_with_its_errno)
{
	struct mr_error err;

	memset(&err, 0xff, sizeof(err));
	assert_int_equal(mr_fail(&err, MR_ERROR_REFUSED, EINVAL, "ibv_reg_mr", NULL), -EINVAL);
	assert_string_equal(err.text, "ibv_reg_mr: EINVAL (Invalid argument)");
	assert_string_equal(err.hint, "");
	assert_string_equal(err.call, "ibv_reg_mr");
	assert_int_equal(err.errnum, EINVAL);
	assert_int_equal(err.kind, MR_ERROR_REFUSED);
}

TEST(what_was_being_done_stands_before_the_call)
{
	struct mr_error err;

	mr_fail(&err, MR_ERROR_HOST, ENOENT, "open", "cannot use '%s'", "/x");
	assert_string_equal(err.text, "cannot use '/x': open: ENOENT (No such file or directory)");
}

TEST(an_errno_without_a_name_is_given_as_a_number)
{
	struct mr_error err;

	mr_fail(&err, MR_ERROR_REFUSED, 4000, "ibv_reg_mr", NULL);
	assert_string_equal(err.text, "ibv_reg_mr: errno 4000");
	assert_null(mr_errno_name(4000));
	assert_non_null(mr_errno_text(4000));
}

TEST(a_text_without_a_call_stands_alone)
{
	struct mr_error err;

	memset(&err, 0xff, sizeof(err));
	assert_int_equal(mr_fail_text(&err, MR_ERROR_ABSENT, ENODEV, "no device '%s'", "x"),
			 -ENODEV);
	assert_string_equal(err.text, "no device 'x'");
	assert_string_equal(err.hint, "");
	assert_null(err.call);
	assert_int_equal(err.kind, MR_ERROR_ABSENT);
}

TEST(context_is_put_before_the_text)
{
	struct mr_error err;

	mr_fail_text(&err, MR_ERROR_USAGE, EINVAL, "inner");
	mr_wrap(&err, "--%s", "size");
	mr_wrap(&err, "line %d", 3);
	assert_string_equal(err.text, "line 3: --size: inner");
	assert_int_equal(err.kind, MR_ERROR_USAGE);
	assert_int_equal(err.errnum, EINVAL);
}

TEST(a_new_failure_has_no_hint_of_the_last_one)
{
	struct mr_error err;

	mr_fail_text(&err, MR_ERROR_ABSENT, ENODEV, "one");
	mr_hint(&err, "try %d", 2);
	assert_string_equal(err.hint, "try 2");
	mr_fail(&err, MR_ERROR_HOST, ENOMEM, "mmap", NULL);
	assert_string_equal(err.hint, "");
}

TEST(a_long_context_leaves_room_for_the_errno)
{
	char path[5000];
	struct mr_error err;

	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	mr_fail(&err, MR_ERROR_HOST, ENAMETOOLONG, "open", "cannot use '%s'", path);
	assert_contains(err.text, ": open: ENAMETOOLONG (File name too long)");
	assert_true(strlen(err.text) < sizeof(err.text));
}

TEST(overlong_texts_are_cut)
{
	char path[5000];
	struct mr_error err;

	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	mr_fail_text(&err, MR_ERROR_USAGE, EINVAL, "%s", path);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	mr_wrap(&err, "%s", path);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	mr_hint(&err, "%s", path);
	assert_int_equal(strlen(err.hint), sizeof(err.hint) - 1);
}

TEST(internal_errnos_of_the_kernel_have_a_name)
{
	assert_string_equal(mr_errno_name(524), "ENOTSUPP");
	assert_contains(mr_errno_text(524), "kernel-internal");
	assert_int_equal(mr_errno_parse("ENOTSUPP", 8), 524);
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

TEST(second_names_are_read_too)
{
	assert_int_equal(mr_errno_parse("EWOULDBLOCK", 11), EAGAIN);
	assert_int_equal(mr_errno_parse("ENOTSUP", 7), EOPNOTSUPP);
	assert_int_equal(mr_errno_parse("EDEADLOCK", 9), EDEADLK);
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

TEST(names_are_read_in_any_case)
{
	assert_int_equal(mr_errno_parse("einval", 6), EINVAL);
	assert_int_equal(mr_errno_parse("Enomem", 6), ENOMEM);
	assert_int_equal(mr_errno_parse("ewouldblock", 11), EAGAIN);
}

TEST(a_misspelled_name_is_guessed)
{
	assert_string_equal(mr_errno_guess("EINVL", 5), "EINVAL");
	assert_string_equal(mr_errno_guess("enomme", 6), "ENOMEM");
	assert_string_equal(mr_errno_guess("EOPNOSUPP", 9), "EOPNOTSUPP");
	assert_null(mr_errno_guess("bogus", 5));
	assert_null(mr_errno_guess("", 0));
}

TEST(other_words_are_no_errnos)
{
	static const char *const words[] = { "",     "E",  "EINVALX", "EINVA", "inval",
					     "EFOO", "22", " EINVAL", "ok" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		assert_equal_for(words[i], mr_errno_parse(words[i], strlen(words[i])), 0);
}

TEST(only_the_given_length_of_a_name_is_read)
{
	assert_int_equal(mr_errno_parse("EINVAL,ENOMEM", 6), EINVAL);
	assert_int_equal(mr_errno_parse("EINVAL,ENOMEM", 5), 0);
	assert_int_equal(mr_errno_parse("EINVAL", 0), 0);
}
