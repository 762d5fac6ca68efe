// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads this machine, its recording, and recordings that a person has written, or an attacker. */
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "tests/unit/one_host.h"

#define MIB 1048576

/* The folder "recorded" holds files of this machine as well: those of a test. */
EACH_TEST(set_up, tear_down)

static void put_bytes(const char *path, const void *bytes, size_t length)
{
	FILE *file = recorded_host_open(&recorded, path, "w");

	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
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

/* ---- questions ---- */

enum question { READ, LINES, LIST, STAT, OPEN, LINK, ASK };

static void take_name(const char *name, void *data)
{
	strcat(strcat(data, name), "|");
}

static bool take_line(const char *line, void *data)
{
	const bool is_of_use = line[0] != '#';

	if (is_of_use && strlen(data) + strlen(line) + 2 < MIB)
		strcat(strcat(data, line), "\n");
	return is_of_use;
}

/* Answers a question by name for this machine; a recording must not come to that. */
static int answer(const struct mr_host *host, void *data, char *found, size_t size)
{
	(void)host;
	if (!data)
		fail_msg("this machine was asked");
	if (!strcmp(data, "/dev/null"))
		return -ENOTTY;
	snprintf(found, size, "an answer\nof two lines\n");
	return 0;
}

/* The answer to the last question. */
static char text[2 * MIB];

/* Asks one question about a path, or by a name; @live: as answer() wants it. */
static ssize_t ask(struct mr_host *host, enum question question, const char *path, void *live)
{
	struct mr_host_status status;
	ssize_t rc = -1;

	text[0] = '\0';
	switch (question) {
	case READ:
		return mr_host_read(host, text, 2 * MIB, "%s", path);
	case LINES:
		return mr_host_lines(host, take_line, text, "%s", path);
	case LIST:
		return mr_host_list(host, take_name, text, "%s", path);
	case STAT:
		rc = mr_host_stat(host, &status, "%s", path);
		sprintf(text, "%o %u %u %u:%u", status.mode, status.uid, status.gid, status.major, status.minor);
		return rc;
	case OPEN:
		return mr_host_open_device(host, "%s", path);
	case LINK:
		return mr_host_link(host, text, PATH_MAX, "%s", path);
	case ASK:
		return mr_host_query(host, answer, live, text, 64, "%s", path);
	}
	return rc;
}

/* ---- this machine, its recording, and the recording of that ---- */

/* Appends all that can be asked about a path, with what is read into rooms that are too small. */
static void describe(struct mr_host *host, const char *path, FILE *out)
{
	char name[PATH_MAX + 8], line[64] = "";
	uint64_t number = 0;
	ssize_t rc;

	fprintf(out, "%s\n", path);
	snprintf(name, sizeof(name), "of%s", path);
	for (enum question question = READ; question <= ASK; question++) {
		if (question == OPEN && strstr(path, "/socket"))
			continue;
		rc = ask(host, question, question == ASK ? name : path, (void *)(uintptr_t)path);
		fprintf(out, "%d: %zd ", question, rc);
		fwrite(text, 1, question == READ && rc > 0 ? (size_t)rc : strlen(text), out);
	}
	rc = mr_host_read(host, line, sizeof(line), "%s", path);
	fprintf(out, "%zd %s", rc, line);
	rc = mr_host_line(host, line, sizeof(line), "%s", path);
	fprintf(out, "%zd %s", rc, line);
	rc = mr_host_link(host, line, 4, "%s", path);
	fprintf(out, "%zd %s", rc, line);
	rc = mr_host_number(host, &number, "%s", path);
	fprintf(out, "%zd %ju %d\n", rc, (uintmax_t)number, mr_host_exists(host, "%s", path));
}

static void remove_all(const char *name)
{
	char command[1200];

	snprintf(command, sizeof(command), "chmod -R u+rwX %s; rm -r %s", in_folder(name), in_folder(name));
	assert_int_equal(system(command), 0);
}

static void assert_replayed(const char *const paths[], size_t count)
{
	char *answers[3], folders[2][512];
	size_t size[3], same;

	snprintf(folders[0], sizeof(folders[0]), "%s", in_folder("first"));
	snprintf(folders[1], sizeof(folders[1]), "%s", in_folder("second"));
	for (int pass = 0; pass < 3; pass++) {
		struct mr_host host = open_host(pass ? folders[pass - 1] : NULL, pass < 2 ? folders[pass] : NULL);
		FILE *out = open_memstream(&answers[pass], &size[pass]);

		for (size_t i = 0; i < count; i++)
			describe(&host, paths[i], out);
		close_host(&host);
		fclose(out);
		for (same = 0; same < size[0] && answers[pass][same] == answers[0][same]; same++)
			;
		if (same != size[0] || size[pass] != size[0])
			fail_msg("pass %d differs after %.200s", pass, answers[0] + (same > 100 ? same - 100 : 0));
	}
	for (int pass = 0; pass < 3; pass++)
		free(answers[pass]);
	remove_all("first");
	remove_all("second");
}

static void make_odd_files(void)
{
	static char huge[3 * MIB];
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	memset(huge, 'h', sizeof(huge));
	put_bytes("/odd/huge", huge, sizeof(huge));
	put_bytes("/odd/binary", "\0\1\377\n# not\0this\n\0", 16);
	put_bytes("/odd/lines", "one\n\n# two\n\nthree without an end", 32);
	put_bytes("/odd/a\nb", "a name of two lines\n", 20);
	put_bytes("/odd/hidden/a\nb", "x", 1);
	change("/odd/empty\n/odd/number   0x1f and more\n/odd/large 99999999999999999999\n"
	       "/odd/hidden/.not-shown x\n/odd/secret s\n/odd/closed/x\n/odd/all/sub/x");
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
	static const char *const names[] = { "",       "huge",   "binary", "empty",    "number", "large",
					     "lines",  "hidden", "fifo",   "link",     "closed", "secret",
					     "circle", "a\nb",   "nobody", "dangling", "all",    "all/sub",
					     "socket", "../odd", "link/x", ".",        "//all/" };
	const char *others[] = { "/dev/null", "relative", "/proc/self/mem", NULL };
	const char *paths[ARRAY_SIZE(names)];
	char whole[ARRAY_SIZE(names)][128];
	char too_long[PATH_MAX + 2] = "/";
	struct mr_host *host = mr_this_host();

	make_odd_files();
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(whole[i], sizeof(whole[i]), "%s/%s", in_folder("odd"), names[i]);
		paths[i] = whole[i];
	}
	memset(too_long + 1, 'x', PATH_MAX);
	others[3] = too_long;
	assert_replayed(paths, ARRAY_SIZE(paths));
	assert_replayed(others, ARRAY_SIZE(others));
	/* Odd files are refused, and not waited for. */
	assert_int_equal(ask(host, READ, in_folder("odd/fifo"), NULL), -EINVAL);
	assert_int_equal(ask(host, LINES, in_folder("odd/fifo"), NULL), -EINVAL);
	assert_int_equal(ask(host, LIST, in_folder("odd/fifo"), NULL), -ENOTDIR);
	assert_int_equal(ask(host, READ, in_folder("odd"), NULL), -EISDIR);
	assert_int_equal(ask(host, READ, "/dev/null", NULL), -EINVAL);
	remove_all("odd");
}

