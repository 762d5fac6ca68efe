// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A session's descriptor: how it is made, joined, and told from what is none; and REGION words. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "lib/session/locate.h"
#include "lib/session/open.h"
#include "lib/session/operand.h"
#include "lib/session/table/entries.h"
#include "lib/session/table/file.h"
#include "lib/session/table/lock.h"
#include "lib/verbs/device.h"
#include "tests/unit/unit.h"

static struct mr_error err;
static struct mr_session session;

static int open_descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	int count = 0;

	assert_non_null(d);
	while (readdir(d))
		count++;
	closedir(d);
	return count;
}

/* A session whose device is that descriptor. */
static int session_of(int device_fd)
{
	struct ibv_context context = { .cmd_fd = device_fd };
	struct ibv_pd pd = { .context = &context, .handle = 5 };
	struct mr_device device = { .context = &context, .pd = &pd };
	struct mr_environment environment = { .device = "dev0", .provider = "mlx5" };
	int fd = -1;

	assert_int_equal(mr_session_create(&device, &environment, &fd, &err), 0);
	return fd;
}

static int open_fd(int fd)
{
	char where[32];

	snprintf(where, sizeof(where), "fd:%d", fd);
	return mr_session_open(where, &session, &err);
}

TEST(a_session_is_one_descriptor_that_programs_inherit)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), before = open_descriptors(), fd;

	fd = session_of(null);
	assert_int_equal(open_descriptors(), before + 1);
	assert_true(fd >= 100);
	assert_int_equal(fcntl(fd, F_GETFD), 0);
	close(fd);
	close(null);
}

TEST(a_second_session_has_a_descriptor_of_its_own)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), first = session_of(null),
	    second = session_of(null);

	assert_true(second > first);
	close(first);
	close(second);
	close(null);
}

TEST(what_is_not_sent_as_a_session_is_none)
{
	int sockets[2], pipes[2], before = open_descriptors();

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets), 0);
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(open_fd(sockets[0]), -ENOTCONN); /* empty: must not wait */
	assert_int_equal(err.kind, MR_ERROR_ABSENT);
	assert_contains(err.text, "is no mrctl session");
	close(sockets[1]);
	assert_int_equal(open_fd(sockets[0]), -ENOTCONN); /* at its end */
	assert_int_equal(open_fd(pipes[0]), -ENOTCONN);
	assert_contains(err.text, "is no mrctl session");
	close(sockets[0]);
	close(pipes[0]);
	close(pipes[1]);
	assert_int_equal(open_descriptors(), before);
}

/* Sends such a message and opens what it is taken for; its descriptors are closed here. */
static int open_message(const char *text, size_t length, const int *fds, size_t count)
{
	union {
		char bytes[CMSG_SPACE(8 * sizeof(int))];
		struct cmsghdr align;
	} control = { .bytes = { 0 } };
	struct iovec iov = { .iov_base = (char *)(uintptr_t)text, .iov_len = length };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1 };
	int sockets[2], before, rc;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets), 0);
	if (count) {
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(count * sizeof(int));
		CMSG_FIRSTHDR(&message)->cmsg_level = SOL_SOCKET;
		CMSG_FIRSTHDR(&message)->cmsg_type = SCM_RIGHTS;
		CMSG_FIRSTHDR(&message)->cmsg_len = CMSG_LEN(count * sizeof(int));
		memcpy(CMSG_DATA(CMSG_FIRSTHDR(&message)), fds, count * sizeof(int));
	}
	assert_int_equal(sendmsg(sockets[1], &message, 0), length);
	before = open_descriptors();
	rc = open_fd(sockets[0]);
	if (rc)
		assert_int_equal(open_descriptors(), before);
	close(sockets[0]);
	close(sockets[1]);
	return rc;
}

static const char greeting[] = "mrctl session 1";

TEST(another_message_is_no_session)
{
	int null = open("/dev/null", O_RDWR);
	const int fds[] = { null, null, null, null, null, null, null, null };

	assert_int_equal(open_message("x", 1, fds, 2), -ENOTCONN);
	assert_contains(err.text, "is no mrctl session");
	for (size_t count = 0; count <= ARRAY_SIZE(fds); count++) {
		if (count == 2)
			continue;
		assert_int_equal(open_message(greeting, sizeof(greeting), fds, count), -ENOTCONN);
		assert_int_equal(err.kind, MR_ERROR_ABSENT);
		assert_contains(err.text, "does not carry two descriptors");
	}
	assert_int_equal(open_message("mrctl session 1\0more", 20, fds, 2), -ENOTCONN);
	close(null);
}

/* The kernel adds a descriptor of the sender then, and says who that is. */
TEST(what_the_kernel_adds_to_a_message_is_not_taken_for_a_session_s)
{
	static const int options[] = { SO_PASSCRED, 76 /* SO_PASSPIDFD */ };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), fd = session_of(null), on = 1, before;

	before = open_descriptors();
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		if (setsockopt(fd, SOL_SOCKET, options[i], &on, sizeof(on)))
			continue; /* Linux before 6.5 */
		assert_true(open_fd(fd) < 0);
		assert_int_equal(open_descriptors(), before);
	}
	close(fd);
	close(null);
}

