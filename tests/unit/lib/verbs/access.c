// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Access flags: names, masks, and bits without a name. */
#include <ctype.h>
#include <errno.h>
#include <infiniband/verbs.h>

#include "lib/verbs/access.h"
#include "tests/unit/unit.h"

static uint32_t parse(const char *text)
{
	struct mr_error err = { 0 };
	uint32_t bits = 0xdeadbeef;

	if (mr_flags_parse(mr_access_flags, "access flag", text, &bits, &err))
		fail_msg("'%s': %s", text, err.text);
	return bits;
}

TEST(names_have_the_bits_of_verbs_h)
{
	assert_int_equal(parse("local-write"), IBV_ACCESS_LOCAL_WRITE);
	assert_int_equal(parse("remote-write"), IBV_ACCESS_REMOTE_WRITE);
	assert_int_equal(parse("remote-read"), IBV_ACCESS_REMOTE_READ);
	assert_int_equal(parse("remote-atomic"), IBV_ACCESS_REMOTE_ATOMIC);
	assert_int_equal(parse("mw-bind"), IBV_ACCESS_MW_BIND);
	assert_int_equal(parse("zero-based"), IBV_ACCESS_ZERO_BASED);
	assert_int_equal(parse("on-demand"), IBV_ACCESS_ON_DEMAND);
	assert_int_equal(parse("hugetlb"), IBV_ACCESS_HUGETLB);
	assert_int_equal(parse("flush-global"), 1 << 8);
	assert_int_equal(parse("flush-persistent"), 1 << 9);
	assert_int_equal(parse("relaxed-ordering"), IBV_ACCESS_RELAXED_ORDERING);
}

TEST(every_flag_is_one_bit_with_a_name_of_its_own_and_help)
{
	uint32_t seen = 0;

	for (const struct mr_word *f = mr_access_flags; f->name; f++) {
		assert_equal_for(f->name, f->bit & (f->bit - 1), 0);
		if (f->bit <= seen)
			fail_msg("%s is out of order", f->name);
		seen |= f->bit;
		assert_true(f->help && *f->help);
		for (const struct mr_word *g = mr_access_flags; g != f; g++)
			assert_string_not_equal(f->name, g->name);
	}
}

TEST(flags_are_joined_with_commas)
{
	assert_int_equal(parse("local-write,remote-read"), 5);
	assert_int_equal(parse("remote-read,local-write"), 5);
	assert_int_equal(parse("local-write,local-write"), 1);
}

TEST(names_are_read_as_they_stand_in_sources)
{
	assert_int_equal(parse("IBV_ACCESS_LOCAL_WRITE|IBV_ACCESS_REMOTE_READ"), 5);
	assert_int_equal(parse("IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_HUGETLB"), 0x81);
	assert_int_equal(parse("IB_ACCESS_REMOTE_WRITE|IB_ZERO_BASED|1"), 0x23);
	assert_int_equal(parse("IB_UVERBS_ACCESS_FLUSH_GLOBAL"), 1 << 8);
	assert_int_equal(parse("IBV_ACCESS_RELAXED_ORDERING"), IBV_ACCESS_RELAXED_ORDERING);
	for (const struct mr_word *f = mr_access_flags; f->name; f++) {
		char name[64];
		size_t length = (size_t)snprintf(name, sizeof(name), "IBV_ACCESS_%s", f->name);

		for (size_t i = 0; i < length; i++)
			name[i] = name[i] == '-' ? '_' : (char)toupper((unsigned char)name[i]);
		assert_equal_for(name, parse(name), f->bit);
	}
}

TEST(case_underscores_and_blanks_after_commas_do_not_matter)
{
	assert_int_equal(parse("remote_write"), 2);
	assert_int_equal(parse("LOCAL-WRITE,Remote_Read"), 5);
	assert_int_equal(parse("local-write, remote-read"), 5);
	assert_int_equal(parse(" local-write\t,  0x8000 "), 0x8001);
	assert_int_equal(parse("None"), 0);
}

TEST(none_is_zero)
{
	assert_int_equal(parse("none"), 0);
	assert_int_equal(parse("0"), 0);
}

TEST(unknown_bits_pass_through_as_numbers)
{
	assert_int_equal(parse("0x8000"), 0x8000);
	assert_int_equal(parse("32768"), 0x8000);
	assert_int_equal(parse("local-write,0x80000000"), 0x80000001);
	assert_int_equal(parse("4294967295"), 0xffffffff);
	assert_int_equal(parse("0x0ffffffff"), 0xffffffff);
}

TEST(other_words_are_usage_errors_that_name_them)
{
	static const struct {
		const char *text;
		const char *named;
		int errnum;
	} cases[] = {
		{ "", "''", EINVAL },
		{ ",", "''", EINVAL },
		{ "local-write,", "''", EINVAL },
		{ ",local-write", "''", EINVAL },
		{ "local-write,,remote-read", "''", EINVAL },
		{ "none,local-write", "'none'", EINVAL },
		{ "local-write,none", "'none'", EINVAL },
		{ "LOCAL-WRITES", "'LOCAL-WRITES'", EINVAL },
		{ "local-write|", "''", EINVAL },
		{ "IBV_ACCESS_", "'IBV_ACCESS_'", EINVAL },
		{ "IBV_ACCESS_LOCAL", "'IBV_ACCESS_LOCAL'", EINVAL },
		{ "local", "'local'", EINVAL },
		{ "local-writes", "'local-writes'", EINVAL },
		{ "local-write remote-read", "'local-write remote-read'", EINVAL },
		{ "remote-read,bogus,mw-bind", "'bogus'", EINVAL },
		{ "-1", "'-1'", EINVAL },
		{ "+1", "'+1'", EINVAL },
		{ "0x", "'0x'", EINVAL },
		{ "1K", "'1K'", EINVAL },
		{ "4294967296", "'4294967296'", ERANGE },
		{ "0x100000000", "'0x100000000'", ERANGE },
		{ "local-write,4294967296", "'4294967296'", ERANGE },
		{ "99999999999999999999999999", "99999999999999999999999999", EINVAL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct mr_error err = { 0 };
		uint32_t bits = 42;
		int rc = mr_flags_parse(mr_access_flags, "access flag", cases[i].text, &bits, &err);

		assert_equal_for(cases[i].text, rc, -cases[i].errnum);
		assert_equal_for(cases[i].text, bits, 42);
		assert_equal_for(cases[i].text, err.kind, MR_ERROR_USAGE);
		assert_contains(err.text, cases[i].named);
	}
}

TEST(a_mask_is_taken_apart_from_the_lowest_bit_on)
{
	uint32_t bits = 1u << 31 | 1u << 15 | 1u << 2 | 1u;
	char raw[16];

	assert_string_equal(mr_access_next(&bits, raw), "local-write");
	assert_string_equal(mr_access_next(&bits, raw), "remote-read");
	assert_string_equal(mr_access_next(&bits, raw), "0x8000");
	assert_string_equal(mr_access_next(&bits, raw), "0x80000000");
	assert_int_equal(bits, 0);
	assert_null(mr_access_next(&bits, raw));
}
