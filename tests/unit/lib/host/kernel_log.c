// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "lib/host/kernel_log.h"
#include "tests/unit/unit.h"

static void chooses(const char *log, size_t size, const char *expected)
{
	char copy[512], text[512];

	strcpy(copy, log);
	mr_kernel_log_choose(copy, text, size);
	assert_string_equal(text, expected);
}

TEST(test_lines)
{
	chooses("a\nmlx5_core x\nb\nOut of memory: y\n", 512, "mlx5_core x\nOut of memory: y\n");
	chooses("x RDMA", 512, "x RDMA\n");
	/* a word that another one ends with is not it */
	chooses("assiw\nexrxe\n\n\n", 512, "");
	chooses("", 512, "");
}

TEST(test_room)
{
	/* the newest lines that fit, each whole */
	chooses("mlx5 1\nmlx5 2\nmlx5 3\n", 15, "mlx5 2\nmlx5 3\n");
	chooses("mlx5 1\nmlx5 2\nmlx5 3\n", 14, "mlx5 3\n");
	chooses("mlx5 1\n", 1, "");
}
