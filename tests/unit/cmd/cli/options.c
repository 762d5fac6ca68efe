// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tables of options, and how the words of a command line are read by them. */
#include "cmd/cli/cli.h"
#include "lib/memory/memory.h"
#include "tests/unit/unit.h"

struct args {
	bool flag;
	bool all;
	const char *string;
	const char *name;
	struct mr_opt_u64 size;
	struct mr_opt_u64 number;
	struct mr_opt_u64 seconds;
	struct access_option access;
	struct mr_memory_kind memory;
	struct expect_option expect;
	struct mr_opt_u64 pages;
	const char *columns;
	struct via_option via;
};

static const struct option_spec options[] = {
	OPTION('f', "flag", flag, struct args, flag, NULL, ""),
	OPTION(0, "flag-all", flag, struct args, all, NULL, ""),
	OPTION('t', "string", string, struct args, string, "TEXT", ""),
	OPTION(0, "name", name, struct args, name, "NAME", ""),
	OPTION('s', "size", size, struct args, size, "SIZE", ""),
	OPTION('u', "number", number, struct args, number, "N", ""),
	OPTION(0, "seconds", seconds, struct args, seconds, "SECONDS", ""),
	OPTION('a', "access", access, struct args, access, "FLAG", ""),
	OPTION('m', "memory", memory, struct args, memory, "KIND", ""),
	OPTION(0, "expect", expect, struct args, expect, "ANSWER", ""),
	OPTION(0, "pages", pages, struct args, pages, "SIZE,...", ""),
	OPTION('l', "columns", columns, struct args, columns, "COLUMN,...", ""),
	OPTION(0, "via", via, struct args, via, "PATH", ""),
	OPTION_END,
};
static const struct option_group group = { "Test", options };
static const struct option_group *const groups[] = { &group, NULL };
static const struct command commands[] = {
	{ .name = "cmd", .groups = groups, .args_size = sizeof(struct args) },
	{ .name = "run", .groups = groups, .args_size = sizeof(struct args), .runs_program = true },
};
static const struct command *const all[] = { &commands[0], NULL };

/* Owns the arguments, and the joined lists that they point to: kept until the next command line is read. */
static struct parser current;
static struct global_args global;

/* A command line, and the result of reading it. */
struct line {
	struct args args;
	struct mr_error err;
	char **operands;
	int rc;
	char *argv[32];
	char copy[256];
};

/* Reads @text, whose words are separated by one blank; empty words are left out. */
static struct line *parse_with(struct line *line, bool runs_program, const char *text)
{
	int argc = 1;

	*line = (struct line){ .argv = { (char *)"cmd" } };
	snprintf(line->copy, sizeof(line->copy), "%s", text);
	for (char *word = strtok(line->copy, " "); word; word = strtok(NULL, " "))
		line->argv[argc++] = word;
	parser_release(&current);
	assert_int_equal(parser_init(&current, &commands[runs_program], &global, &line->err), 0);
	line->rc = parser_read(&current, all, line->argv, &line->operands, &line->err);
	line->args = *(const struct args *)current.args;
	return line;
}

static const struct args *parse(struct line *line, const char *text)
{
	parse_with(line, false, text);
	if (line->rc)
		fail_msg("'%s': %s", text, line->err.text);
	return &line->args;
}

static void check_usage(const char *text, const char *message)
{
	struct line line;

	parse_with(&line, false, text);
	assert_equal_for(text, line.rc < 0, 1);
	assert_equal_for(text, line.err.kind, MR_ERROR_USAGE);
	assert_contains(line.err.text, message);
}

static bool expects(const struct expect_option *expect, int errnum)
{
	return expect->errnums[errnum / 64] >> errnum % 64 & 1;
}

TEST(options_fill_their_members)
{
	struct line line;
	const struct args *a = parse(&line, "-f --string text --name buf0 --size 64K --number 0x10 "
					    "--seconds 1.5 --access remote-read --memory memfd "
					    "--via KERNEL");

	assert_true(a->flag);
	assert_false(a->all);
	assert_string_equal(a->string, "text");
	assert_string_equal(a->name, "buf0");
	assert_true(a->size.known);
	assert_int_equal(a->size.value, 65536);
	assert_int_equal(a->number.value, 16);
	assert_int_equal(a->seconds.value, 1500000000);
	assert_true(a->access.given);
	assert_int_equal(a->access.bits, 4);
	assert_int_equal(a->memory.type, MR_MEMORY_MEMFD);
	assert_true(a->via.given);
	assert_string_equal(mr_via_name(a->via.path), "kernel");
	assert_false(a->expect.given);
	/* of the line before, nothing is left */
	a = parse(&line, "");
	assert_false(a->flag || a->size.known || a->number.known || a->access.given);
	assert_null(a->string);
	assert_null(a->memory.text);
	assert_null(*line.operands);
}

TEST(values_follow_in_every_usual_form)
{
	static const char *const forms[] = { "--size=4096", "--size 4096", "-s 4096",
					     "-s4096",      "-fs4096",     "-fs 4096" };
	struct line line;

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		assert_equal_for(forms[i], parse(&line, forms[i])->size.value, 4096);
	assert_string_equal(parse(&line, "--string --flag")->string, "--flag");
	assert_false(line.args.flag);
	assert_string_equal(parse(&line, "--string=")->string, "");
	assert_string_equal(parse(&line, "--string=a=b")->string, "a=b");
	assert_true(parse(&line, "-f --flag -f")->flag);
}

