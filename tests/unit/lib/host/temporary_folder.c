// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A folder that a process makes for itself, and that goes with it. */
#include "lib/host/reading.h"

#include "tests/unit/one_host.h"

/* Only the folder of the host is used: it is TMPDIR. */
EACH_TEST(set_up, tear_down)

static bool is_left(const char *name)
{
	return !access(in_folder(name), F_OK);
}

TEST(a_folder_goes_with_all_that_is_in_it)
{
	struct mr_temporary_folder folder = { .fd = -1 };
	struct mr_error err;
	char name[64];
	int fd;

	setenv("TMPDIR", recorded.folder, 1);
	change("/outside/file x");
	assert_int_equal(mr_temporary_folder_make(&folder, &err), 0);
	fd = folder.fd;
	strcpy(name, strrchr(folder.path, '/') + 1);
	assert_int_equal(mkdirat(fd, "below", 0700), 0);
	assert_int_equal(symlinkat(in_folder("outside"), fd, "below/link"), 0);
	assert_int_equal(mkdirat(fd, "below/deeper", 0700), 0);
	mr_temporary_folder_remove(&folder);
	assert_false(is_left(name));
	assert_true(is_left("outside/file"));
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	assert_string_equal(folder.path, "");
	mr_temporary_folder_remove(&folder);
	setenv("TMPDIR", in_folder("nowhere"), 1);
	assert_int_equal(mr_temporary_folder_make(&folder, &err), -ENOENT);
	assert_string_equal(folder.path, "");
	unsetenv("TMPDIR");
}
