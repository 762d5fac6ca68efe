// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What tries tell, in words. */
#include <errno.h>

#include "lib/diagnose/trial/make.h"
#include "tests/unit/unit.h"

static struct mr_tries tries;

static struct mr_try *tried(enum mr_try_change change, const char *words, int errnum)
{
	struct mr_try *try = &tries.list[tries.count++];

	*try = (struct mr_try){ .change = change, .made = true, .errnum = errnum };
	snprintf(try->words, sizeof(try->words), "%s", words);
	return try;
}

static void begin(enum mr_try_change first, const char *words, int errnum, bool is_refused_again)
{
	tries = (struct mr_tries){ .is_refused_again = is_refused_again };
	tried(first, words, errnum);
}

static void told(const char *expected)
{
	char text[512];

	mr_tries_text(&tries, text, sizeof(text));
	assert_string_equal(text, expected);
}

TEST(what_passes_stands_before_what_is_refused)
{
	begin(MR_TRY_UNCHANGED, "unchanged", EINVAL, true);
	tried(MR_TRY_HALF, "with half the length", EINVAL);
	tried(MR_TRY_PAGE, "with one page", 0);
	tried(MR_TRY_FRESH_MEMORY, "with fresh memory", 0);
	told("it passes with one page, with fresh memory; EINVAL again unchanged, with half the "
	     "length");
}

TEST(answers_are_gathered_by_errno)
{
	begin(MR_TRY_UNCHANGED, "unchanged", EINVAL, true);
	tried(MR_TRY_HALF, "with half the length", EFAULT);
	tried(MR_TRY_PAGE, "with one page", EINVAL);
	tried(MR_TRY_OTHER_PD, "in another PD", EFAULT);
	told("nothing helps; EINVAL again unchanged, with one page; EFAULT with half the length, "
	     "in another PD");
}

TEST(the_call_alone_is_no_reason_to_say_that_nothing_helps)
{
	begin(MR_TRY_UNCHANGED, "unchanged", EINVAL, true);
	told("EINVAL again unchanged");
}

TEST(what_passes_now_is_told_by_how_it_was_repeated)
{
	begin(MR_TRY_UNCHANGED, "unchanged", 0, false);
	told("unchanged it passes now, so what refused it has passed");
	begin(MR_TRY_OWN_CONTEXT, "in a context of its own", 0, false);
	told("in a context of its own it passes, so the session's makes the difference, or what "
	     "refused it has passed");
	begin(MR_TRY_ANEW, "anew", 0, false);
	told("a new region of that range and access is registered, so it is the change that is "
	     "refused");
}

TEST(another_answer_is_told_as_such)
{
	begin(MR_TRY_UNCHANGED, "unchanged", ENOMEM, false);
	told("unchanged it answers ENOMEM now, so no change was tried");
	begin(MR_TRY_UNCHANGED, "unchanged", 4095, false);
	told("unchanged it answers an unknown errno now, so no change was tried");
}

TEST(remarks_and_what_was_not_tried)
{
	struct mr_try *try;

	begin(MR_TRY_UNCHANGED, "unchanged", EINVAL, true);
	try = tried(MR_TRY_HALF, "with half the length", 0);
	snprintf(try->reason, sizeof(try->reason), "it stays");
	try = tried(MR_TRY_FRESH_MEMORY, "with fresh memory", 0);
	try->made = false;
	snprintf(try->reason, sizeof(try->reason), "it takes 1 TiB");
	snprintf(tries.note, sizeof(tries.note), "no more, as a signal has come");
	told("it passes with half the length; EINVAL again unchanged; with half the length: it "
	     "stays; not with fresh memory: it takes 1 TiB; no more, as a signal has come");
}

TEST(a_note_alone)
{
	tries = (struct mr_tries){ .note = "nothing, as the time for tries is over" };
	told("nothing, as the time for tries is over");
}

TEST(a_short_buffer_cuts_the_text)
{
	char text[16];

	begin(MR_TRY_UNCHANGED, "unchanged", EINVAL, true);
	tried(MR_TRY_PAGE, "with one page", 0);
	memset(text, 'x', sizeof(text));
	mr_tries_text(&tries, text, 10);
	assert_string_equal(text, "it passes");
	assert_int_equal(text[10], 'x');
}
