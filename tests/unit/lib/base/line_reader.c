// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reading line by line: files are read whole, pipes in pieces of any size. */
#include "lib/base/base.h"
#include "tests/unit/unit.h"

static struct mr_error err;
static struct mr_line_reader reader;

static char path[] = "/tmp/mrctl-unit-XXXXXX";

/* Writes a file of these bytes, and opens it with the reader. */
static void open_file(const char *text, size_t length)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	assert_int_equal(write(fd, text, length), length);
	close(fd);
	assert_int_equal(mr_line_reader_open(&reader, path, &err), 0);
	assert_true(reader.is_file);
}

/* Makes standard input a pipe, and opens it with the reader.  Return: the end for writing. */
static int open_pipe(void)
{
	int pipes[2];

	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	assert_int_equal(dup2(pipes[0], STDIN_FILENO), STDIN_FILENO);
	close(pipes[0]);
	assert_int_equal(mr_line_reader_open(&reader, "-", &err), 0);
	assert_false(reader.is_file);
	return pipes[1];
}

static void assert_next(const char *line)
{
	int rc = mr_line_reader_next(&reader, &err);

	if (rc < 0)
		fail_msg("'%s': %s", line, err.text);
	assert_equal_for(line, rc, 1);
	assert_string_equal(reader.line, line);
	assert_equal_for(line, reader.length, strlen(line));
}

static void assert_end(void)
{
	assert_int_equal(mr_line_reader_next(&reader, &err), 0);
	assert_null(reader.line);
	mr_line_reader_close(&reader);
}

static void assert_next_fails(int errnum, enum mr_error_kind kind, const char *text)
{
	mr_error_clear(&err);
	assert_int_equal(mr_line_reader_next(&reader, &err), -errnum);
	assert_int_equal(err.kind, kind);
	assert_contains(err.text, text);
}

TEST(lines_end_with_a_newline_or_the_file)
{
	static const char text[] = "one\n\ntwo words\r\n\r\nlast";

	open_file(text, strlen(text));
	assert_next("one");
	assert_next("");
	assert_next("two words");
	assert_int_equal(reader.number, 3);
	assert_next("");
	assert_next("last");
	assert_end();
	open_file("one\n", 4);
	assert_next("one");
	assert_end();
	open_file("", 0);
	assert_end();
	/* a byte order mark is one at the beginning alone */
	open_file("\xef\xbb\xbfone\n\xef\xbb\xbftwo\n", 14);
	assert_next("one");
	assert_next("\xef\xbb\xbftwo");
	assert_end();
}

TEST(a_file_is_read_as_it_was_when_it_was_opened_and_can_be_read_again)
{
	open_file("one\ntwo\n", 8);
	assert_int_equal(truncate(path, 0), 0);
	for (int i = 0; i < 2; i++) {
		assert_next("one");
		assert_int_equal(reader.number, 1);
		assert_next("two");
		assert_int_equal(mr_line_reader_next(&reader, &err), 0);
		mr_line_reader_rewind(&reader);
	}
	mr_line_reader_close(&reader);
}

TEST(blanks_around_a_line_can_be_removed)
{
	static const struct {
		const char *line, *trimmed;
	} cases[] = { { "a", "a" },   { " a b\t", "a b" }, { "\ta", "a" },
		      { "a  ", "a" }, { " \t ", "" },      { "", "" } };
	char text[64] = "";

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		strcat(text, cases[i].line);
		strcat(text, "\n");
	}
	open_file(text, strlen(text));
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
			assert_next(cases[i].line);
			mr_line_reader_trim(&reader);
			assert_string_equal(reader.line, cases[i].trimmed);
			assert_int_equal(reader.length, strlen(cases[i].trimmed));
		}
		/* trimming has not changed the text in the buffer */
		mr_line_reader_rewind(&reader);
	}
	mr_line_reader_close(&reader);
}

TEST(a_line_has_a_greatest_length)
{
	static char text[MR_LINE_MAX + 8];

	memset(text, 'x', sizeof(text));
	text[MR_LINE_MAX] = '\n';
	open_file(text, MR_LINE_MAX + 2);
	assert_int_equal(mr_line_reader_next(&reader, &err), 1);
	assert_int_equal(reader.length, MR_LINE_MAX);
	assert_next("x");
	assert_end();
	text[MR_LINE_MAX] = 'x';
	text[MR_LINE_MAX + 1] = '\n';
	open_file(text, MR_LINE_MAX + 2);
	assert_next_fails(EMSGSIZE, MR_ERROR_USAGE, "longer than 65535 bytes");
	mr_line_reader_close(&reader);
	open_file(text, MR_LINE_MAX + 1); /* the limit counts without the newline */
	assert_next_fails(EMSGSIZE, MR_ERROR_USAGE, "longer than 65535 bytes");
	mr_line_reader_close(&reader);
}

TEST(a_line_of_a_pipe_is_read_before_more_data_arrive)
{
	int fd = open_pipe();

	/* A line is returned before more is written, and bytes behind it are kept for the next one. */
	assert_int_equal(write(fd, "one\ntw", 6), 6);
	assert_next("one");
	assert_int_equal(write(fd, "o\nthree\nfour", 12), 12);
	assert_next("two");
	assert_next("three");
	close(fd);
	assert_next("four");
	assert_end();
}

/* Writes more lines than the buffer has room for. */
static void write_much(int fd, int lines)
{
	char line[64];

	for (int i = 0; i < lines; i++) {
		int length = snprintf(line, sizeof(line), "line %d of many\n", i);

		if (write(fd, line, (size_t)length) != length)
			_exit(1);
	}
}

static void expect_much(int lines)
{
	char line[64];

	for (int i = 0; i < lines; i++) {
		snprintf(line, sizeof(line), "line %d of many", i);
		assert_next(line);
	}
	assert_end();
}

TEST(a_pipe_or_a_file_may_bring_more_than_the_buffer_holds)
{
	enum { LINES = 10000 };
	int fd = open_pipe(), status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		write_much(fd, LINES);
		_exit(0);
	}
	close(fd);
	expect_much(LINES);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	fd = open(path, O_WRONLY | O_TRUNC);
	write_much(fd, LINES);
	close(fd);
	assert_int_equal(mr_line_reader_open(&reader, path, &err), 0);
	expect_much(LINES);
}

static int make_file(void **state __attribute__((unused)))
{
	int fd = mkstemp(path);

	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state __attribute__((unused)))
{
	return unlink(path);
}

ALL_TESTS(make_file, remove_file)
