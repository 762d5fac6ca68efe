// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The memory options' defaults and limits. */
#include "cmd/cli/command.h"
#include "cmd/region/memory_args.h"
#include "tests/unit/unit.h"

/* The options of the last command line, which own the texts that a plan points to. */
static struct options *current;

static const struct option_group memory_options_group = { "Memory", memory_options, 0 };

static int plan(const char *text, struct memory_plan *result, struct mr_error *err)
{
	struct memory_args args = { 0 };
	const struct option_binding bindings[] = { { &memory_options_group, &args }, { 0 } };
	char *argv[16] = { (char *)"cmd" }, **operands, copy[256];
	int argc = 1;

	snprintf(copy, sizeof(copy), "%s", text);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	options_free(current);
	current = options_new(bindings, false, err);
	if (options_read(current, argc, argv, &operands, err))
		fail_msg("%s", err->text);
	return memory_plan_init(result, &args, (uint64_t)getpagesize(), err);
}

static struct memory_plan good_plan(const char *text)
{
	struct memory_plan result;
	struct mr_error err = { 0 };

	if (plan(text, &result, &err))
		fail_msg("'%s': %s", text, err.text);
	return result;
}

TEST(a_plan_is_one_page_of_anon_unless_options_say_otherwise)
{
	struct memory_plan p = good_plan("");
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	assert_int_equal(p.size, page);
	assert_int_equal(p.count, 1);
	assert_int_equal(p.mapping.length, page);
	assert_int_equal(p.mapping.kind.type, MR_MEMORY_ANON);
	assert_string_equal(p.mapping.kind.text, "anon");
	assert_false(p.mapping.populate || p.mapping.addr.known || p.mapping.node.known);
}

TEST(regions_of_a_count_lie_in_whole_pages_behind_one_another)
{
	struct memory_plan p = good_plan("--size 5000 --count 3");
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	assert_int_equal(p.stride, mr_round_up(5000, page));
	assert_int_equal(p.mapping.length, 2 * p.stride + 5000);
}

TEST(a_stride_may_let_regions_overlap)
{
	struct memory_plan p = good_plan("--size 8K --count 4 --stride 100");

	assert_int_equal(p.stride, 100);
	assert_int_equal(p.mapping.length, 300 + 8192);
	p = good_plan("--size 8K --count 4 --stride 0");
	assert_int_equal(p.mapping.length, 8192);
}

TEST(a_single_range_may_be_anything)
{
	assert_int_equal(good_plan("--size max").mapping.length, SIZE_MAX);
	assert_int_equal(good_plan("--size 0").mapping.length, 0);
	assert_int_equal(good_plan("--size max --count 1").mapping.length, SIZE_MAX);
	assert_int_equal(good_plan("--size max --count 2 --stride 0").mapping.length, SIZE_MAX);
}

TEST(plans_that_make_no_sense_are_usage_errors)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "--count 0", "--count" },
		{ "--stride 4K", "--stride needs --count" },
		{ "--stride 4K --count 1", "--stride needs --count" },
		{ "--memory none --populate", "--populate" },
		{ "--memory unmapped --populate", "--populate" },
		{ "--memory none --numa 0", "--numa" },
		{ "--size max --count 2", "64 bits" },
		{ "--size 1 --count 18446744073709551615", "64 bits" },
		{ "--size 4K --count 2 --stride max", "64 bits" },
		{ "--size 1 --count 4 --stride 9E", "64 bits" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct memory_plan p;
		struct mr_error err = { 0 };

		assert_equal_for(cases[i].text, plan(cases[i].text, &p, &err) < 0, 1);
		assert_equal_for(cases[i].text, err.kind, MR_ERROR_USAGE);
		assert_contains(err.text, cases[i].message);
	}
}

static int forget_options(void **state __attribute__((unused)))
{
	options_free(current);
	return 0;
}

ALL_TESTS(NULL, forget_options)