TEST(lists_add_up)
{
	struct line line;
	const struct args *a = parse(
		&line, "-a remote-read --access local-write,0x8000 -a 2 --expect ok "
		       "--expect EINVAL,enomem --pages 4K --pages 2M -l id -l a,b --columns c");

	assert_int_equal(a->access.bits, 0x8007);
	assert_true(a->expect.given && a->expect.ok);
	assert_true(expects(&a->expect, EINVAL) && expects(&a->expect, ENOMEM));
	assert_false(expects(&a->expect, EAGAIN));
	assert_int_equal(a->pages.value, 0x201000);
	assert_string_equal(a->columns, "id,a,b,c");
	assert_int_equal(parse(&line, "-a remote-read")->access.bits, 4);
	assert_string_equal(parse(&line, "-l id")->columns, "id");
	assert_int_equal(parse(&line, "-a none -a none")->access.bits, 0);
	assert_int_equal(parse(&line, "-a 0 -a local-write")->access.bits, 1);
	a = parse(&line, "--expect ENOTSUPP");
	assert_true(expects(&a->expect, 524) && !a->expect.ok);
}

TEST(command_lines_that_make_no_sense_are_usage_errors)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{ "-s 1K --size=2", "--size: given twice, '1K' and '2'" },
		{ "-s 1 -s 1", "--size: given twice, " },
		{ "-u 1 -u 2", "--number: given twice, " },
		{ "--seconds 1 --seconds 2", "--seconds: given twice, " },
		{ "--string a --string b", "--string: given twice, " },
		{ "--name a --name b", "--name: given twice, " },
		{ "-m anon -m thp", "--memory: given twice, " },
		{ "--via kernel --via kernel", "--via: given twice, " },
		{ "-a none -a local-write", "--access: 'local-write' contradicts 'none'" },
		{ "-a local-write -a none", "--access: 'none' contradicts 'local-write'" },
		{ "--pages 4K --pages none", "--pages: 'none' contradicts '4K'" },
		{ "--siz 4096", "unknown option '--siz' (names are not abbreviated; --size exists" },
		{ "--siz=4096", "unknown option '--siz' (names are not abbreviated; --size exists" },
		{ "x --nam a", "unknown option '--nam'" },
		{ "--s 1", "unknown option '--s'" },
		{ "--flag-al", "unknown option '--flag-al'" },
		{ "--bogus=1", "unknown option '--bogus'" },
		{ "-z", "unknown option '-z'" },
		{ "-fz", "unknown option '-z'" },
		{ "--size 1 operand --bogus", "unknown option '--bogus'" },
		{ "-s", "option '-s' requires a value" },
		{ "--size=", "--size: invalid size ''" },
		{ "--number 18446744073709551616", "--number: number" },
		{ "--access bogus", "--access: unknown access flag 'bogus'" },
		{ "--via kernle", "--via: unknown path 'kernle': did you mean 'kernel'?" },
		{ "--expect EINVAL,x", "unknown answer 'x'" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check_usage(rows[i].text, rows[i].message);
}

TEST(global_options_before_the_command_belong_to_it)
{
	char *argv[] = { (char *)"mrctl", (char *)"-d", (char *)"a", (char *)"cmd", NULL };
	char *twice[] = { (char *)"cmd", (char *)"--device", (char *)"b", NULL }, **operands;
	struct mr_error err;

	parser_release(&current);
	assert_int_equal(parser_init(&current, NULL, &global, &err), 0);
	assert_int_equal(parser_read(&current, all, argv, &operands, &err), 0);
	assert_string_equal(global.device, "a");
	assert_string_equal(*operands, "cmd");
	parser_release(&current);
	assert_int_equal(parser_init(&current, &commands[0], &global, &err), 0);
	assert_int_equal(parser_read(&current, all, twice, &operands, &err), -EINVAL);
	assert_contains(err.text, "--device: given twice, 'a' and 'b'");
	global.device = NULL;
}

TEST(operands_are_words_between_options_and_all_behind_two_dashes)
{
	static const struct {
		const char *text;
		bool stop_early;
		const char *operands[4];
	} rows[] = {
		{ "one -s 1 two --flag", false, { "one", "two" } },
		{ "-f one two", false, { "one", "two" } },
		{ "--flag -- --flag-all -s", false, { "--flag-all", "-s" } },
		{ "-f program --bogus -s", true, { "program", "--bogus", "-s" } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct line line;
		size_t n = 0;

		parse_with(&line, rows[i].stop_early, rows[i].text);
		assert_equal_for(rows[i].text, line.rc, 0);
		assert_true(line.args.flag && !line.args.all);
		for (; rows[i].operands[n]; n++)
			assert_string_equal(line.operands[n], rows[i].operands[n]);
		assert_null(line.operands[n]);
	}
}

static int forget_options(void **state __attribute__((unused)))
{
	parser_release(&current);
	return 0;
}

ALL_TESTS(NULL, forget_options)
