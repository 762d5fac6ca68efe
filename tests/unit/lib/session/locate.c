// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Finding a session by the words of --session and MRCTL_SESSION. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "lib/session/locate.h"
#include "lib/session/open.h"
#include "tests/unit/unit.h"

static struct mr_error err;

TEST(words_for_a_session_are_checked)
{
	static const char *const bad[] = { "",
					   "x",
					   "fd:",
					   "fd:x",
					   "fd:-1",
					   "-1",
					   "pid:",
					   "pid:x",
					   "pid:-1",
					   "pid: 1",
					   "fd:1x",
					   "FD:1",
					   "fd:99999999999",
					   "pid:99999999999",
					   "socket:1" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		int fd = -1, borrowed = -1;

		assert_equal_for(bad[i], mr_session_locate(bad[i], &fd, &borrowed, &err), -EINVAL);
		assert_equal_for(bad[i], err.kind, MR_ERROR_USAGE);
		assert_contains(err.text, bad[i]);
	}
}

TEST(a_descriptor_is_named_with_or_without_its_prefix)
{
	int fd = -1, borrowed = -1;

	assert_int_equal(mr_session_locate("fd:1", &fd, &borrowed, &err), 0);
	assert_int_equal(fd, 1);
	assert_int_equal(mr_session_locate("2", &fd, &borrowed, &err), 0);
	assert_int_equal(fd, 2);
	assert_int_equal(borrowed, -1);
}

TEST(a_closed_descriptor_is_reported_with_the_likely_cause)
{
	int fd, borrowed = -1;

	assert_int_equal(mr_session_locate("fd:777", &fd, &borrowed, &err), -EBADF);
	assert_int_equal(err.kind, MR_ERROR_ABSENT);
	assert_contains(err.text, "777");
	assert_contains(err.hint, "sudo");
	assert_contains(err.hint, "pass_fds=(777,)");
}

/* Start a process that sleeps.  @where: MRCTL_SESSION in its environment; NULL: not set; "itself": its own pid */
static pid_t start_sleeper(const char *where)
{
	int ready[2];
	pid_t pid;
	char c;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		char itself[32];

		snprintf(itself, sizeof(itself), "pid:%d", (int)getpid());
		unsetenv(MR_SESSION_VARIABLE);
		if (where)
			setenv(MR_SESSION_VARIABLE, strcmp(where, "itself") ? where : itself, 1);
		mr_session_allow_joining(&err);
		execlp("sleep", "sleep", "60", NULL);
		_exit(1);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &c, 1), 0); /* the pipe is closed at exec */
	close(ready[0]);
	return pid;
}

static int join_process(pid_t pid, int *borrowed)
{
	char where[32];
	int fd;

	*borrowed = -1;
	snprintf(where, sizeof(where), "pid:%d", (int)pid);
	return mr_session_locate(where, &fd, borrowed, &err);
}

