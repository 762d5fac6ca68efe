// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Recordings that a person has written, or an attacker. */
#include <errno.h>
#include <sys/stat.h>

#include "lib/host/root.h"
#include "tests/unit/unit.h"

static char folder[] = "/tmp/mrctl-unit-XXXXXX";
static struct mr_host host;

static void make_parents(char *path)
{
	for (char *slash = strchr(path + sizeof(folder), '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
}

/* The path in the recording; it is valid until the next call but one. */
static const char *below(const char *name)
{
	static char paths[2][512];
	static unsigned int next;
	char *path = paths[next++ % 2];

	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	make_parents(path);
	return path;
}

static void put(const char *name, const char *text)
{
	FILE *f = fopen(below(name), "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void take_name(const char *name, void *data)
{
	strcat(strcat(data, name), "|");
}

static bool take_line(const char *line, void *data)
{
	strcat(strcat(data, line), "|");
	return true;
}

static int no_answer(void *data, char *text, size_t size)
{
	(void)data;
	(void)text;
	(void)size;
	fail_msg("this machine was asked");
	return 0;
}

TEST(what_is_not_there_does_not_exist)
{
	struct mr_host_status status;
	char text[64] = "before", names[64] = "";
	uint64_t number;

	assert_int_equal(mr_host_read(&host, text, sizeof(text), "/proc/version"), -ENOENT);
	assert_string_equal(text, "");
	assert_false(mr_host_number(&host, &number, "/proc/sys/vm/max_map_count"));
	assert_int_equal(mr_host_list(&host, take_name, names, "/proc"), -ENOENT);
	assert_int_equal(mr_host_stat(&host, &status, "/proc"), -ENOENT);
	assert_int_equal(mr_host_open_device(&host, "/dev/null"), -ENOENT);
	assert_false(mr_host_link(&host, text, sizeof(text), "/proc/self"));
	assert_int_equal(mr_host_ask(&host, "uname", no_answer, NULL, text, sizeof(text)), -ENOENT);
	assert_int_equal(mr_host_lines(&host, "/proc/meminfo", take_line, names), -ENOENT);
}

TEST(a_person_writes_files_and_folders_alone)
{
	struct mr_host_status status;
	char names[64] = "", text[64];

	put("sys/block/b/size", "8\n");
	put("sys/block/a", "");
	put("sys/block/.hidden", "");
	assert_int_equal(mr_host_list(&host, take_name, names, "/sys/block"), 2);
	assert_string_equal(names, "a|b|");
	assert_int_equal(mr_host_stat(&host, &status, "/sys/block/b"), 0);
	assert_true(S_ISDIR(status.mode));
	put("calls/uname.answer", "Linux 6.1");
	assert_int_equal(mr_host_ask(&host, "uname", no_answer, NULL, text, sizeof(text)), 0);
	assert_string_equal(text, "Linux 6.1");
	assert_int_equal(mr_host_ask(&host, "uname", no_answer, NULL, text, 6), 0);
	assert_string_equal(text, "Linux");
	put("calls/dev/x.stat", "mode=20660 uid=1 gid=2 device=3:4\n");
	assert_int_equal(mr_host_stat(&host, &status, "/dev/x"), 0);
	assert_true(S_ISCHR(status.mode));
	assert_int_equal(status.mode & 07777, 0660);
	assert_int_equal(status.uid * 1000 + status.gid * 100 + status.major * 10 + status.minor,
			 1234);
	put("calls/dev/x.open", "ok\n");
	assert_int_equal(mr_host_open_device(&host, "/dev/x"), 0);
	put("calls/dev/y.open.error", "EPERM\n");
	assert_int_equal(mr_host_open_device(&host, "/dev/y"), -EPERM);
}

TEST(the_error_of_a_call_comes_before_what_is_there)
{
	char names[64] = "", text[64];

	put("etc/closed/file", "text");
	put("calls/etc/closed.list.error", "EACCES");
	assert_int_equal(mr_host_list(&host, take_name, names, "/etc/closed"), -EACCES);
	assert_int_equal(mr_host_read(&host, text, sizeof(text), "/etc/closed/file"), 4);
	put("calls/etc/closed/file.read.error", "EIO");
	assert_int_equal(mr_host_read(&host, text, sizeof(text), "/etc/closed/file"), -EIO);
	assert_string_equal(text, "");
	/* reading failed in the middle: the lines before were read */
	assert_int_equal(mr_host_lines(&host, "/etc/closed/file", take_line, names), -EIO);
	assert_string_equal(names, "text|");
}

TEST(damaged_answers_are_no_answers)
{
	struct mr_host_status status;
	char names[64] = "", text[64];

	put("calls/etc/a.list", "b\n../../up\n\n.hidden\na\nb\n/etc\na/b");
	assert_int_equal(mr_host_list(&host, take_name, names, "/etc/a"), 2);
	assert_string_equal(names, "a|b|");
	put("calls/etc/a.stat", "mode=20660 uid=x");
	assert_int_equal(mr_host_stat(&host, &status, "/etc/a"), -EIO);
	assert_int_equal(status.mode, 0);
	put("calls/etc/a.read.error", "no errno at all, but a long text instead of it");
	assert_int_equal(mr_host_read(&host, text, sizeof(text), "/etc/a"), -EIO);
	put("calls/etc/b.read.error", "");
	assert_int_equal(mr_host_read(&host, text, sizeof(text), "/etc/b"), -EIO);
	mkdir(below("calls/etc/c.list"), 0755);
	assert_int_equal(mr_host_list(&host, take_name, names, "/etc/c"), -EISDIR);
	put("calls/etc/e.list", "");
	assert_int_equal(mr_host_list(&host, take_name, names, "/etc/e"), 0);
	put("calls/etc/f.list", "");
	assert_int_equal(truncate(below("calls/etc/f.list"), (off_t)1 << 40), 0);
	assert_int_equal(mr_host_list(&host, take_name, names, "/etc/f"), 0);
}

TEST(no_path_leads_out_of_the_recording)
{
	char names[64] = "", text[64] = "";
	struct mr_host_status status;

	assert_int_equal(symlink("/etc", below("out")), 0);
	assert_int_equal(symlink("/etc/passwd", below("in/passwd")), 0);
	assert_int_equal(symlink("/etc/passwd", below("calls/in.link")), 0);
	assert_int_equal(mr_host_read(&host, text, sizeof(text), "/out/passwd"), -ENOTDIR);
	assert_int_equal(mr_host_list(&host, take_name, names, "/out"), -ENOTDIR);
	assert_int_equal(mr_host_stat(&host, &status, "/out"), -ELOOP);
	assert_int_equal(mr_host_stat(&host, &status, "/out/passwd"), -ENOTDIR);
	assert_int_equal(mr_host_read(&host, text, sizeof(text), "/in/passwd"), -EINVAL);
	assert_false(mr_host_link(&host, text, sizeof(text), "/in"));
	assert_int_equal(mr_host_read(&host, text, sizeof(text), "/in/../../../etc/passwd"),
			 -EINVAL);
	assert_int_equal(mr_host_ask(&host, "../x", no_answer, NULL, text, sizeof(text)), -EINVAL);
	assert_string_equal(names, "");
	assert_string_equal(text, "");
}

TEST(fifos_in_a_recording_are_not_waited_for)
{
	char names[64] = "", text[64];

	mkfifo(below("proc/fifo"), 0600);
	mkfifo(below("calls/proc/fifo.list"), 0600);
	mkfifo(below("calls/proc/other.read.error"), 0600);
	assert_int_equal(mr_host_read(&host, text, sizeof(text), "/proc/fifo"), -EINVAL);
	assert_int_equal(mr_host_lines(&host, "/proc/fifo", take_line, names), -EINVAL);
	assert_int_equal(mr_host_list(&host, take_name, names, "/proc/fifo"), -EINVAL);
	assert_int_equal(mr_host_read(&host, text, sizeof(text), "/proc/other"), -EINVAL);
}

static int remove_folder(void **state)
{
	struct mr_error err;
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return mr_host_close(&host, &err) || system(command);
}

static int make_folder(void **state)
{
	struct mr_error err;

	(void)state;
	return !mkdtemp(folder) || mr_host_open(&host, folder, NULL, &err);
}

ALL_TESTS(make_folder, remove_folder)
