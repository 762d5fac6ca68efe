// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lists of sizes and numbers, as users type them. */
#include <errno.h>
#include <stdlib.h>

#include "cmd/bench/sweep.h"
#include "tests/unit/unit.h"

static struct mr_error err;

static struct sweep read_with(const struct option_type *type, const char *text, int expected)
{
	struct sweep sweep = { .count = 0 };

	assert_equal_for(text, type->read(text, &sweep, &err), expected);
	return sweep;
}

static void assert_values(const struct sweep *sweep, const uint64_t *values, size_t count)
{
	assert_int_equal(sweep->count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(sweep->values[i], values[i]);
}

TEST(sizes_go_up_by_four_and_the_end_belongs_to_them)
{
	const struct sweep sweep = read_with(&option_type_sizes, "4K..1M", 0);
	const struct sweep odd = read_with(&option_type_sizes, "3..20", 0);

	assert_values(&sweep, (const uint64_t[]){ 4096, 16384, 65536, 262144, 1048576 }, 5);
	assert_values(&odd, (const uint64_t[]){ 3, 12, 20 }, 3);
}

TEST(numbers_go_up_by_two)
{
	const struct sweep sweep = read_with(&option_type_counts, "1..6,16", 0);

	assert_values(&sweep, (const uint64_t[]){ 1, 2, 4, 6, 16 }, 5);
}

TEST(values_stay_in_order_and_come_once)
{
	const struct sweep sweep = read_with(&option_type_sizes, "1M,4K,1M,4K..16K", 0);

	assert_values(&sweep, (const uint64_t[]){ 1048576, 4096, 16384 }, 3);
}

TEST(the_largest_number_ends_a_range)
{
	const struct sweep sweep = read_with(&option_type_sizes, "1..max", 0);

	assert_int_equal(sweep.count, 33);
	assert_int_equal(sweep.values[32], UINT64_MAX);
}

TEST(what_is_no_list_is_refused)
{
	static const char *const texts[] = {
		"",        ",",
		"4K,",     ",4K",
		"..",      "4K..",
		"..4K",    "4K..1K",
		"0",       "1..0",
		"x",       "-1",
		"4K...8K", "99999999999999999999999999999999999999999999"
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct sweep sweep = { .count = 0 };

		assert_true(option_type_sizes.read(texts[i], &sweep, &err) < 0);
		assert_int_equal(err.kind, MR_ERROR_USAGE);
	}
}

TEST(a_list_has_an_end)
{
	char text[SWEEP_MAX * 8] = "1";
	struct sweep sweep = { .count = 0 };

	for (int i = 2; i <= SWEEP_MAX + 1; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), ",%d", i);
	assert_int_equal(option_type_counts.read(text, &sweep, &err), -E2BIG);
	assert_int_equal(sweep.count, SWEEP_MAX);
}

TEST(what_is_occupied_is_a_count_and_bytes)
{
	struct sweep_occupied occupied;

	assert_int_equal(option_type_occupied.read("10000,64K", &occupied, &err), 0);
	assert_int_equal(occupied.count, 10000);
	assert_int_equal(occupied.bytes, 65536);
	assert_true(option_type_occupied.read("10000", &occupied, &err) < 0);
	assert_true(option_type_occupied.read("0,4K", &occupied, &err) < 0);
	assert_true(option_type_occupied.read("5,0", &occupied, &err) < 0);
	assert_true(option_type_occupied.read("1,2,3", &occupied, &err) < 0);
	assert_true(option_type_occupied.read("200000000,1", &occupied, &err) < 0);
}

TEST(a_percentage_has_one_decimal_at_most)
{
	static const struct {
		const char *text;
		uint64_t thousandths;
	} right[] = { { "5%", 50 }, { "5", 50 }, { "2.5%", 25 }, { "0", 0 }, { "1000%", 10000 } };
	static const char *const wrong[] = { "",     "%",     "5%%", "-5%", "5.%", ".5%",
					     "5.55", "1001%", "5 %", "x",   "5e1" };
	struct mr_opt_u64 part;

	for (size_t i = 0; i < ARRAY_SIZE(right); i++) {
		assert_int_equal(option_type_percent.read(right[i].text, &part, &err), 0);
		assert_equal_for(right[i].text, part.value, right[i].thousandths);
	}
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_equal_for(wrong[i], option_type_percent.read(wrong[i], &part, &err),
				 -EINVAL);
}
