// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Numbers, sizes, times and names as users type them. */
#include <errno.h>

#include "lib/base/number.h"
#include "tests/unit/unit.h"

typedef int (*parser)(const char *text, uint64_t *value, struct mr_error *err);

struct valid {
	const char *text;
	uint64_t value;
};

struct invalid {
	const char *text;
	int errnum;
};

static int parse_any(const char *text, uint64_t *value, struct mr_error *err)
{
	return mr_parse_u64(text, UINT64_MAX, value, err);
}

static void check_valid(parser parse, const struct valid *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct mr_error err = { 0 };
		uint64_t value = 42;
		int rc = parse(cases[i].text, &value, &err);

		assert_equal_for(cases[i].text, rc, 0);
		assert_equal_for(cases[i].text, value, cases[i].value);
	}
}

static void check_invalid(parser parse, const struct invalid *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct mr_error err = { 0 };
		uint64_t value = 42;
		int rc = parse(cases[i].text, &value, &err);

		assert_equal_for(cases[i].text, rc, -cases[i].errnum);
		assert_equal_for(cases[i].text, value, 42);
		assert_equal_for(cases[i].text, err.kind, MR_ERROR_USAGE);
		assert_contains(err.text, cases[i].text);
	}
}

#define VALID(parse, ...)                                                                          \
	do {                                                                                       \
		static const struct valid cases_[] = { __VA_ARGS__ };                              \
                                                                                                   \
		check_valid(parse, cases_, ARRAY_SIZE(cases_));                                    \
	} while (0)
#define INVALID(parse, ...)                                                                        \
	do {                                                                                       \
		static const struct invalid cases_[] = { __VA_ARGS__ };                            \
                                                                                                   \
		check_invalid(parse, cases_, ARRAY_SIZE(cases_));                                  \
	} while (0)

TEST(numbers_are_decimal_or_hexadecimal)
{
	VALID(parse_any, { "0", 0 }, { "4096", 4096 }, { "0x1f", 31 }, { "0X1F", 31 }, { "0x0", 0 },
	      { "0xaBcDeF", 0xabcdef });
}

TEST(a_leading_zero_is_not_octal)
{
	VALID(parse_any, { "010", 10 }, { "00", 0 }, { "08", 8 }, { "0x010", 16 });
}

TEST(numbers_reach_the_last_of_64_bits)
{
	VALID(parse_any, { "18446744073709551615", UINT64_MAX },
	      { "0xffffffffffffffff", UINT64_MAX },
	      { "00000000000000000000000018446744073709551615", UINT64_MAX },
	      { "9007199254740993", (UINT64_C(1) << 53) + 1 });
}

TEST(numbers_beyond_64_bits_are_out_of_range)
{
	INVALID(parse_any, { "18446744073709551616", ERANGE }, { "0x10000000000000000", ERANGE },
		{ "99999999999999999999999999999999999999999999", ERANGE },
		{ "184467440737095516150", ERANGE });
}

TEST(signs_blanks_and_trailing_characters_are_refused)
{
	INVALID(parse_any, { "", EINVAL }, { " ", EINVAL }, { "+1", EINVAL }, { "-1", EINVAL },
		{ "-0", EINVAL }, { " 1", EINVAL }, { "1 ", EINVAL }, { "1\n", EINVAL },
		{ "\t1", EINVAL }, { "1x", EINVAL }, { "0x", EINVAL }, { "0xg", EINVAL },
		{ "x1", EINVAL }, { "1.0", EINVAL }, { "1,000", EINVAL }, { "1e3", EINVAL },
		{ "0b1", EINVAL }, { "0x-1", EINVAL }, { "1K", EINVAL }, { "abc", EINVAL },
		{ "\xd9\xa1", EINVAL });
}

TEST(characters_behind_a_number_that_is_too_large_are_reported_first)
{
	INVALID(parse_any, { "99999999999999999999999x", EINVAL });
}