TEST(a_session_for_which_there_are_no_descriptors_left_is_not_called_another_thing)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), fd = session_of(null), before, free_fd;
	struct rlimit limit, none;

	before = open_descriptors();
	free_fd = dup(null);
	close(free_fd);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	for (unsigned int left = 0; left < 2; left++) {
		none = limit;
		none.rlim_cur = (rlim_t)free_fd + left;
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
		assert_int_equal(open_fd(fd), -EMFILE);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
		assert_int_equal(err.kind, MR_ERROR_HOST);
		assert_int_equal(open_descriptors(), before);
	}
	close(fd);
	close(null);
}

TEST(a_message_of_another_version_is_named_so)
{
	int null = open("/dev/null", O_RDWR);
	const int fds[] = { null, null };

	assert_int_equal(open_message("mrctl session 2", sizeof(greeting), fds, 2), -EPROTO);
	assert_contains(err.text, "another version");
	close(null);
}

TEST(a_file_in_the_place_of_the_table_is_no_session)
{
	int null = open("/dev/null", O_RDWR);
	const int fds[] = { null, null };

	assert_int_equal(open_message(greeting, sizeof(greeting), fds, 2), -EPROTO);
	assert_contains(err.text, "table");
	assert_true(err.hint[0]);
	close(null);
}

TEST(a_device_that_is_none_gets_no_call)
{
	int pipes[2], null = open("/dev/null", O_RDWR), fd = session_of(null);

	assert_int_equal(open_fd(fd), -EPROTO);
	assert_int_equal(err.kind, MR_ERROR_ABSENT);
	assert_contains(err.text, "no RDMA device");
	close(fd);
	assert_int_equal(pipe(pipes), 0);
	fd = session_of(pipes[0]);
	assert_int_equal(open_fd(fd), -EPROTO);
	assert_contains(err.text, "no RDMA device");
	close(fd);
	close(pipes[0]);
	close(pipes[1]);
	close(null);
}

TEST(a_simulated_device_outside_the_simulator_is_named_so)
{
	int memfd = memfd_create("device", MFD_ALLOW_SEALING), before, fd = session_of(memfd);

	before = open_descriptors();
	assert_int_equal(open_fd(fd), -ENODEV);
	assert_int_equal(err.kind, MR_ERROR_ABSENT);
	assert_contains(err.text, "simulated");
	assert_contains(err.hint, "mrctl sim");
	assert_int_equal(open_descriptors(), before);
	close(fd);
	close(memfd);
}

/* ---- where a session is ---- */

TEST(words_that_say_where_a_session_is_are_checked)
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

TEST(a_closed_descriptor_is_told_with_what_closes_it)
{
	int fd, borrowed = -1;

	assert_int_equal(mr_session_locate("fd:777", &fd, &borrowed, &err), -EBADF);
	assert_int_equal(err.kind, MR_ERROR_ABSENT);
	assert_contains(err.text, "777");
	assert_contains(err.hint, "sudo");
	assert_contains(err.hint, "pass_fds=(777,)");
}

/* A process that sleeps, with that MRCTL_SESSION (or none) in its environment. */
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
		unsetenv(MR_SESSION_VARIABLE);
		if (where)
			setenv(MR_SESSION_VARIABLE, where, 1);
		mr_session_allow_joining(&err);
		execlp("sleep", "sleep", "60", NULL);
		_exit(1);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &c, 1), 0); /* at exec */
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

TEST(a_process_lends_the_descriptor_that_its_environment_names)
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

TEST(a_thread_is_told_from_its_process)
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

/* ---- REGION ---- */

static void open_table(void)
{
	static const struct mr_table_device facts = { .name = "dev0" };
	struct mr_entry entry = { .name = "buf0" };
	uint32_t slot;

	session = (struct mr_session){ .uverbs = { .fd = -1 } };
	assert_int_equal(mr_table_create(&facts, &session.table, &err), 0);
	assert_int_equal(mr_table_lock(&session.table, &err), 0);
	assert_int_equal(mr_table_add(&session.table, &entry, &slot, &err), 0);
	entry.handle = 42;
	entry.lkey = 0x1805;
	entry.rkey = 0x1806;
	assert_true(mr_table_commit(&session.table, slot, &entry));
	mr_table_unlock(&session.table);
}

TEST(a_region_is_named_by_id_name_key_or_handle)
{
	static const char *const words[] = { "1",           "buf0",      "lkey:0x1805",
					     "rkey:0x1806", "rkey:6150", "mr:42" };

	open_table();
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		struct mr_operand selection;

		assert_equal_for(words[i], mr_operand_find(&session, words[i], &selection, &err),
				 0);
		assert_equal_for(words[i], selection.type, MR_OPERAND_ENTRY);
		assert_equal_for(words[i], selection.id, 1);
	}
	mr_session_close(&session);
}

