// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Descriptors that are no session.  table/hostile.c has files that are no table. */
#include <infiniband/verbs.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "lib/session/session.h"
#include "lib/verbs/verbs.h"
#include "tests/unit/unit.h"

static struct mr_error err;
static struct mr_session session;
static int null;

static int set_up(void **state __attribute__((unused)))
{
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	return null < 0;
}

static int tear_down(void **state __attribute__((unused)))
{
	return close(null);
}

/* Creates a session whose device is no device. */
static int session_of_null(void)
{
	struct ibv_context context = { .cmd_fd = null };
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

TEST(a_descriptor_that_was_not_sent_as_a_session_is_refused)
{
	int sockets[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets), 0);
	assert_int_equal(open_fd(sockets[0]), -ENOTCONN); /* an empty socket: must not wait */
	assert_int_equal(err.kind, MR_ERROR_ABSENT);
	assert_contains(err.text, "is not an mrctl session");
	close(sockets[1]);
	assert_int_equal(open_fd(sockets[0]), -ENOTCONN); /* a socket whose peer has closed it */
	close(sockets[0]);
	assert_int_equal(open_fd(null), -ENOTCONN);
	assert_contains(err.text, "is not an mrctl session");
}

/* Sends this message with @count times /dev/null to a socket, and opens the socket as a session. */
static int open_message(const char *text, size_t length, size_t count)
{
	union {
		char bytes[CMSG_SPACE(8 * sizeof(int))];
		struct cmsghdr align;
	} control = { .bytes = { 0 } };
	struct iovec iov = { .iov_base = (char *)(uintptr_t)text, .iov_len = length };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1 };
	const int fds[] = { null, null, null, null, null, null, null, null };
	int sockets[2], rc;

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
	rc = open_fd(sockets[0]);
	close(sockets[0]);
	close(sockets[1]);
	return rc;
}

TEST(other_messages_are_no_session)
{
	static const char greeting[] = "mrctl session 1";
	static const struct {
		const char *name, *text;
		size_t length, count;
		int rc;
		const char *part;
	} cases[] = {
		{ "a byte", "x", 1, 2, -ENOTCONN, "is not an mrctl session" },
		{ "more", "mrctl session 1\0more", 20, 2, -ENOTCONN, "is not an mrctl session" },
		{ "no descriptor", greeting, sizeof(greeting), 0, -ENOTCONN, "two descriptors" },
		{ "one", greeting, sizeof(greeting), 1, -ENOTCONN, "two descriptors" },
		{ "three", greeting, sizeof(greeting), 3, -ENOTCONN, "two descriptors" },
		{ "eight", greeting, sizeof(greeting), 8, -ENOTCONN, "two descriptors" },
		{ "newer", "mrctl session 2", sizeof(greeting), 2, -EPROTO, "another version" },
		{ "no table", greeting, sizeof(greeting), 2, -EPROTO, "table" },
	};

	for (typeof(*cases) *c = cases; c < cases + ARRAY_SIZE(cases); c++) {
		assert_equal_for(c->name, open_message(c->text, c->length, c->count), c->rc);
		assert_equal_for(c->name, err.kind, MR_ERROR_ABSENT);
		assert_contains(err.text, c->part);
	}
	assert_true(err.hint[0]);
}

/* With these options the kernel adds credentials and a pidfd of the sender to each message. */
TEST(descriptors_that_the_kernel_adds_to_a_message_are_not_taken_for_the_session)
{
	static const int options[] = { SO_PASSCRED, 76 /* SO_PASSPIDFD */ };
	int fd = session_of_null(), on = 1;

	assert_failure(open_fd(fd), -EPROTO, err, MR_ERROR_ABSENT, "its device is not an RDMA device");
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (!setsockopt(fd, SOL_SOCKET, options[i], &on, sizeof(on))) /* since Linux 6.5 */
			assert_true(open_fd(fd) < 0);
	close(fd);
}

TEST(running_out_of_descriptors_is_not_reported_as_a_foreign_session)
{
	int fd = session_of_null(), free_fd = dup(null);
	struct rlimit limit, none;

	close(free_fd);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	for (unsigned int left = 0; left < 2; left++) {
		none = limit;
		none.rlim_cur = (rlim_t)free_fd + left;
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
		assert_int_equal(open_fd(fd), -EMFILE);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
		assert_int_equal(err.kind, MR_ERROR_HOST);
	}
	close(fd);
}

EACH_TEST(set_up, tear_down)
