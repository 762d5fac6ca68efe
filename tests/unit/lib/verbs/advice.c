// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Advice: words, numbers, flags. */
#include <errno.h>
#include <infiniband/verbs.h>

#include "lib/verbs/advice.h"
#include "tests/unit/unit.h"

static void assert_advice(const char *text, uint32_t advice, uint32_t flags)
{
	struct mr_advice parsed;
	struct mr_error err = { 0 };

	if (mr_advice_parse(text, &parsed, &err))
		fail_msg("'%s': %s", text, err.text);
	assert_equal_for(text, parsed.advice, advice);
	assert_equal_for(text, parsed.flags, flags);
	assert_ptr_equal(parsed.text, text);
}

TEST(words_are_the_names_of_verbs_h)
{
	assert_advice("prefetch", IBV_ADVISE_MR_ADVICE_PREFETCH, 0);
	assert_advice("prefetch-write", IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, 0);
	assert_advice("prefetch-no-fault", IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT, 0);
	assert_advice("prefetch-write,flush", IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE,
		      IBV_ADVISE_MR_FLAG_FLUSH);
}

TEST(numbers_pass_through)
{
	assert_advice("0", 0, 0);
	assert_advice("0xffffffff,0x80000000", UINT32_MAX, 0x80000000);
	assert_advice("7,flush,2", 7, 3);
	assert_advice("prefetch,0", 0, 0);
}

TEST(words_are_read_as_they_stand_in_sources)
{
	assert_advice("IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE", IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE,
		      0);
	assert_advice("Prefetch_No_Fault, IBV_ADVISE_MR_FLAG_FLUSH",
		      IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT, IBV_ADVISE_MR_FLAG_FLUSH);
}

TEST(other_words_are_usage_errors_that_name_them)
{
	static const struct {
		const char *text, *named;
	} cases[] = {
		{ "", "''" },
		{ "flush", "'flush'" },
		{ "prefetch,", "''" },
		{ "FLUSH,prefetch", "prefetch,flush" },
		{ "prefetch,prefetch", "second" },
		{ "prefetch|prefetch-write", "'prefetch-write'" },
		{ "prefetc", "'prefetc'" },
		{ "prefetch,flus", "'flus'" },
		{ "-1", "'-1'" },
		{ "prefetch flush", "'prefetch flush'" },
		{ "1x", "'1x'" },
		{ "4294967296", "4294967296" },
		{ "00000000000000000001", "'00000000000000000001'" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct mr_advice parsed;
		struct mr_error err = { 0 };
		int rc = mr_advice_parse(cases[i].text, &parsed, &err);

		assert_true(rc == -EINVAL || rc == -ERANGE);
		assert_equal_for(cases[i].text, err.kind, MR_ERROR_USAGE);
		assert_contains(err.text, cases[i].named);
	}
}

TEST(each_word_has_help)
{
	size_t n = 0;

	for (const struct mr_word *word = mr_advice_words; word->name; word++, n++)
		assert_true(word->help[0]);
	assert_int_equal(n, 4);
}
