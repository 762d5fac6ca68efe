/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shares what all unit tests need. */
#ifndef TESTS_UNIT_UNIT_H
#define TESTS_UNIT_UNIT_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof(*(array)))

/** A test that its file has registered. */
struct unit_test {
	struct CMUnitTest test;
	const char *file;
	int line;
	struct unit_test *next;
};

/** The functions that run before and after the tests of a file: all of them (once), or each. */
struct unit_fixture {
	const char *file;
	CMFixtureFunction set_up, tear_down;
	bool each;
	struct unit_fixture *next;
};

void unit_add_test(struct unit_test *test);
void unit_add_fixture(struct unit_fixture *fixture);

/** TEST_WITH() - define a test that runs between @set_up and @tear_down */
#define TEST_WITH(name, set_up, tear_down)                                                         \
	static void name(void **state);                                                            \
	__attribute__((constructor)) static void add_##name(void)                                  \
	{                                                                                          \
		static struct unit_test test = {                                                   \
			.test = cmocka_unit_test_setup_teardown(name, set_up, tear_down),          \
			.file = __FILE__,                                                          \
			.line = __LINE__,                                                          \
		};                                                                                 \
                                                                                                   \
		unit_add_test(&test);                                                              \
	}                                                                                          \
	static void name(void **state __attribute__((unused)))

/** TEST() - define a test */
#define TEST(name) TEST_WITH(name, NULL, NULL)

#define UNIT_FIXTURE(name, function_before, function_after, of_each)                               \
	__attribute__((constructor)) static void name(void)                                        \
	{                                                                                          \
		static struct unit_fixture fixture = {                                             \
			.file = __FILE__,                                                          \
			.set_up = function_before,                                                 \
			.tear_down = function_after,                                               \
			.each = of_each,                                                           \
		};                                                                                 \
                                                                                                   \
		unit_add_fixture(&fixture);                                                        \
	}

/** EACH_TEST() - run @set_up before each test of this file, and @tear_down after it; one may be NULL */
#define EACH_TEST(set_up, tear_down) UNIT_FIXTURE(add_fixture_of_each, set_up, tear_down, true)

/** ALL_TESTS() - run @set_up before the first test of this file, and @tear_down after the last one */
#define ALL_TESTS(set_up, tear_down) UNIT_FIXTURE(add_fixture_of_all, set_up, tear_down, false)

/* Names the input on which a table-driven test failed; cmocka would print only the numbers. */
#define assert_equal_for(input, actual, expected)                                                  \
	do {                                                                                       \
		uint64_t actual_ = (uint64_t)(actual), expected_ = (uint64_t)(expected);           \
                                                                                                   \
		if (actual_ != expected_)                                                          \
			fail_msg("'%s': " #actual " is %lld (0x%llx), not %lld (0x%llx)", input,   \
				 (long long)actual_, (unsigned long long)actual_,                  \
				 (long long)expected_, (unsigned long long)expected_);             \
	} while (0)

/** row_name() - return the name of a row that has no text, for assert_equal_for() */
static inline const char *row_name(size_t row)
{
	static char name[32];

	snprintf(name, sizeof(name), "row %zu", row);
	return name;
}

#define assert_contains(text, part)                                                                \
	do {                                                                                       \
		if (!strstr(text, part))                                                           \
			fail_msg("no '%s' in '%s'", part, text);                                   \
	} while (0)

/* Checks the result of a call that fails, and the kind and a part of the text of its error, a struct mr_error. */
#define assert_failure(call, rc, error, of_kind, part)                                             \
	do {                                                                                       \
		assert_equal_for(part, call, rc);                                                  \
		assert_equal_for(part, (error).kind, of_kind);                                     \
		assert_contains((error).text, part);                                               \
	} while (0)

/** in_child() - run @body in a process of its own; return its exit status, or 128 and the signal that ended it */
static inline int in_child(int (*body)(void))
{
	pid_t pid;
	int status;

	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		alarm(300);
		_exit(body());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/** start_child() - start a process that waits, once @prepare has returned true in it (NULL: at once); return 0 if not */
static inline pid_t start_child(bool (*prepare)(void))
{
	char byte = 0;
	int ready[2];
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if ((!prepare || prepare()) && write(ready[1], &byte, 1) == 1)
			pause();
		_exit(1);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1) {
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		pid = 0;
	}
	close(ready[0]);
	return pid;
}

/** end_child() - kill a process, and wait for its end */
static inline void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/** count_descriptors() - return how many are open, and three more */
static inline int count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

/** The data written to a descriptor between capture_begin() and capture_end(). */
struct capture {
	int fd, saved;
	FILE *file;
	char text[65536];
};

/** capture_begin() - redirect a descriptor to a file */
static inline void capture_begin(struct capture *c, int fd)
{
	fflush(NULL);
	c->fd = fd;
	c->file = tmpfile();
	assert_non_null(c->file);
	c->saved = dup(fd);
	assert_true(c->saved >= 0);
	assert_int_equal(dup2(fileno(c->file), fd), fd);
}

/** capture_end() - restore the descriptor; return what was written, as a string */
static inline const char *capture_end(struct capture *c)
{
	size_t length;

	fflush(NULL);
	dup2(c->saved, c->fd);
	close(c->saved);
	rewind(c->file);
	length = fread(c->text, 1, sizeof(c->text) - 1, c->file);
	c->text[length] = '\0';
	fclose(c->file);
	return c->text;
}

#endif
