// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/session/message.h"

#ifndef SCM_PIDFD
#define SCM_PIDFD 0x04
#endif

/* The text of the message. */
static const char greeting[] = "mrctl session 1";

union control {
	char bytes[CMSG_SPACE(2 * sizeof(int))];
	struct cmsghdr align;
};

int mr_session_send(int socket, int device, int table, struct mr_error *err)
{
	const int fds[2] = { device, table };
	union control control = { .bytes = { 0 } };
	struct iovec text = { .iov_base = (char *)greeting, .iov_len = sizeof(greeting) };
	struct msghdr message = { .msg_iov = &text,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(fds));
	memcpy(CMSG_DATA(header), fds, sizeof(fds));
	if (sendmsg(socket, &message, MSG_NOSIGNAL) != (ssize_t)sizeof(greeting))
		return mr_fail(err, MR_ERROR_HOST, errno, "sendmsg", "cannot make a session");
	return 0;
}

static int fail_no_session(struct mr_error *err, int fd, const char *what)
{
	mr_fail_text(err, MR_ERROR_ABSENT, ENOTCONN, "descriptor %d %s", fd, what);
	return -ENOTCONN;
}

/*
 * Take the first two descriptors out of a message; -1 where it has less.  Others are closed, also a pidfd that
 * the kernel adds where an option of the socket asks for it (SO_PASSPIDFD).
 *
 * Return: how many descriptors the message has, without that pidfd.
 */
static size_t take_descriptors(struct msghdr *message, int fds[2])
{
	size_t count = 0;

	fds[0] = fds[1] = -1;
	for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header;
	     header = CMSG_NXTHDR(message, header)) {
		bool rights = header->cmsg_type == SCM_RIGHTS;
		int fd;

		if (header->cmsg_level != SOL_SOCKET || (!rights && header->cmsg_type != SCM_PIDFD))
			continue;
		for (size_t at = CMSG_LEN(0); at + sizeof(fd) <= header->cmsg_len;
		     at += sizeof(fd)) {
			memcpy(&fd, (char *)header + at, sizeof(fd));
			if (rights && count < 2)
				fds[count] = fd;
			else if (fd >= 0)
				close(fd);
			count += rights;
		}
	}
	return count;
}

/*
 * Whether descriptors are missing because this process can have no more.  The kernel leaves out those that it
 * cannot install (scm_detach_fds()), and does not say why.
 */
static bool has_no_room(const struct msghdr *message, size_t count, int fd)
{
	mr_auto_fd int more = -1;

	if (!(message->msg_flags & MSG_CTRUNC) || count >= 2)
		return false;
	more = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return more < 0 && errno == EMFILE;
}

static int fail_message(int fd, const char *text, ssize_t got, struct mr_error *err)
{
	bool whole = got == (ssize_t)sizeof(greeting);

	if (whole && !memcmp(text, greeting, sizeof(greeting)))
		return fail_no_session(err, fd,
				       "is no mrctl session: its message does not carry two "
				       "descriptors, as a session's does");
	if (whole && !memcmp(text, greeting, sizeof("mrctl session")))
		return mr_fail_text(err, MR_ERROR_ABSENT, EPROTO,
				    "descriptor %d is a session of another version of mrctl", fd);
	return fail_no_session(err, fd, "is no mrctl session");
}

/* MSG_PEEK leaves the message in the queue.  The kernel installs new duplicates of its descriptors each time. */
int mr_session_receive(int fd, int fds[2], struct mr_error *err)
{
	union control control;
	char text[sizeof(greeting) + 1] = "";
	struct iovec iov = { .iov_base = text, .iov_len = sizeof(text) };
	struct msghdr message = { .msg_iov = &iov,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	ssize_t got = recvmsg(fd, &message, MSG_PEEK | MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	size_t count;
	bool full;

	if (got < 0)
		return fail_message(fd, text, got, err);
	count = take_descriptors(&message, fds);
	if (count == 2 && !(message.msg_flags & MSG_CTRUNC) && got == (ssize_t)sizeof(greeting) &&
	    !memcmp(text, greeting, sizeof(greeting)))
		return 0;
	full = has_no_room(&message, count, fd); /* before some are closed again */
	for (int i = 0; i < 2; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	if (full)
		return mr_fail(err, MR_ERROR_HOST, EMFILE, "recvmsg", "cannot join the session");
	return fail_message(fd, text, got, err);
}
