// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lists of sizes and numbers, as users type them. */
#include "cmd/bench/bench.h"
#include "tests/unit/unit.h"

static struct mr_error err;

TEST(lists_have_numbers_and_ranges_and_each_value_once)
{
	static const struct {
		const struct option_type *type;
		const char *text;
		uint64_t values[8];
	} rows[] = {
		{ &option_type_sizes, "4K..1M", { 4096, 16384, 65536, 262144, 1048576 } },
		{ &option_type_sizes, "3..20", { 3, 12, 20 } },
		{ &option_type_sizes, "5..5", { 5 } },
		{ &option_type_sizes, "1M,4K,1M,4K..16K", { 1048576, 4096, 16384 } },
		{ &option_type_counts, "1..6,16", { 1, 2, 4, 6, 16 } },
	};
	struct sweep sweep = { .count = 0 };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t n = 0;

		sweep.count = 0;
		assert_equal_for(rows[i].text, rows[i].type->read(rows[i].text, &sweep, &err), 0);
		for (; rows[i].values[n]; n++)
			assert_equal_for(rows[i].text, sweep.values[n], rows[i].values[n]);
		assert_equal_for(rows[i].text, sweep.count, n);
	}
	sweep.count = 0;
	assert_int_equal(option_type_sizes.read("1..max", &sweep, &err), 0);
	assert_int_equal(sweep.count, 33);
	assert_int_equal(sweep.values[32], UINT64_MAX);
}

TEST(what_is_no_list_is_refused)
{
	static const char *const texts[] = {
		"",      ",",    "4K,",    ",4K",     "..",
		"4K..",  "..4K", "4K..1K", "0",       "1..0",
		"0..4K", "x",    "-1",     "4K...8K", "99999999999999999999999999999999999999999999"
	};
	char text[SWEEP_MAX * 8] = "1";
	struct sweep sweep = { .count = 0 };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_equal_for(texts[i], option_type_sizes.read(texts[i], &sweep, &err) < 0, true);
		assert_equal_for(texts[i], err.kind, MR_ERROR_USAGE);
	}
	sweep.count = 0;
	assert_int_equal(option_type_counts.read("4096", &sweep, &err), 0);
	assert_int_equal(option_type_counts.read("4097", &sweep, &err), -ERANGE);
	for (int i = 2; i <= SWEEP_MAX + 1; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), ",%d", i);
	sweep.count = 0;
	assert_int_equal(option_type_counts.read(text, &sweep, &err), -E2BIG);
	assert_int_equal(sweep.count, SWEEP_MAX);
}

TEST(what_is_occupied_is_a_count_and_bytes)
{
	static const struct {
		const char *text;
		int rc;
	} rows[] = { { "10000,64K", 0 },  { "100000000,1", 0 },      { "10000", -EINVAL },
		     { "0,4K", -ERANGE }, { "5,0", -ERANGE },        { "1,2,3", -EINVAL },
		     { "5,", -EINVAL },   { "100000001,1", -ERANGE } };
	struct sweep_occupied occupied;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_equal_for(rows[i].text,
				 option_type_occupied.read(rows[i].text, &occupied, &err),
				 rows[i].rc);
	option_type_occupied.read("10000,64K", &occupied, &err);
	assert_int_equal(occupied.count, 10000);
	assert_int_equal(occupied.bytes, 65536);
}

TEST(a_percentage_is_kept_in_thousandths)
{
	static const struct {
		const char *text;
		uint64_t thousandths;
	} right[] = { { "5%", 50 }, { "5", 50 }, { "2.5%", 25 }, { ".5", 5 }, { "0", 0 }, { "1000%", 10000 } };
	static const char *const wrong[] = { "",  "%",     "5%%", "-5%", "5..%", ".%",
					     " 5", "1001%", "5 %", "x",   "5e1" };
	struct mr_opt_u64 part;

	for (size_t i = 0; i < ARRAY_SIZE(right); i++) {
		assert_int_equal(option_type_percent.read(right[i].text, &part, &err), 0);
		assert_equal_for(right[i].text, part.value, right[i].thousandths);
	}
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_equal_for(wrong[i], option_type_percent.read(wrong[i], &part, &err),
				 -EINVAL);
}
