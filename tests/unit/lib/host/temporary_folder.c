// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A folder that a process makes for itself, and that goes with it. */
#include "lib/host/temporary_folder.h"

#include <sys/file.h>

#include "tests/unit/one_host.h"

/* Only the folder of the host is used: it is TMPDIR. */
EACH_TEST(set_up, tear_down)

static const char *in_folder(const char *name)
{
	static char paths[2][256];
	static unsigned int next;
	char *path = paths[next++ % 2];

	snprintf(path, sizeof(paths[0]), "%s/%s", recorded.folder, name);
	return path;
}

static bool is_left(const char *name)
{
	return !access(in_folder(name), F_OK);
}

/* Makes a folder with a file in it; returns it, open. */
static int leave(const char *name, mode_t mode)
{
	char line[128];
	int fd;

	snprintf(line, sizeof(line), "/%s/file x", name);
	change(line);
	assert_int_equal(chmod(in_folder(name), mode), 0);
	fd = open(in_folder(name), O_RDONLY | O_DIRECTORY);
	assert_true(fd >= 0);
	return fd;
}

TEST(a_folder_goes_with_all_that_is_in_it)
{
	struct mr_temporary_folder folder = { .fd = -1 };
	struct mr_error err;
	char name[64];
	int fd, other;

	setenv("TMPDIR", recorded.folder, 1);
	change("/outside/file x");
	assert_int_equal(mr_temporary_folder_make(&folder, &err), 0);
	fd = folder.fd;
	strcpy(name, strrchr(folder.path, '/') + 1);
	other = open(in_folder(name), O_RDONLY | O_DIRECTORY);
	assert_int_not_equal(flock(other, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(mkdirat(fd, "below", 0700), 0);
	assert_int_equal(symlinkat(in_folder("outside"), fd, "below/link"), 0);
	assert_int_equal(mkdirat(fd, "below/deeper", 0700), 0);
	mr_temporary_folder_remove(&folder);
	assert_false(is_left(name));
	assert_true(is_left("outside/file"));
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	assert_string_equal(folder.path, "");
	mr_temporary_folder_remove(&folder);
	close(other);
	setenv("TMPDIR", in_folder("nowhere"), 1);
	assert_int_equal(mr_temporary_folder_make(&folder, &err), -ENOENT);
	assert_string_equal(folder.path, "");
	unsetenv("TMPDIR");
}

TEST(folders_that_killed_processes_have_left_go_with_the_next_one)
{
	struct mr_temporary_folder folder = { .fd = -1 };
	const int left = leave("mrctl-host-LEFT00", 0700), used = leave("mrctl-host-USED00", 0700);
	const int open_to_all = leave("mrctl-host-OPEN00", 0755);
	const int longer = leave("mrctl-host-LONGER0", 0700), other = leave("mrctl-other-ABCDE", 0700);
	const int all[] = { left, used, open_to_all, longer, other };
	struct mr_error err;

	setenv("TMPDIR", recorded.folder, 1);
	assert_int_equal(flock(used, LOCK_EX), 0);
	assert_int_equal(chmod(recorded.folder, 0777), 0); /* others may rename what is there */
	assert_int_equal(mr_temporary_folder_make(&folder, &err), 0);
	mr_temporary_folder_remove(&folder);
	assert_true(is_left("mrctl-host-LEFT00"));
	assert_int_equal(chmod(recorded.folder, 01777), 0);
	assert_int_equal(mr_temporary_folder_make(&folder, &err), 0);
	mr_temporary_folder_remove(&folder);
	assert_false(is_left("mrctl-host-LEFT00"));
	assert_true(is_left("mrctl-host-USED00") && is_left("mrctl-host-OPEN00"));
	assert_true(is_left("mrctl-host-LONGER0") && is_left("mrctl-other-ABCDE"));
	unsetenv("TMPDIR");
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		close(all[i]);
}