/* Root may read everything, so nobody asks. */
TEST(errnos_of_permission_are_recorded)
{
	const char *const paths[] = { strdupa(in_folder("secret")), strdupa(in_folder("closed")) };
	const bool is_root = !geteuid();

	assert_int_equal(chmod(recorded.folder, 0777), 0);
	change("/secret s\n/closed/x");
	chmod(paths[0], 0);
	chmod(paths[1], 0);
	assert_int_equal(is_root ? seteuid(65534) : 0, 0);
	assert_int_equal(ask(mr_this_host(), READ, paths[0], NULL), -EACCES);
	assert_int_equal(ask(mr_this_host(), OPEN, paths[0], NULL), -EACCES);
	assert_int_equal(ask(mr_this_host(), LIST, paths[1], NULL), -EACCES);
	assert_replayed(paths, 2);
	assert_int_equal(is_root ? seteuid(0) : 0, 0);
	remove_all("closed");
}

TEST(numbers_begin_with_a_digit_and_fit)
{
	static const struct {
		const char *text;
		bool is_one;
		uint64_t value;
	} rows[] = {
		{ "0x10 more", true, 16 },
		{ "  7\n", true, 7 },
		{ "18446744073709551615", true, UINT64_MAX },
		{ "18446744073709551616", false, 5 },
		{ "max\n", false, 5 },
		{ "-1\n", false, 5 },
		{ "", false, 5 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t number = 5;

		recorded_host_put(&recorded, "/max", rows[i].text);
		assert_equal_for(rows[i].text, mr_host_number(&recorded.host, &number, "/max"), rows[i].is_one);
		assert_equal_for(rows[i].text, number, rows[i].value);
	}
}

TEST(lines_are_cut_and_may_hold_anything_and_a_file_of_one_long_line_ends)
{
	static char file[10000];

	memset(file, 'l', sizeof(file));
	memcpy(file + sizeof(file) - 10, "\nx\0y\nnext\n", 10);
	put_bytes("/long", file, sizeof(file));
	assert_int_equal(ask(&recorded.host, LINES, "/long", NULL), 0);
	assert_int_equal(strspn(text, "l"), 4095);
	assert_string_equal(text + 4095, "\nx\nnext\n");
	assert_int_equal(truncate(in_folder("long"), (off_t)MIB << 20), 0);
	assert_int_equal(ask(&recorded.host, LINES, "/long", NULL), -EFBIG);
}

/* ---- what is recorded ---- */

static bool take_key(const char *line, void *data)
{
	return !strncmp(line, data, strlen(data));
}

TEST(only_lines_of_use_are_recorded_in_the_order_of_the_file_and_the_first_answer_stays)
{
	char b[] = "B", a[] = "A", copy[512], status[512], changing[512];
	struct mr_host host;

	snprintf(copy, sizeof(copy), "%s", in_folder("copy"));
	snprintf(status, sizeof(status), "%s", in_folder("status"));
	snprintf(changing, sizeof(changing), "%s", in_folder("changing"));
	recorded_host_put(&recorded, "/status", "Secret: 1\nB: 2\nSecret: 3\nA: 4\nB: 5\n");
	change("/changing first");
	host = open_host(NULL, copy);
	assert_int_equal(mr_host_lines(&host, take_key, a, "%s", status), 0);
	assert_int_equal(mr_host_lines(&host, take_key, b, "%s", status), 0);
	assert_int_equal(mr_host_lines(&host, take_key, a, "%s", status), 0);
	mr_host_read(&host, text, sizeof(text), "%s", changing);
	change("/changing second");
	mr_host_read(&host, text, sizeof(text), "%s", changing);
	unlink(changing);
	mkdir(changing, 0700);
	assert_int_equal(mr_host_read(&host, text, sizeof(text), "%s", changing), -EISDIR);
	close_host(&host);
	host = open_host(copy, NULL);
	mr_host_read(&host, text, sizeof(text), "%s", status);
	assert_string_equal(text, "B: 2\nA: 4\nB: 5\n");
	assert_int_equal(mr_host_read(&host, text, sizeof(text), "%s", changing), 6);
	assert_string_equal(text, "first\n");
	close_host(&host);
}

TEST(a_recording_that_cannot_be_complete_is_reported)
{
	struct rlimit before, none;
	struct mr_error err = { .errnum = 0 };
	struct mr_host host = open_host(NULL, in_folder("copy"));

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
}

TEST(a_recording_needs_an_empty_folder)
{
	struct mr_error err = { .errnum = 0 };
	struct mr_host host = open_host(NULL, in_folder("taken"));
	const int next = dup(0);

	close(next);
	close_host(&host);
	change("/taken/file");
	assert_int_equal(mr_host_open(&host, NULL, in_folder("taken/file"), &err), -ENOTDIR);
	assert_int_equal(mr_host_open(&host, in_folder("taken/file"), NULL, &err), -ENOTDIR);
	assert_int_equal(mr_host_open(&host, recorded.folder, in_folder("taken"), &err), -EEXIST);
	assert_int_equal(dup(0), next - 1); /* all that was opened is closed */
	close(next - 1);
}

/* ---- recordings that were written by hand ---- */

TEST(a_recording_written_by_hand)
{
	static const struct {
		const char *changes;
		enum question question;
		const char *path;
		ssize_t rc;
		const char *found;
	} rows[] = {
		{ "", READ, "/proc/version", -ENOENT, "" },
		{ "", LIST, "/proc", -ENOENT, "" },
		{ "", STAT, "/proc", -ENOENT, "0 0 0 0:0" },
		{ "", OPEN, "/dev/null", -ENOENT, "" },
		{ "", LINK, "/proc/self", false, "" },
		{ "", ASK, "uname", -ENOENT, "" },
		{ "", LINES, "/proc/meminfo", -ENOENT, "" },
		{ "/sys/block/b/size 8\n/sys/block/a\n/sys/block/.hidden", LIST, "/sys/block", 2, "a|b|" },
		{ "", STAT, "/sys/block/b", 0, "40755 0 0 0:0" },
		{ "/calls/uname.answer Linux 6.1", ASK, "uname", 0, "Linux 6.1" },
		{ "/calls/dev/x.stat mode=20660 uid=1 gid=2 device=3:4", STAT, "/dev/x", 0, "20660 1 2 3:4" },
		{ "/calls/dev/x.open ok", OPEN, "/dev/x", 0, "" },
		{ "/calls/dev/y.open.error EPERM", OPEN, "/dev/y", -EPERM, "" },
		/* the error of a call comes before what is there */
		{ "/etc/closed/file text\n/calls/etc/closed.list.error EACCES", LIST, "/etc/closed", -EACCES, "" },
		{ "", READ, "/etc/closed/file", 5, "text\n" },
		{ "/calls/etc/closed/file.read.error EIO", READ, "/etc/closed/file", -EIO, "" },
		{ "", LINES, "/etc/closed/file", -EIO, "text\n" }, /* the lines before were read */
		/* damaged answers */
		{ "/calls/etc/a.list b\n/calls/etc/a.list ../../up\n/calls/etc/a.list \n"
		  "/calls/etc/a.list .hidden\n/calls/etc/a.list a\n/calls/etc/a.list b\n"
		  "/calls/etc/a.list /etc\n/calls/etc/a.list a/b",
		  LIST, "/etc/a", 3, "b|a|b|" },
		{ "/calls/etc/a.stat mode=20660 uid=x", STAT, "/etc/a", -EIO, "0 0 0 0:0" },
		{ "/calls/etc/a.read.error no errno at all, but a long text instead of it", READ, "/etc/a", -EIO, "" },
		{ "/calls/etc/b.read.error", READ, "/etc/b", -EIO, "" },
		{ "/calls/etc/c.list/file", LIST, "/etc/c", -EISDIR, "" },
		{ "/calls/etc/e.list", LIST, "/etc/e", 0, "" },
		{ "", READ, "/in/../../../etc/passwd", -EINVAL, "" },
		{ "", READ, "etc/passwd", -EINVAL, "" },
		{ "", ASK, "../x", -EINVAL, "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		change(rows[i].changes);
		assert_equal_for(rows[i].path, ask(&recorded.host, rows[i].question, rows[i].path, NULL), rows[i].rc);
		assert_string_equal(text, rows[i].found);
	}
	assert_int_equal(mr_host_query(&recorded.host, answer, NULL, text, 6, "uname"), 0);
	assert_string_equal(text, "Linux");
}

TEST(no_path_leads_out_of_a_recording_and_no_fifo_is_waited_for)
{
	static const struct {
		enum question question;
		const char *path;
		ssize_t rc;
	} rows[] = {
		{ READ, "/out/passwd", -ENOTDIR }, { LIST, "/out", -ENOTDIR },       { STAT, "/out", -ELOOP },
		{ STAT, "/out/passwd", -ENOTDIR }, { READ, "/in/passwd", -EINVAL },  { LINK, "/in", false },
		{ READ, "/proc/fifo", -EINVAL },   { LINES, "/proc/fifo", -EINVAL }, { LIST, "/proc/fifo", -EINVAL },
		{ READ, "/proc/other", -EINVAL },  { LIST, "/etc/sparse", 0 },
	};

	change("/in/x\n/calls/proc/x\n/proc/x\n/calls/etc/sparse.list");
	assert_int_equal(symlink("/etc", in_folder("out")), 0);
	assert_int_equal(symlink("/etc/passwd", in_folder("in/passwd")), 0);
	assert_int_equal(symlink("/etc/passwd", in_folder("calls/in.link")), 0);
	assert_int_equal(mkfifo(in_folder("proc/fifo"), 0600), 0);
	assert_int_equal(mkfifo(in_folder("calls/proc/fifo.list"), 0600), 0);
	assert_int_equal(mkfifo(in_folder("calls/proc/other.read.error"), 0600), 0);
	assert_int_equal(truncate(in_folder("calls/etc/sparse.list"), (off_t)1 << 40), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_equal_for(rows[i].path, ask(&recorded.host, rows[i].question, rows[i].path, NULL), rows[i].rc);
		if (rows[i].question != STAT)
			assert_string_equal(text, "");
	}
}