TEST(numbers_have_a_maximum)
{
	struct mr_error err = { 0 };
	uint64_t value = 42;

	assert_int_equal(mr_parse_u64("0xff", 255, &value, &err), 0);
	assert_int_equal(value, 255);
	assert_int_equal(mr_parse_u64("256", 255, &value, &err), -ERANGE);
	assert_int_equal(value, 255);
	assert_contains(err.text, "at most 255");
}

TEST(sizes_take_iec_suffixes)
{
	VALID(mr_parse_size, { "0", 0 }, { "1", 1 }, { "4096", 4096 }, { "64K", 65536 },
	      { "64k", 65536 }, { "64KiB", 65536 }, { "64kib", 65536 }, { "2M", 2 << 20 },
	      { "1G", 1 << 30 }, { "1T", UINT64_C(1) << 40 }, { "1P", UINT64_C(1) << 50 },
	      { "1E", UINT64_C(1) << 60 }, { "1EiB", UINT64_C(1) << 60 }, { "0E", 0 },
	      { "0x10", 16 }, { "0x10K", 16384 }, { "0xE", 14 }, { "007K", 7168 });
}

TEST(suffixes_with_b_alone_are_powers_of_1000)
{
	VALID(mr_parse_size, { "1KB", 1000 }, { "1kB", 1000 }, { "64kb", 64000 },
	      { "1MB", 1000000 }, { "1mb", 1000000 }, { "3GB", UINT64_C(3000000000) },
	      { "18EB", UINT64_C(18000000000000000000) }, { "0EB", 0 });
	INVALID(mr_parse_size, { "19EB", ERANGE }, { "18446744073709551615KB", ERANGE });
}

TEST(max_is_size_max)
{
	VALID(mr_parse_size, { "max", SIZE_MAX }, { "MAX", SIZE_MAX },
	      { "18446744073709551615", SIZE_MAX });
}

TEST(sizes_that_overflow_are_out_of_range)
{
	VALID(mr_parse_size, { "15E", UINT64_C(15) << 60 },
	      { "18014398509481983K", UINT64_C(18014398509481983) << 10 });
	INVALID(mr_parse_size, { "16E", ERANGE }, { "18014398509481984K", ERANGE },
		{ "18446744073709551616", ERANGE }, { "18446744073709551615K", ERANGE },
		{ "99999999999999999999999E", ERANGE });
}

TEST(sizes_are_strict)
{
	INVALID(mr_parse_size, { "", EINVAL }, { "K", EINVAL }, { "-1", EINVAL }, { "-1K", EINVAL },
		{ "+1K", EINVAL }, { " 1K", EINVAL }, { "1K ", EINVAL }, { "1 K", EINVAL },
		{ "1KK", EINVAL }, { "1KBB", EINVAL }, { "1Ki", EINVAL }, { "1KiBx", EINVAL },
		{ "1KBx", EINVAL }, { "1B", EINVAL }, { "1.5G", EINVAL }, { "1Z", EINVAL },
		{ "0x", EINVAL }, { "0xK", EINVAL }, { "Maxi", EINVAL }, { "max ", EINVAL },
		{ "maximum", EINVAL }, { "1iB", EINVAL });
}

TEST(page_sizes_are_powers_of_two_or_masks)
{
	VALID(mr_parse_page_sizes, { "4K", 4096 }, { "4K,2M", 0x201000 }, { "2M,4096", 0x201000 },
	      { "0x201000", 0x201000 }, { "0x3,4K", 0x1003 }, { "none", 0 }, { "0x0", 0 },
	      { "1", 1 }, { "4K, 2M", 0x201000 }, { "NONE", 0 }, { "8E", UINT64_C(1) << 63 },
	      { "0xffffffffffffffff", UINT64_MAX }, { "1GiB", 1 << 30 });
}

TEST(page_sizes_are_strict)
{
	INVALID(mr_parse_page_sizes, { "", EINVAL }, { "0", EINVAL }, { "3M", EINVAL },
		{ "max", EINVAL }, { "4X", EINVAL }, { "4K,", EINVAL }, { ",4K", EINVAL },
		{ "4K,,2M", EINVAL }, { "none,4K", EINVAL }, { "-4K", EINVAL }, { "4K 2M", EINVAL },
		{ "16E", ERANGE }, { "0x10000000000000000", ERANGE },
		{ "4096000000000000000000000000000000000", EINVAL });
}

