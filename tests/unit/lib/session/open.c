// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Creating and opening the descriptor of a session, and refusing other descriptors. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "lib/session/open.h"
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

/* Create a session whose device is this descriptor. */
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

TEST(a_descriptor_that_was_not_sent_as_a_session_is_refused)
{
	int sockets[2], pipes[2], before = open_descriptors();

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets), 0);
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(open_fd(sockets[0]), -ENOTCONN); /* an empty socket: must not wait */
	assert_int_equal(err.kind, MR_ERROR_ABSENT);
	assert_contains(err.text, "is no mrctl session");
	close(sockets[1]);
	assert_int_equal(open_fd(sockets[0]), -ENOTCONN); /* a socket whose peer has closed it */
	assert_int_equal(open_fd(pipes[0]), -ENOTCONN);
	assert_contains(err.text, "is no mrctl session");
	close(sockets[0]);
	close(pipes[0]);
	close(pipes[1]);
	assert_int_equal(open_descriptors(), before);
}

/* Send this message to a socket, and open the socket as a session.  Return: that of mr_session_open(). */
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

/* With these options the kernel adds credentials and a pidfd of the sender to each message. */
TEST(descriptors_that_the_kernel_adds_to_a_message_are_not_taken_for_the_session)
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

TEST(running_out_of_descriptors_is_not_reported_as_a_foreign_session)
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

TEST(a_file_in_place_of_the_table_is_no_session)
{
	int null = open("/dev/null", O_RDWR);
	const int fds[] = { null, null };

	assert_int_equal(open_message(greeting, sizeof(greeting), fds, 2), -EPROTO);
	assert_contains(err.text, "table");
	assert_true(err.hint[0]);
	close(null);
}

TEST(a_descriptor_that_is_no_device_gets_no_ioctl)
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