TEST(a_region_that_is_not_there_is_named)
{
	static const char *const words[] = { "2",           "0",           "buf",
					     "lkey:0x1806", "rkey:0x1805", "18446744073709551615" };

	open_table();
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		struct mr_operand selection;

		assert_equal_for(words[i], mr_operand_find(&session, words[i], &selection, &err),
				 -ENOENT);
		assert_equal_for(words[i], err.kind, MR_ERROR_ABSENT);
		assert_contains(err.text, words[i]);
	}
	mr_session_close(&session);
}

TEST(a_handle_that_no_entry_names_is_an_object_of_the_kernel)
{
	struct mr_operand selection;

	open_table();
	assert_int_equal(mr_operand_find(&session, "mr:43", &selection, &err), 0);
	assert_int_equal(selection.type, MR_OPERAND_OBJECT);
	assert_int_equal(selection.kind, MR_KIND_MR);
	assert_int_equal(selection.handle, 43);
	mr_session_close(&session);
}

TEST(a_handle_names_only_a_region_of_the_kind_that_is_asked_for)
{
	struct mr_entry umem = { .call = MR_UMEM_REG, .name = "q" };
	struct mr_operand selection;
	uint32_t slot;

	open_table();
	assert_int_equal(mr_table_lock(&session.table, &err), 0);
	assert_int_equal(mr_table_add(&session.table, &umem, &slot, &err), 0);
	umem.handle = 44;
	assert_true(mr_table_commit(&session.table, slot, &umem));
	mr_table_unlock(&session.table);
	assert_int_equal(mr_operand_find(&session, "umem:44", &selection, &err), 0);
	assert_int_equal(selection.type, MR_OPERAND_ENTRY);
	assert_int_equal(selection.id, umem.id);
	assert_int_equal(mr_operand_find(&session, "q", &selection, &err), 0);
	assert_int_equal(selection.id, umem.id);
	/* the kernel has to say that it is none */
	assert_int_equal(mr_operand_find(&session, "mr:44", &selection, &err), 0);
	assert_int_equal(selection.type, MR_OPERAND_OBJECT);
	assert_int_equal(selection.kind, MR_KIND_MR);
	assert_int_equal(mr_operand_find(&session, "umem:42", &selection, &err), 0);
	assert_int_equal(selection.type, MR_OPERAND_OBJECT);
	assert_int_equal(selection.kind, MR_KIND_UMEM);
	assert_int_equal(selection.handle, 42);
	mr_session_close(&session);
}

TEST(a_protection_domain_is_named_by_its_name)
{
	struct mr_operand selection;

	open_table();
	assert_int_equal(mr_operand_find(&session, "pd:one", &selection, &err), 0);
	assert_int_equal(selection.type, MR_OPERAND_PD);
	assert_string_equal(selection.pd, "one");
	mr_session_close(&session);
}

TEST(a_malformed_region_is_a_usage_error)
{
	static const char *const words[] = { "",        "a b",
					     "lkey:",   "lkey:x",
					     "rkey:-1", "mr:",
					     "mr:x",    "pd:",
					     "pd:a b",  "lkey:0x100000000",
					     "qp:1",    "umem:",
					     "umem:x",  "99999999999999999999" };

	open_table();
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		struct mr_operand selection;

		assert_true(mr_operand_find(&session, words[i], &selection, &err) < 0);
		assert_equal_for(words[i], err.kind, MR_ERROR_USAGE);
	}
	mr_session_close(&session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_session_is_one_descriptor_that_programs_inherit),
		cmocka_unit_test(a_second_session_has_a_descriptor_of_its_own),
		cmocka_unit_test(what_is_not_sent_as_a_session_is_none),
		cmocka_unit_test(another_message_is_no_session),
		cmocka_unit_test(what_the_kernel_adds_to_a_message_is_not_taken_for_a_session_s),
		cmocka_unit_test(
			a_session_for_which_there_are_no_descriptors_left_is_not_called_another_thing),
		cmocka_unit_test(a_message_of_another_version_is_named_so),
		cmocka_unit_test(a_file_in_the_place_of_the_table_is_no_session),
		cmocka_unit_test(a_device_that_is_none_gets_no_call),
		cmocka_unit_test(a_simulated_device_outside_the_simulator_is_named_so),
		cmocka_unit_test(words_that_say_where_a_session_is_are_checked),
		cmocka_unit_test(a_descriptor_is_named_with_or_without_its_prefix),
		cmocka_unit_test(a_closed_descriptor_is_told_with_what_closes_it),
		cmocka_unit_test(a_process_lends_the_descriptor_that_its_environment_names),
		cmocka_unit_test(a_process_without_a_session_is_named),
		cmocka_unit_test(no_process_has_the_number_0),
		cmocka_unit_test(a_thread_is_told_from_its_process),
		cmocka_unit_test(a_process_that_has_closed_the_descriptor_is_named),
		cmocka_unit_test(a_region_is_named_by_id_name_key_or_handle),
		cmocka_unit_test(a_region_that_is_not_there_is_named),
		cmocka_unit_test(a_handle_that_no_entry_names_is_an_object_of_the_kernel),
		cmocka_unit_test(a_handle_names_only_a_region_of_the_kind_that_is_asked_for),
		cmocka_unit_test(a_protection_domain_is_named_by_its_name),
		cmocka_unit_test(a_malformed_region_is_a_usage_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