TEST(seconds_have_a_fraction)
{
	VALID(mr_parse_seconds, { "0", 0 }, { "10", UINT64_C(10000000000) }, { "0.5", 500000000 },
	      { "1.25", 1250000000 }, { "0.000000001", 1 }, { "0.0000000009", 0 },
	      { "0.9999999999999", 999999999 }, { "2147483647", UINT64_C(2147483647000000000) });
}

TEST(seconds_are_strict)
{
	INVALID(mr_parse_seconds, { "", EINVAL }, { "-1", EINVAL }, { "+1", EINVAL },
		{ ".5", EINVAL }, { "1.", EINVAL }, { "1,5", EINVAL }, { "1s", EINVAL },
		{ "1e3", EINVAL }, { "0x1", EINVAL }, { "1.2.3", EINVAL }, { "1.5 ", EINVAL },
		{ "nan", EINVAL }, { "inf", EINVAL }, { "1.-5", EINVAL });
	INVALID(mr_parse_seconds, { "2147483648", ERANGE }, { "99999999999999999999", ERANGE });
}

#define SIXTY_THREE "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz.0123456789"

TEST(names_are_letters_digits_and_three_signs)
{
	static const char *const good[] = { "a", "Z",  "buf0", "0buf",    "1.",
					    ".", "a-", "_",    "a-b_c.D", SIXTY_THREE };
	struct mr_error err = { 0 };

	assert_int_equal(strlen(SIXTY_THREE), 63);
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_equal_for(good[i], mr_parse_name(good[i], &err), 0);
}

TEST(other_names_are_refused)
{
	static const char *const bad[] = { "",         SIXTY_THREE "x", "a b", "a/b",
					   "a,b",      "a:b",           "\n",  "a\n",
					   "\xc3\xa9", "a=b",           "-",   "-a",
					   "--size" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct mr_error err = { 0 };

		assert_equal_for(bad[i], mr_parse_name(bad[i], &err), -EINVAL);
		assert_equal_for(bad[i], err.kind, MR_ERROR_USAGE);
		assert_contains(err.text, bad[i]);
	}
}

TEST(a_name_of_digits_would_be_an_id)
{
	struct mr_error err = { 0 };

	assert_int_equal(mr_parse_name("12", &err), -EINVAL);
	assert_contains(err.text, "id");
	assert_int_equal(mr_parse_name("12.3", &err), 0);
}

TEST(rounding_up_overflows_to_zero)
{
	assert_int_equal(mr_round_up(0, 4096), 0);
	assert_int_equal(mr_round_up(1, 4096), 4096);
	assert_int_equal(mr_round_up(4096, 4096), 4096);
	assert_int_equal(mr_round_up(4097, 4096), 8192);
	assert_int_equal(mr_round_up(UINT64_MAX - 4095, 4096), UINT64_MAX - 4095);
	assert_int_equal(mr_round_up(UINT64_MAX - 4094, 4096), 0);
	assert_int_equal(mr_round_up(UINT64_MAX, 4096), 0);
}

TEST(an_item_of_a_list_is_read_as_a_number_of_its_own)
{
	struct mr_error err = { 0 };
	uint64_t value = 0;

	assert_int_equal(mr_parse_u64_item("12,34", 2, 100, &value, &err), 0);
	assert_int_equal(value, 12);
	assert_int_equal(mr_parse_u64_item("0x1f|2", 4, 100, &value, &err), 0);
	assert_int_equal(value, 0x1f);
	assert_int_equal(mr_parse_u64_item("12,34", 5, 100, &value, &err), -EINVAL);
	assert_int_equal(mr_parse_u64_item("101", 3, 100, &value, &err), -ERANGE);
	assert_int_equal(mr_parse_u64_item("000000000000000000000000012", 27, 100, &value, &err),
			 -EINVAL);
	assert_contains(err.text, "is too large");
	assert_int_equal(value, 0x1f);
}
