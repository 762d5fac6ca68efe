// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Who may join a trace, and what others can do to it. */
#include "tests/unit/unit.h"

#include "tests/unit/lib/trace/play_agent.h"

static struct mr_channel channel;
static struct mr_trace_request got;

static int open_channel(void **state __attribute__((unused)))
{
	struct mr_error err;

	return mr_channel_open(&channel, &err);
}

static int close_channel(void **state __attribute__((unused)))
{
	mr_channel_close(&channel);
	mr_channel_close(&channel);
	return 0;
}

static int connection;
static pid_t pid;

/* Takes new connections, and reads what one of them asks for.  Return: whether one asked rightly */
static bool turn(void)
{
	do {
		connection = mr_channel_accept(&channel, &pid, &got);
	} while (connection == -EACCES);
	return connection >= 0;
}

static bool is_sent_away(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_DONTWAIT) == 0;
}

TEST(each_channel_has_a_name_and_a_token_of_its_own)
{
	struct mr_channel other;
	struct mr_error err;

	assert_int_equal(mr_channel_open(&other, &err), 0);
	assert_string_not_equal(other.name, channel.name);
	assert_string_not_equal(other.token, channel.token);
	assert_int_equal(strlen(channel.token), MR_TRACE_TOKEN);
	assert_int_equal(strspn(channel.token, "0123456789abcdef"), MR_TRACE_TOKEN);
	assert_int_equal(mr_channel_accept(&channel, &pid, &got), -EAGAIN);
	mr_channel_close(&other);
}

TEST(a_right_request_is_answered_with_the_descriptor)
{
	struct mr_trace_request request = play_request(&channel, MR_TRACE_JOIN);
	const int before = count_descriptors();
	int fd = play_connect(&channel), sent = open("/dev/null", O_RDONLY | O_CLOEXEC), received;

	memset(request.path, 'x', sizeof(request.path));
	assert_int_equal(send(fd, &request, sizeof(request), 0), sizeof(request));
	assert_true(turn());
	assert_int_equal(strlen(got.path), MR_TRACE_PATH - 1);
	assert_int_equal(pid, getpid());
	assert_int_equal(got.kind, MR_TRACE_JOIN);
	mr_channel_reply(connection, &(struct mr_trace_reply){ .magic = MR_TRACE_MAGIC }, sent);
	assert_int_equal(play_reply(fd, &received), sizeof(struct mr_trace_reply));
	assert_true(received >= 0);
	close(received);
	close(sent);
	close(fd);
	assert_int_equal(count_descriptors(), before);
}

TEST(wrong_requests_are_sent_away)
{
	static const struct {
		const char *what;
		size_t byte; /* that is changed */
		size_t more; /* bytes that are sent beyond a request; or fewer, if it is negative */
	} rows[] = {
		{ "magic", offsetof(struct mr_trace_request, magic), 0 },
		{ "version", offsetof(struct mr_trace_request, version), 0 },
		{ "first digit", offsetof(struct mr_trace_request, token), 0 },
		{ "last digit", offsetof(struct mr_trace_request, token) + MR_TRACE_TOKEN - 1, 0 },
		{ "a byte less", sizeof(struct mr_trace_request), (size_t)-1 },
		{ "a byte", sizeof(struct mr_trace_request), 1 - sizeof(struct mr_trace_request) },
		{ "a byte more", sizeof(struct mr_trace_request), 1 },
		{ "three times the size", sizeof(struct mr_trace_request),
		  2 * sizeof(struct mr_trace_request) },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned char bytes[3 * sizeof(struct mr_trace_request) + 1] = { 0 };
		const struct mr_trace_request right = play_request(&channel, MR_TRACE_JOIN);
		const size_t size = sizeof(right) + rows[i].more;
		int fd = play_connect(&channel);

		memcpy(bytes, &right, sizeof(right));
		bytes[rows[i].byte] ^= 1;
		assert_int_equal(send(fd, bytes, size, 0), size);
		if (turn())
			fail_msg("'%s' was answered", rows[i].what);
		if (!is_sent_away(fd))
			fail_msg("'%s' was not sent away", rows[i].what);
		close(fd);
	}
}

/* Others of the host can connect, too: they cost no descriptors, and keep nobody out. */
TEST(a_flood_of_silent_visitors_keeps_nobody_out)
{
	const struct mr_trace_request request = play_request(&channel, MR_TRACE_CLOSE);
	enum { FLOOD = 500 };
	const int before = count_descriptors();
	int silent[FLOOD], fd;

	for (size_t i = 0; i < FLOOD; i++) {
		silent[i] = play_connect(&channel);
		assert_true(silent[i] >= 0);
		assert_false(turn());
		assert_true(is_sent_away(silent[i]));
	}
	fd = play_connect(&channel);
	assert_int_equal(send(fd, &request, sizeof(request), 0), sizeof(request));
	assert_true(turn());
	close(connection);
	for (size_t i = 0; i < FLOOD; i++)
		close(silent[i]);
	close(fd);
	assert_int_equal(count_descriptors(), before);
}

/* Joins again and again, and never reads a reply: mrctl neither waits nor keeps anything. */
TEST(who_reads_no_reply_is_not_waited_for)
{
	const struct mr_trace_request request = play_request(&channel, MR_TRACE_JOIN);
	int sent = open("/dev/null", O_RDONLY | O_CLOEXEC);
	const int before = count_descriptors();

	for (int i = 0; i < 1000; i++) {
		int fd = play_connect(&channel);
	
		assert_int_equal(send(fd, &request, sizeof(request), 0), sizeof(request));
		if (i % 2)
			close(fd);
		assert_true(turn());
		mr_channel_reply(connection, &(struct mr_trace_reply){ .magic = MR_TRACE_MAGIC },
				 sent);
		if (!(i % 2))
			close(fd);
	}
	assert_int_equal(count_descriptors(), before);
	close(sent);
}

/* Descriptors that come with a request are none of mrctl's. */
TEST(descriptors_of_visitors_are_not_taken)
{
	struct mr_trace_request request = play_request(&channel, MR_TRACE_JOIN);
	struct iovec data = { &request, sizeof(request) };
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .header = { CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS } };
	const struct msghdr message = { .msg_iov = &data,
					.msg_iovlen = 1,
					.msg_control = &control,
					.msg_controllen = sizeof(control) };
	const int before = count_descriptors();
	int fd = play_connect(&channel), null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	memcpy(CMSG_DATA(&control.header), &null, sizeof(null));
	assert_int_equal(sendmsg(fd, &message, 0), sizeof(request));
	assert_true(turn());
	close(connection);
	close(fd);
	close(null);
	assert_int_equal(count_descriptors(), before);
}

EACH_TEST(open_channel, close_channel)