static void stop_sleeper(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* valgrind 3.19 does not know pidfd_open. */
static void need_pidfd(void)
{
	if (getenv("WRAP"))
		skip();
}

TEST(the_descriptor_is_taken_that_the_environment_of_a_process_names)
{
	int pipes[2], borrowed;
	char where[32], c = 0;
	pid_t pid;

	need_pidfd();
	assert_int_equal(pipe(pipes), 0);
	snprintf(where, sizeof(where), "fd:%d", pipes[0]);
	pid = start_sleeper(where);
	assert_int_equal(join_process(pid, &borrowed), 0);
	assert_int_equal(fcntl(borrowed, F_GETFD), FD_CLOEXEC);
	assert_int_equal(write(pipes[1], "s", 1), 1);
	assert_int_equal(read(borrowed, &c, 1), 1);
	assert_int_equal(c, 's');
	close(borrowed);
	stop_sleeper(pid);
	close(pipes[0]);
	close(pipes[1]);
}

TEST(a_process_without_a_session_is_named)
{
	int borrowed;
	pid_t pid;

	need_pidfd();
	pid = start_sleeper(NULL);
	assert_int_equal(join_process(pid, &borrowed), -ENOENT);
	assert_int_equal(err.kind, MR_ERROR_ABSENT);
	assert_contains(err.text, "was not started in a session");
	stop_sleeper(pid);
	assert_int_equal(join_process(pid, &borrowed), -ESRCH);
	assert_int_equal(err.kind, MR_ERROR_ABSENT);
	assert_contains(err.text, "has ended");
}

TEST(no_process_has_the_number_0)
{
	int fd = -1, borrowed = -1;

	assert_int_equal(mr_session_locate("pid:0", &fd, &borrowed, &err), -ESRCH);
	assert_int_equal(err.kind, MR_ERROR_ABSENT);
	assert_contains(err.text, "0 is the number of no process");
}

static void *tell_number(void *pipes)
{
	pid_t number = gettid();
	char c;

	if (write(((int *)pipes)[1], &number, sizeof(number)) < 0)
		return NULL;
	return read(((int *)pipes)[2], &c, 1) < 0 ? NULL : pipes;
}

TEST(a_thread_is_not_taken_for_a_process)
{
	int there[2], back[2], borrowed;
	char process[32];
	pthread_t thread;
	pid_t number;

	need_pidfd();
	assert_int_equal(pipe(there) | pipe(back), 0);
	assert_int_equal(
		pthread_create(&thread, NULL, tell_number, (int[]){ there[0], there[1], back[0] }),
		0);
	assert_int_equal(read(there[0], &number, sizeof(number)), sizeof(number));
	assert_int_equal(join_process(number, &borrowed), -ESRCH);
	assert_int_equal(err.kind, MR_ERROR_ABSENT);
	assert_contains(err.text, "is a thread, and no process");
	snprintf(process, sizeof(process), "pid:%d", (int)getpid());
	assert_contains(err.hint, process);
	close(back[1]);
	pthread_join(thread, NULL);
	close(back[0]);
	close(there[0]);
	close(there[1]);
}

TEST(a_process_that_has_closed_the_descriptor_is_named)
{
	int borrowed;
	pid_t pid;

	need_pidfd();
	pid = start_sleeper("fd:777");
	assert_int_equal(join_process(pid, &borrowed), -EBADF);
	assert_int_equal(err.kind, MR_ERROR_ABSENT);
	assert_contains(err.text, "has closed descriptor 777");
	stop_sleeper(pid);
}

TEST(the_session_of_a_zombie_has_ended)
{
	int borrowed;
	siginfo_t info;
	pid_t pid;

	need_pidfd();
	pid = start_sleeper("fd:0");
	kill(pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_true(join_process(pid, &borrowed) < 0);
	assert_int_equal(err.kind, MR_ERROR_ABSENT);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

TEST(an_environment_with_a_malformed_session_is_named)
{
	int borrowed;
	pid_t pid;

	need_pidfd();
	pid = start_sleeper("fd:x");
	assert_int_equal(join_process(pid, &borrowed), -EINVAL);
	assert_int_equal(err.kind, MR_ERROR_ABSENT);
	assert_contains(err.text, "has an invalid session: 'fd:x'");
	stop_sleeper(pid);
	pid = start_sleeper("");
	assert_int_equal(join_process(pid, &borrowed), -ENOENT);
	assert_contains(err.text, "was not started in a session");
	stop_sleeper(pid);
}

/* Start a process that has joined the session of process @pid. */
static pid_t start_follower(pid_t pid)
{
	char where[32];

	snprintf(where, sizeof(where), "pid:%d", (int)pid);
	return start_sleeper(where);
}

TEST(a_process_that_joined_another_leads_to_the_same_session)
{
	int pipes[2], borrowed;
	char where[32], c = 0;
	pid_t first, second, third;

	need_pidfd();
	assert_int_equal(pipe(pipes), 0);
	snprintf(where, sizeof(where), "fd:%d", pipes[0]);
	first = start_sleeper(where);
	second = start_follower(first);
	third = start_follower(second);
	assert_int_equal(join_process(third, &borrowed), 0);
	assert_int_equal(write(pipes[1], "s", 1), 1);
	assert_int_equal(read(borrowed, &c, 1), 1);
	close(borrowed);
	stop_sleeper(first);
	assert_int_equal(join_process(third, &borrowed), -ESRCH);
	assert_int_equal(err.kind, MR_ERROR_ABSENT);
	snprintf(where, sizeof(where), "process %d is that of process %d", (int)third, (int)first);
	assert_contains(err.text, where);
	stop_sleeper(second);
	stop_sleeper(third);
	close(pipes[0]);
	close(pipes[1]);
}

TEST(processes_that_lead_to_each_other_are_refused)
{
	int borrowed;
	pid_t pid;

	need_pidfd();
	pid = start_sleeper("itself");
	assert_int_equal(join_process(pid, &borrowed), -ELOOP);
	assert_int_equal(err.kind, MR_ERROR_ABSENT);
	assert_contains(err.text, "without end");
	stop_sleeper(pid);
}

/* Runs in a child process, as another user.  Return: 7 if joining is refused as it should be. */
static int join_as_nobody(pid_t pid)
{
	int borrowed;

	if (setresuid(65534, 65534, 65534) || join_process(pid, &borrowed) != -EPERM)
		return 1;
	return err.kind == MR_ERROR_HOST && strstr(err.text, "cannot take the session out") &&
			       strstr(err.hint, "belongs to another user")
		       ? 7
		       : 2;
}

TEST(a_process_of_another_user_is_not_joined)
{
	int status;
	pid_t sleeper, pid;

	need_pidfd();
	if (getuid())
		skip();
	sleeper = start_sleeper("fd:0");
	fflush(NULL);
	pid = fork();
	if (!pid)
		_exit(join_as_nobody(sleeper));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
	stop_sleeper(sleeper);
}

/* An environment without a terminating zero: all its bytes are the same. */
struct endless {
	char byte;
	size_t bytes_read;
};

static ssize_t read_endless(void *cookie, char *buffer, size_t size)
{
	struct endless *endless = cookie;

	memset(buffer, endless->byte, size);
	endless->bytes_read += size;
	return (ssize_t)size;
}

TEST(an_endless_environment_is_read_up_to_a_limit)
{
	static const char bytes[] = { 'x', '\0' };

	for (size_t i = 0; i < sizeof(bytes); i++) {
		struct endless endless = { .byte = bytes[i] };
		FILE *environment =
			fopencookie(&endless, "r", (cookie_io_functions_t){ .read = read_endless });
		char value[MR_LOCATION_SIZE];
		bool any;

		assert_non_null(environment);
		assert_false(mr_session_find_variable(environment, value, &any));
		assert_int_equal(errno, 0);
		assert_true(any);
		assert_true(endless.bytes_read < 16 << 20);
		fclose(environment);
	}
}

/* @size: bytes of the environment; each text in it ends with '\0' */
static bool find_in(const char *environment, size_t size, char value[MR_LOCATION_SIZE], bool *any)
{
	FILE *file = fmemopen((char *)environment, size, "r");
	bool found;

	assert_non_null(file);
	found = mr_session_find_variable(file, value, any);
	fclose(file);
	return found;
}

TEST(the_variable_is_found_among_others)
{
	static const char set[] =
		"A=1\0XMRCTL_SESSION=fd:1\0\0MRCTL_SESSION=\0MRCTL_SESSION=fd:7\0Z=";
	static const char unset[] = "A=1\0MRCTL_SESSION=";
	char value[MR_LOCATION_SIZE], text[3 * MR_LOCATION_SIZE];
	bool any = false;

	assert_true(find_in(set, sizeof(set), value, &any));
	assert_string_equal(value, "fd:7");
	assert_true(any);
	assert_false(find_in(unset, sizeof(unset), value, &any));
	assert_int_equal(errno, 0);
	assert_true(any);
	memset(text, '1', sizeof(text));
	memcpy(text, "MRCTL_SESSION=", strlen("MRCTL_SESSION="));
	assert_true(find_in(text, sizeof(text), value, &any));
	assert_int_equal(strlen(value), MR_LOCATION_SIZE - 1);
}
