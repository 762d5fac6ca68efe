// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reading paths and lines of sysfs. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/host/sysfs.h"
#include "tests/unit/unit.h"

TEST(paths_are_below_the_folder_that_libibverbs_looks_in)
{
	char path[64];

	unsetenv("SYSFS_PATH");
	assert_true(mr_sysfs_path(path, sizeof(path), "class/infiniband/%s", "mlx5_0"));
	assert_string_equal(path, "/sys/class/infiniband/mlx5_0");
	setenv("SYSFS_PATH", "/elsewhere", 1);
	assert_true(mr_sysfs_path(path, sizeof(path), "class"));
	assert_string_equal(path, "/elsewhere/class");
	unsetenv("SYSFS_PATH");
}

TEST(a_path_that_is_too_long_is_an_error)
{
	char path[12];

	assert_true(mr_sysfs_path(path, sizeof(path), "%s", "123456"));
	assert_string_equal(path, "/sys/123456");
	assert_false(mr_sysfs_path(path, sizeof(path), "%s", "1234567"));
	setenv("SYSFS_PATH", "/a/long/folder", 1);
	assert_false(mr_sysfs_path(path, sizeof(path), "x"));
	unsetenv("SYSFS_PATH");
}

TEST(the_first_line_of_a_file_is_read_without_its_end)
{
	char name[] = "/tmp/mrctl-sysfs-XXXXXX", line[8] = "before";
	FILE *f = fdopen(mkstemp(name), "w");

	assert_non_null(f);
	assert_false(mr_read_line(name, line, sizeof(line))); /* it is empty */
	fputs("one\ntwo\n", f);
	fflush(f);
	assert_true(mr_read_line(name, line, sizeof(line)));
	assert_string_equal(line, "one");
	fclose(f);
	unlink(name);
	assert_false(mr_read_line(name, line, sizeof(line)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_are_below_the_folder_that_libibverbs_looks_in),
		cmocka_unit_test(a_path_that_is_too_long_is_an_error),
		cmocka_unit_test(the_first_line_of_a_file_is_read_without_its_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
