// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lib/host/mlx5_log.h"

#include <errno.h>

#include "tests/unit/unit.h"

#define ADDRESS "0000:00:10.0"
#define LINE                                                                                       \
	"<3>[   20.119095] mlx5_core 0000:00:10.0: mlx5_cmd_out_err:822:(pid 164): "               \
	"CREATE_MKEY(0x200) op_mod(0x0) failed, status limits exceeded(0x8), syndrome "            \
	"(0x5ca1e8), err(-12)"

static struct mr_mlx5_log_line line;

static bool parses(const char *text)
{
	return mr_mlx5_log_parse(text, ADDRESS, 164, &line);
}

TEST(a_line_tells_the_command_and_the_answer)
{
	assert_true(parses(LINE));
	assert_string_equal(line.command, "CREATE_MKEY");
	assert_int_equal(line.status, 8);
	assert_int_equal(line.syndrome, 0x5ca1e8);
	assert_int_equal(line.errnum, ENOMEM);
	assert_int_equal(line.age_ns, 20119095000);
}

TEST(older_kernels_do_not_tell_the_errno)
{
	assert_true(parses("[  123.000001] mlx5_core 0000:00:10.0: mlx5_cmd_check:810:(pid 164): "
			   "CREATE_MKEY(0x200) op_mod(0x0) failed, status no resources(0xf), "
			   "syndrome (0x2aac7c)"));
	assert_int_equal(line.status, 0xf);
	assert_int_equal(line.errnum, 0);
}

TEST(lines_of_others_do_not_count)
{
	assert_false(mr_mlx5_log_parse(LINE, ADDRESS, 16, &line));
	assert_false(mr_mlx5_log_parse(LINE, "0000:00:10.1", 164, &line));
}

/* The log holds what any driver or user has written to it. */
TEST(other_lines_are_passed_over)
{
	static const char *const texts[] = {
		"",
		"[",
		"mlx5_core 0000:00:10.0: (pid 164): X(0x1) failed, status a(0x1), syndrome (0x1)",
		"[99999999999999999999.1] mlx5_core 0000:00:10.0: x:1:(pid 164): A(0x1) failed, "
		"status a(0x1), syndrome (0x1)",
		"[1.1] mlx5_core 0000:00:10.0: x:1:(pid 164): (0x1) failed, status a(0x1), syndrome (0x1)",
		"[1.1] mlx5_core 0000:00:10.0: x:1:(pid 164): A(0x1) failed, status a(0x1), syndrome (",
		"[1.1] mlx5_core 0000:00:10.0: x:1:(pid 164): A(0x1) failed, status syndrome (0x1)",
		"[1.1] mlx5_core 0000:00:10.0: x:1:(pid 164): A(0x1) failed, status a(-1), syndrome (0x1)",
		"[1.1] mlx5_core 0000:00:10.0: x:1:(pid 164):",
		"[1.1] mlx5_core 0000:00:10.0: x:1:(pid 164): "
		"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA(0x1) failed, status "
		"a(0x1), syndrome (0x1)",
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_equal_for(texts[i], parses(texts[i]), false);
	/* A line that is cut anywhere before its last number. */
	for (size_t length = 0; length < strlen(LINE) - strlen("5ca1e8), err(-12)"); length++) {
		char cut[sizeof(LINE)];

		snprintf(cut, sizeof(cut), "%.*s", (int)length, LINE);
		assert_equal_for(cut, parses(cut), false);
	}
}
