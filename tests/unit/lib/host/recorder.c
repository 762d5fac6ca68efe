// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a recording gets of what is read. */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "lib/host/root.h"
#include "tests/unit/unit.h"

static char folder[] = "/tmp/mrctl-unit-XXXXXX";

/* The path of a file of the test; it is valid until the next call but three. */
static const char *in_folder(const char *name)
{
	static char paths[4][512];
	static unsigned int next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

static void put_text(const char *name, const char *text)
{
	FILE *f = fopen(in_folder(name), "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void remove_all(const char *name)
{
	char command[600];

	snprintf(command, sizeof(command), "rm -r %s", in_folder(name));
	assert_int_equal(system(command), 0);
}

static struct mr_host open_host(const char *root, const char *copy)
{
	struct mr_error err = { .errnum = 0 };
	struct mr_host host;

	if (mr_host_open(&host, root, copy, &err))
		fail_msg("%s", err.text);
	return host;
}

static void close_host(struct mr_host *host)
{
	struct mr_error err = { .errnum = 0 };

	if (mr_host_close(host, &err))
		fail_msg("%s", err.text);
}

static bool take_key(const char *line, void *data)
{
	return !strncmp(line, data, strlen(data));
}

TEST(only_lines_of_use_are_recorded_in_the_order_of_the_file)
{
	char copy[512], path[512], secret[] = "B", first[] = "A", text[64];
	struct mr_host host;

	snprintf(copy, sizeof(copy), "%s", in_folder("copy"));
	snprintf(path, sizeof(path), "%s", in_folder("status"));
	put_text("status", "Secret: 1\nB: 2\nSecret: 3\nA: 4\nB: 5\n");
	host = open_host(NULL, copy);
	assert_int_equal(mr_host_lines(&host, path, take_key, first), 0);
	assert_int_equal(mr_host_lines(&host, path, take_key, secret), 0);
	assert_int_equal(mr_host_lines(&host, path, take_key, first), 0);
	close_host(&host);
	host = open_host(copy, NULL);
	mr_host_read(&host, text, sizeof(text), "%s", path);
	assert_string_equal(text, "B: 2\nA: 4\nB: 5\n");
	close_host(&host);
	remove_all("copy");
}

TEST(the_first_answer_is_the_one_that_stays)
{
	char copy[512], path[512], text[64];
	struct mr_host host;

	snprintf(copy, sizeof(copy), "%s", in_folder("copy"));
	snprintf(path, sizeof(path), "%s", in_folder("changing"));
	put_text("changing", "first\n");
	host = open_host(NULL, copy);
	mr_host_read(&host, text, sizeof(text), "%s", path);
	put_text("changing", "second\n");
	mr_host_read(&host, text, sizeof(text), "%s", path);
	unlink(path);
	mkdir(path, 0700);
	assert_int_equal(mr_host_read(&host, text, sizeof(text), "%s", path), -EISDIR);
	close_host(&host);
	host = open_host(copy, NULL);
	assert_int_equal(mr_host_read(&host, text, sizeof(text), "%s", path), 6);
	assert_string_equal(text, "first\n");
	close_host(&host);
	remove_all("copy");
}

TEST(a_recording_that_cannot_be_written_is_reported)
{
	struct rlimit before, none;
	struct mr_error err = { .errnum = 0 };
	struct mr_host host = open_host(NULL, in_folder("copy"));
	char text[64];

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	none = (struct rlimit){ 0, before.rlim_max };
	setrlimit(RLIMIT_FSIZE, &none);
	assert_true(mr_host_line(&host, text, sizeof(text), "/proc/sys/kernel/ostype"));
	setrlimit(RLIMIT_FSIZE, &before);
	assert_string_equal(text, "Linux");
	assert_int_equal(mr_host_close(&host, &err), -EFBIG);
	assert_contains(err.text, "the recording is incomplete");
	assert_null(host.recorder);
	host = open_host(in_folder("copy"), NULL); /* no half of a file is left */
	assert_false(mr_host_exists(&host, "/proc/sys/kernel/ostype"));
	close_host(&host);
	remove_all("copy");
}

static int fail_without_memory(void *data, char *text, size_t size)
{
	(void)data;
	(void)text;
	(void)size;
	return -ENOMEM;
}

TEST(what_this_process_lacks_is_no_fact_about_the_host)
{
	struct mr_error err = { .errnum = 0 };
	struct mr_host host = open_host(NULL, in_folder("copy"));
	char text[8];

	assert_int_equal(mr_host_ask(&host, "x", fail_without_memory, NULL, text, sizeof(text)),
			 -ENOMEM);
	assert_int_equal(mr_host_close(&host, &err), -ENOMEM);
	assert_int_not_equal(access(in_folder("copy/calls"), F_OK), 0);
	remove_all("copy");
}

TEST(a_recording_needs_an_empty_folder)
{
	struct mr_error err = { .errnum = 0 };
	struct mr_host host;

	mkdir(in_folder("taken"), 0700);
	host = open_host(NULL, in_folder("taken"));
	close_host(&host);
	put_text("taken/file", "");
	assert_int_equal(mr_host_open(&host, NULL, in_folder("taken"), &err), -EEXIST);
	assert_contains(err.text, "is not empty");
	assert_int_equal(mr_host_open(&host, NULL, in_folder("taken/file"), &err), -ENOTDIR);
	assert_int_equal(mr_host_open(&host, NULL, in_folder("no/where"), &err), -ENOENT);
	assert_int_equal(mr_host_open(&host, in_folder("nowhere"), NULL, &err), -ENOENT);
	assert_int_equal(mr_host_open(&host, in_folder("taken/file"), NULL, &err), -ENOTDIR);
}

static int remove_folder(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

static int make_folder(void **state)
{
	(void)state;
	return !mkdtemp(folder);
}

ALL_TESTS(make_folder, remove_folder)
