// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The memory options' defaults and limits. */
#include "cmd/cli/cli.h"
#include "cmd/region/region.h"
#include "tests/unit/unit.h"

static const struct option_group group = { "Memory", memory_options };
static const struct option_group *const groups[] = { &group, NULL };
static const struct command command = {
	.name = "cmd", .groups = groups, .args_size = sizeof(struct memory_args)
};

static int plan(const char *text, struct memory_plan *result, struct mr_error *err)
{
	const struct command *const commands[] = { &command, NULL };
	char *argv[16] = { (char *)"cmd" }, **operands, copy[256];
	struct global_args global = { 0 };
	struct parser parser;
	int argc = 1, rc;

	snprintf(copy, sizeof(copy), "%s", text);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	if (parser_init(&parser, &command, &global, err) ||
	    parser_read(&parser, commands, argv, &operands, err))
		fail_msg("%s", err->text);
	rc = memory_plan_init(result, parser.args, (uint64_t)getpagesize(), err);
	parser_release(&parser);
	return rc;
}

static struct memory_plan good_plan(const char *text)
{
	struct memory_plan result;
	struct mr_error err = { 0 };

	if (plan(text, &result, &err))
		fail_msg("'%s': %s", text, err.text);
	return result;
}

TEST(the_mapping_holds_all_regions_of_a_count)
{
	const uint64_t page = (uint64_t)getpagesize();
	const struct {
		const char *text;
		uint64_t stride, length;
	} rows[] = {
		{ "--size 5000 --count 3", mr_round_up(5000, page),
		  2 * mr_round_up(5000, page) + 5000 },
		{ "--size 8K --count 4 --stride 100", 100, 300 + 8192 },
		{ "--size 8K --count 4 --stride 0", 0, 8192 },
		/* a single range may be anything */
		{ "--size max", 0, SIZE_MAX },
		{ "--size 0", 0, 0 },
		{ "--size max --count 1", 0, SIZE_MAX },
		{ "--size max --count 2 --stride 0", 0, SIZE_MAX },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct memory_plan p = good_plan(rows[i].text);

		assert_equal_for(rows[i].text, p.stride, rows[i].stride);
		assert_equal_for(rows[i].text, p.mapping.length, rows[i].length);
	}
}

TEST(plans_that_make_no_sense_are_usage_errors)
{
	static const struct {
		const char *text, *message;
		int errnum;
	} rows[] = {
		{ "--stride 4K --count 1", "--stride requires --count", EINVAL },
		{ "--memory none --populate", "--populate", EINVAL },
		{ "--memory unmapped --populate", "--populate", EINVAL },
		{ "--memory none --numa 0", "--numa", EINVAL },
		{ "--memory dm", "only reg supports", EINVAL },
		{ "--size 1 --count 18446744073709551615", "64-bit addresses", ERANGE },
		{ "--size 4K --count 2 --stride max", "64-bit addresses", ERANGE },
		{ "--size 1 --count 4 --stride 9E", "64-bit addresses", ERANGE },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct memory_plan p;
		struct mr_error err = { 0 };

		assert_equal_for(rows[i].text, plan(rows[i].text, &p, &err), -rows[i].errnum);
		assert_equal_for(rows[i].text, err.kind, MR_ERROR_USAGE);
		assert_contains(err.text, rows[i].message);
	}
}
