// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Numbers, sizes, times and names as users type them. */
#include "lib/base/base.h"
#include "tests/unit/unit.h"

typedef int (*parser)(const char *text, uint64_t *value, struct mr_error *err);

struct valid {
	const char *text;
	uint64_t value;
};

static void check_valid(parser parse, const struct valid *rows)
{
	for (; rows->text; rows++) {
		struct mr_error err = { 0 };
		uint64_t value = 42;

		assert_equal_for(rows->text, parse(rows->text, &value, &err), 0);
		assert_equal_for(rows->text, value, rows->value);
	}
}

static void check_refused(parser parse, int errnum, const char *const *texts)
{
	for (; *texts; texts++) {
		struct mr_error err = { 0 };
		uint64_t value = 42;

		assert_equal_for(*texts, parse(*texts, &value, &err), -errnum);
		assert_equal_for(*texts, value, 42);
		assert_equal_for(*texts, err.kind, MR_ERROR_USAGE);
		assert_contains(err.text, *texts);
	}
}

#define VALID(parse, ...) check_valid(parse, (const struct valid[]){ __VA_ARGS__, { NULL, 0 } })
#define REFUSED(parse, errnum, ...)                                                                \
	check_refused(parse, errnum, (const char *const[]){ __VA_ARGS__, NULL })

static int parse_any(const char *text, uint64_t *value, struct mr_error *err)
{
	return mr_parse_u64(text, UINT64_MAX, value, err);
}

static int parse_byte(const char *text, uint64_t *value, struct mr_error *err)
{
	return mr_parse_u64(text, 255, value, err);
}

TEST(numbers_are_decimal_or_hexadecimal)
{
	VALID(parse_any, { "0", 0 }, { "0x1f", 31 }, { "0X1F", 31 }, { "0xaBcDeF", 0xabcdef },
	      { "010", 10 }, { "0x010", 16 }, { "9007199254740993", (UINT64_C(1) << 53) + 1 },
	      { "00000000000000000000000018446744073709551615", UINT64_MAX },
	      { "0xffffffffffffffff", UINT64_MAX });
	REFUSED(parse_any, ERANGE, "18446744073709551616", "0x10000000000000000",
		"184467440737095516150");
	REFUSED(parse_any, EINVAL, "99999999999999999999999x", "", "+1", "-0", " 1", "1\n", "1x",
		"0x", "0xg", "1.0", "1e3", "0x-1", "1K", "\xd9\xa1");
	VALID(parse_byte, { "0xff", 255 });
	REFUSED(parse_byte, ERANGE, "256");
}

TEST(sizes_have_suffixes_of_1024_and_with_b_alone_of_1000)
{
	VALID(mr_parse_size, { "0", 0 }, { "4096", 4096 }, { "64K", 65536 }, { "64k", 65536 },
	      { "64KiB", 65536 }, { "64kib", 65536 }, { "2M", 2 << 20 }, { "1G", 1 << 30 },
	      { "1T", UINT64_C(1) << 40 }, { "1P", UINT64_C(1) << 50 },
	      { "1EiB", UINT64_C(1) << 60 }, { "0x10K", 16384 }, { "0xE", 14 }, { "007K", 7168 },
	      { "1KB", 1000 }, { "64kb", 64000 }, { "18EB", UINT64_C(18000000000000000000) },
	      { "max", SIZE_MAX }, { "MAX", SIZE_MAX }, { "15E", UINT64_C(15) << 60 },
	      { "18014398509481983K", UINT64_C(18014398509481983) << 10 });
	REFUSED(mr_parse_size, ERANGE, "18014398509481984K", "16E", "19EB", "18446744073709551616",
		"99999999999999999999999E");
	REFUSED(mr_parse_size, EINVAL, "", "K", "-1K", " 1K", "1K ", "1 K", "1KK", "1KBB", "1Ki",
		"1KiBx", "1B", "1.5G", "1Z", "0xK", "maximum", "1iB");
}

TEST(page_sizes_are_powers_of_two_or_masks)
{
	VALID(mr_parse_page_sizes, { "4K", 4096 }, { "2M,4096", 0x201000 }, { "4K, 2M", 0x201000 },
	      { "0x201000", 0x201000 }, { "0x3,4K", 0x1003 }, { "NONE", 0 }, { "0x0", 0 },
	      { "1", 1 }, { "8E", UINT64_C(1) << 63 }, { "0xffffffffffffffff", UINT64_MAX },
	      { "0000000000000000000000000004096", 4096 });
	REFUSED(mr_parse_page_sizes, EINVAL, "00000000000000000000000000004096", "", "0", "3M",
		"max", "4X", "4K,", ",4K", "none,4K", "-4K", "4K 2M");
	REFUSED(mr_parse_page_sizes, ERANGE, "16E");
}

TEST(seconds_have_a_fraction)
{
	VALID(mr_parse_seconds, { "0", 0 }, { "10", UINT64_C(10000000000) }, { "0.5", 500000000 },
	      { "0.000000001", 1 }, { "0.0000000009", 0 }, { "0.9999999999999", 999999999 },
	      { "2147483647", UINT64_C(2147483647000000000) });
	REFUSED(mr_parse_seconds, ERANGE, "2147483648", "99999999999999999999");
	REFUSED(mr_parse_seconds, EINVAL, "", "-1", ".5", "1.", "1,5", "1s", "0x1", "1.2.3", "1.-5",
		"nan");
}

#define SIXTY_THREE "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz.0123456789"

static int parse_name(const char *text, uint64_t *value, struct mr_error *err)
{
	*value = 42;
	return mr_parse_name(text, err);
}

TEST(names_are_letters_digits_and_three_signs_but_not_digits_alone)
{
	VALID(parse_name, { "a", 42 }, { "Z", 42 }, { "0buf", 42 }, { "12.3", 42 }, { ".", 42 },
	      { "a-b_c.D", 42 }, { SIXTY_THREE, 42 });
	REFUSED(parse_name, EINVAL, SIXTY_THREE "x", "", "a b", "a/b", "a,b", "a:b", "a\n",
		"\xc3\xa9", "-", "--size", "12");
}

TEST(rounding_up_overflows_to_zero)
{
	static const struct {
		uint64_t value, rounded;
	} rows[] = {
		{ 0, 0 },
		{ 1, 4096 },
		{ 4096, 4096 },
		{ 4097, 8192 },
		{ UINT64_MAX, 0 },
		{ UINT64_MAX - 4095, UINT64_MAX - 4095 },
		{ UINT64_MAX - 4094, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_equal_for(row_name(i), mr_round_up(rows[i].value, 4096), rows[i].rounded);
}

TEST(an_item_of_a_list_is_read_as_a_number_of_its_own)
{
	static const struct {
		const char *item;
		size_t length;
		int rc;
		uint64_t value;
	} rows[] = {
		{ "12,34", 2, 0, 12 },
		{ "0x1f|2", 4, 0, 0x1f },
		{ "12,34", 5, -EINVAL, 42 },
		{ "101", 3, -ERANGE, 42 },
		{ "00000000000000000000012", 23, 0, 12 },
		{ "000000000000000000000012", 24, -EINVAL, 42 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct mr_error err = { 0 };
		uint64_t value = 42;

		assert_equal_for(rows[i].item,
				 mr_parse_u64_item(rows[i].item, rows[i].length, 100, &value, &err),
				 rows[i].rc);
		assert_equal_for(rows[i].item, value, rows[i].value);
	}
}
