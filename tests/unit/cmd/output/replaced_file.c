// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Files that are written whole or not at all. */
#include <sys/resource.h>
#include <sys/stat.h>

#include "cmd/output/output.h"
#include "tests/unit/unit.h"

static char folder[64];
static char path[128];
static struct mr_error err;

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/replaced.XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/file", folder);
	err = (struct mr_error){ 0 };
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder); /* fails where a test left another file */
}

static int write_text(const char *to, const char *text)
{
	struct replaced_file file;
	int rc = replaced_file_open(&file, to, &err);

	if (rc)
		return rc;
	fputs(text, file.stream);
	return replaced_file_close(&file, &err);
}

static const char *content(void)
{
	static char text[64];
	FILE *file = fopen(path, "r");
	size_t length;

	assert_non_null(file);
	length = fread(text, 1, sizeof(text) - 1, file);
	text[length] = '\0';
	fclose(file);
	return text;
}

TEST(a_file_is_replaced_at_once_with_the_mode_that_the_umask_leaves)
{
	const mode_t before = umask(027);
	struct replaced_file file;
	struct stat st;

	assert_int_equal(write_text(path, "old"), 0);
	umask(before);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_int_equal(replaced_file_open(&file, path, &err), 0);
	fputs("new", file.stream);
	fflush(file.stream);
	assert_string_equal(content(), "old");
	assert_int_equal(replaced_file_close(&file, &err), 0);
	assert_string_equal(content(), "new");
}

/* The limit of the size of files stands for a disk that becomes full. */
TEST(an_old_file_survives_where_the_new_one_cannot_be_written)
{
	struct rlimit before, limit;
	void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
	int rc;

	assert_int_equal(write_text(path, "old"), 0);
	getrlimit(RLIMIT_FSIZE, &before);
	limit = (struct rlimit){ .rlim_cur = 4, .rlim_max = before.rlim_max };
	setrlimit(RLIMIT_FSIZE, &limit);
	rc = write_text(path, "a new text");
	setrlimit(RLIMIT_FSIZE, &before);
	signal(SIGXFSZ, handler);
	assert_int_equal(rc, -EFBIG);
	assert_int_equal(err.kind, MR_ERROR_HOST);
	assert_contains(err.text, "/file: write: EFBIG");
	assert_string_equal(content(), "old");
}

TEST(a_file_that_cannot_be_opened_or_renamed_is_an_error_and_leaves_nothing)
{
	char longest[PATH_MAX + 1] = "";
	struct replaced_file file;

	memset(longest, 'x', PATH_MAX);
	assert_int_equal(write_text(strcpy(path, "/nowhere/file"), "text"), -ENOENT);
	assert_contains(err.text, "/nowhere/file: open: ENOENT");
	assert_int_equal(write_text(folder, "text"), -EISDIR);
	assert_int_equal(write_text("", "text"), -ENOENT);
	assert_int_equal(write_text(longest, "text"), -ENAMETOOLONG);
	/* a folder takes its place meanwhile */
	snprintf(path, sizeof(path), "%s/file", folder);
	assert_int_equal(replaced_file_open(&file, path, &err), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(replaced_file_close(&file, &err), -EISDIR);
	assert_contains(err.text, "/file: rename: EISDIR");
	assert_int_equal(rmdir(path), 0);
}

/* A program that was killed left one, and this one has its process id. */
TEST(a_file_that_is_left_from_before_stays)
{
	char left[192];
	struct stat st;

	snprintf(left, sizeof(left), "%s.%ld-0", path, (long)getpid());
	fclose(fopen(left, "w"));
	assert_int_equal(write_text(path, "text"), 0);
	assert_string_equal(content(), "text");
	assert_int_equal(stat(left, &st), 0);
	assert_int_equal(st.st_size, 0);
	unlink(left);
}

EACH_TEST(make_folder, remove_folder)
