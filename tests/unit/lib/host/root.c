// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is read of this machine, of its recording, and of the recording of that recording is the same. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "lib/host/root.h"
#include "tests/unit/unit.h"

#define MIB 1048576

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

static void put(const char *name, const void *bytes, size_t length)
{
	FILE *f = fopen(in_folder(name), "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, length, f), length);
	fclose(f);
}

static void put_text(const char *name, const char *text)
{
	put(name, text, strlen(text));
}

static void remove_all(const char *name)
{
	char command[600];

	snprintf(command, sizeof(command), "chmod -R u+rwX %s; rm -r %s", in_folder(name),
		 in_folder(name));
	assert_int_equal(system(command), 0);
}

/* ---- all that can be asked of one path ---- */

struct answers {
	ssize_t read, read_again;
	char text[64], whole[2 * MIB];
	bool has_line, has_number, exists, has_link, has_short_link;
	char line[64], link[PATH_MAX], short_link[4];
	uint64_t number;
	int lines, list, stat, open, ask;
	char all_lines[8192], names[8192], answer[64];
	struct mr_host_status status;
};

static bool take_line(const char *line, void *data)
{
	struct answers *a = data;
	const bool is_of_use = line[0] != '#';

	if (is_of_use && strlen(a->all_lines) + strlen(line) + 2 < sizeof(a->all_lines))
		strcat(strcat(a->all_lines, line), "\n");
	return is_of_use;
}

static void take_name(const char *name, void *data)
{
	struct answers *a = data;

	if (strlen(a->names) + strlen(name) + 2 < sizeof(a->names))
		strcat(strcat(a->names, name), "|");
}

static int answer_path(void *data, char *text, size_t size)
{
	if (!strcmp(data, "/dev/null"))
		return -ENOTTY;
	snprintf(text, size, "an answer\nof two lines\n");
	return 0;
}

static struct answers *ask_all(struct mr_host *host, const char *path)
{
	struct answers *a = calloc(1, sizeof(*a));
	char name[PATH_MAX];

	assert_non_null(a);
	snprintf(name, sizeof(name), "of%s", path);
	a->read = mr_host_read(host, a->text, sizeof(a->text), "%s", path);
	a->read_again = mr_host_read(host, a->whole, sizeof(a->whole), "%s", path);
	a->has_line = mr_host_line(host, a->line, sizeof(a->line), "%s", path);
	a->has_number = mr_host_number(host, &a->number, "%s", path);
	a->lines = mr_host_lines(host, path, take_line, a);
	a->list = mr_host_list(host, take_name, a, "%s", path);
	a->exists = mr_host_exists(host, "%s", path);
	a->has_short_link = mr_host_link(host, a->short_link, sizeof(a->short_link), "%s", path);
	a->has_link = mr_host_link(host, a->link, sizeof(a->link), "%s", path);
	a->stat = mr_host_stat(host, &a->status, "%s", path);
	if (a->stat || !S_ISSOCK(a->status.mode))
		a->open = mr_host_open_device(host, "%s", path);
	a->ask = mr_host_ask(host, name, answer_path, (void *)(uintptr_t)path, a->answer,
			     sizeof(a->answer));
	return a;
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

/* Asks everything of these paths on a host, and records it where @copy is not NULL. */
static void ask_paths(const char *root, const char *copy, const char *const paths[], size_t count,
		      struct answers *answers[])
{
	struct mr_host host = open_host(root, copy);

	for (size_t i = 0; i < count; i++)
		answers[i] = ask_all(&host, paths[i]);
	close_host(&host);
}

#define SAME(member)                                                                               \
	do {                                                                                       \
		if (memcmp(&a->member, &b->member, sizeof(a->member)) != 0)                        \
			fail_msg("'%s': " #member " differs", path);                               \
	} while (0)

static void assert_same(const char *path, const struct answers *a, const struct answers *b)
{
	assert_equal_for(path, b->read, a->read);
	assert_equal_for(path, b->read_again, a->read_again);
	assert_equal_for(path, b->lines, a->lines);
	assert_equal_for(path, b->list, a->list);
	assert_equal_for(path, b->stat, a->stat);
	assert_equal_for(path, b->open, a->open);
	assert_equal_for(path, b->ask, a->ask);
	SAME(text);
	SAME(whole);
	SAME(has_line);
	SAME(line);
	SAME(has_number);
	SAME(number);
	SAME(all_lines);
	SAME(names);
	SAME(exists);
	SAME(has_link);
	SAME(link);
	SAME(has_short_link);
	SAME(short_link);
	SAME(status);
	SAME(answer);
}

/* Asks this machine, its recording, and the recording of that. */
static void assert_replayed(const char *const paths[], size_t count)
{
	struct answers *live[32], *replayed[32];
	char first[512], second[512];

	assert_true(count <= ARRAY_SIZE(live));
	snprintf(first, sizeof(first), "%s", in_folder("first"));
	snprintf(second, sizeof(second), "%s", in_folder("second"));
	ask_paths(NULL, first, paths, count, live);
	for (int pass = 0; pass < 2; pass++) {
		ask_paths(pass ? second : first, pass ? NULL : second, paths, count, replayed);
		for (size_t i = 0; i < count; i++) {
			assert_same(paths[i], live[i], replayed[i]);
			free(replayed[i]);
		}
	}
	for (size_t i = 0; i < count; i++)
		free(live[i]);
	remove_all("first");
	remove_all("second");
}

/* ---- files of all types ---- */

static void make_odd_files(void)
{
	static char huge[3 * MIB];
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	memset(huge, 'h', sizeof(huge));
	put("odd/huge", huge, sizeof(huge));
	put("odd/binary", "\0\1\377\n# not\0this\n\0", 16);
	put_text("odd/empty", "");
	put_text("odd/number", "  0x1f and more\n");
	put_text("odd/large", "99999999999999999999\n");
	put_text("odd/lines", "one\n\n# two\n\nthree without an end");
	put_text("odd/hidden/.not-shown", "x");
	put_text("odd/hidden/a\nb", "x");
	put_text("odd/secret", "s");
	assert_int_equal(mkfifo(in_folder("odd/fifo"), 0600), 0);
	assert_int_equal(symlink("number", in_folder("odd/link")), 0);
	assert_int_equal(symlink("nowhere\n", in_folder("odd/dangling")), 0);
	assert_int_equal(symlink("circle", in_folder("odd/circle")), 0);
	assert_int_equal(chmod(in_folder("odd/secret"), 0), 0);
	assert_int_equal(chmod(in_folder("odd/closed"), 0), 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", in_folder("odd/socket"));
	assert_int_equal(bind(fd, (void *)&address, sizeof(address)), 0);
	close(fd);
}

TEST(a_recording_answers_as_the_machine_did)
{
	static const char *const names[] = { "",         "huge",   "binary",  "empty",  "number",
					     "large",    "lines",  "hidden",  "fifo",   "link",
					     "closed",   "secret", "circle",  "a\nb",   "nobody",
					     "dangling", "all",    "all/sub", "socket", "../odd",
					     "link/x",   ".",      "//all/" };
	const char *paths[ARRAY_SIZE(names) + 3];
	char text[ARRAY_SIZE(names)][128];
	char too_long[PATH_MAX + 2] = "/";

	mkdir(in_folder("odd"), 0755);
	mkdir(in_folder("odd/hidden"), 0755);
	mkdir(in_folder("odd/closed"), 0755);
	mkdir(in_folder("odd/all"), 0755);
	mkdir(in_folder("odd/all/sub"), 0755);
	put_text("odd/a\nb", "a name of two lines\n");
	make_odd_files();
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(text[i], sizeof(text[i]), "%s/%s", in_folder("odd"), names[i]);
		paths[i] = text[i];
	}
	memset(too_long + 1, 'x', PATH_MAX);
	paths[ARRAY_SIZE(names)] = "/dev/null";
	paths[ARRAY_SIZE(names) + 1] = "relative";
	paths[ARRAY_SIZE(names) + 2] = "/proc/self/mem"; /* reading it fails with EIO */
	assert_replayed(paths, ARRAY_SIZE(paths));
	paths[0] = too_long;
	assert_replayed(paths, 1);
	remove_all("odd");
}

/* Root may read everything, so nobody asks. */
TEST(errnos_of_permission_are_recorded)
{
	char secret[512], closed[512];
	const char *const paths[] = { secret, closed };
	const bool is_root = !geteuid();
	struct mr_host host;
	char text[8];

	put_text("secret", "s");
	mkdir(in_folder("closed"), 0700);
	snprintf(secret, sizeof(secret), "%s", in_folder("secret"));
	snprintf(closed, sizeof(closed), "%s", in_folder("closed"));
	chmod(secret, 0);
	chmod(closed, 0);
	assert_int_equal(is_root ? seteuid(65534) : 0, 0);
	assert_replayed(paths, ARRAY_SIZE(paths));
	host = open_host(NULL, NULL);
	assert_int_equal(mr_host_read(&host, text, sizeof(text), "%s", secret), -EACCES);
	assert_int_equal(mr_host_list(&host, take_name, NULL, "%s", closed), -EACCES);
	assert_int_equal(mr_host_open_device(&host, "%s", secret), -EACCES);
	assert_int_equal(is_root ? seteuid(0) : 0, 0);
	remove_all("secret");
	remove_all("closed");
}

TEST(odd_files_are_refused_and_not_waited_for)
{
	struct mr_host *host = mr_this_host();
	struct answers *a = calloc(1, sizeof(*a));
	char text[8] = "before";
	uint64_t number = 5;

	assert_int_equal(mkfifo(in_folder("fifo"), 0600), 0);
	assert_int_equal(mr_host_read(host, text, sizeof(text), "%s", in_folder("fifo")), -EINVAL);
	assert_string_equal(text, "");
	assert_int_equal(mr_host_lines(host, in_folder("fifo"), take_line, a), -EINVAL);
	assert_int_equal(mr_host_read(host, text, sizeof(text), "%s", folder), -EISDIR);
	assert_int_equal(mr_host_read(host, text, sizeof(text), "%s/../x", folder), -EINVAL);
	assert_int_equal(mr_host_read(host, text, sizeof(text), "etc/passwd"), -EINVAL);
	assert_int_equal(mr_host_read(host, text, sizeof(text), "/dev/null"), -EINVAL);
	assert_int_equal(mr_host_list(host, take_name, a, "%s", in_folder("fifo")), -ENOTDIR);
	put_text("max", "max\n");
	assert_false(mr_host_number(host, &number, "%s", in_folder("max")));
	put_text("max", "18446744073709551616\n");
	assert_false(mr_host_number(host, &number, "%s", in_folder("max")));
	put_text("max", "-1\n");
	assert_false(mr_host_number(host, &number, "%s", in_folder("max")));
	assert_int_equal(number, 5);
	put_text("max", "0x10 more");
	assert_true(mr_host_number(host, &number, "%s", in_folder("max")));
	assert_int_equal(number, 16);
	free(a);
}

/* ---- lines ---- */

TEST(lines_are_cut_and_may_hold_anything)
{
	static char file[10000];
	struct answers *a = calloc(1, sizeof(*a));

	memset(file, 'l', sizeof(file));
	memcpy(file + sizeof(file) - 10, "\nx\0y\nnext\n", 10);
	put("long", file, sizeof(file));
	assert_int_equal(mr_host_lines(mr_this_host(), in_folder("long"), take_line, a), 0);
	assert_int_equal(strspn(a->all_lines, "l"), 4095);
	assert_string_equal(a->all_lines + 4095, "\nx\nnext\n");
	free(a);
}

TEST(a_file_of_one_long_line_ends)
{
	struct answers *a = calloc(1, sizeof(*a));

	put_text("sparse", "x");
	assert_int_equal(truncate(in_folder("sparse"), (off_t)MIB << 20), 0);
	assert_int_equal(mr_host_lines(mr_this_host(), in_folder("sparse"), take_line, a), -EFBIG);
	free(a);
}

/* ---- where libibverbs looks ---- */

TEST(devices_are_read_where_libibverbs_looks_for_them)
{
	static const char *const given[] = { "", "/", "//" };
	struct answers *a = calloc(1, sizeof(*a));
	char text[64], sysfs[512];

	mkdir(in_folder("class"), 0755);
	mkdir(in_folder("class/infiniband"), 0755);
	put_text("class/infiniband/fw_ver", "1.2.3\n");
	for (size_t i = 0; i < ARRAY_SIZE(given); i++) {
		snprintf(sysfs, sizeof(sysfs), "%s%s", folder, given[i]);
		setenv("SYSFS_PATH", sysfs, 1);
		assert_true(mr_host_line(mr_this_host(), text, sizeof(text),
					 "/sys/class/infiniband/fw_ver"));
		assert_string_equal(text, "1.2.3");
		assert_int_equal(
			mr_host_list(mr_this_host(), take_name, a, "/sys/class/infiniband"), 1);
		assert_false(mr_host_exists(mr_this_host(), "/sys/class/infiniband_verbs"));
		/* the rest of sysfs stays where it is */
		assert_true(mr_host_exists(mr_this_host(), "/sys/class/mem"));
	}
	unsetenv("SYSFS_PATH");
	free(a);
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
	return !mkdtemp(folder) || chmod(folder, 0777);
}

ALL_TESTS(make_folder, remove_folder)
