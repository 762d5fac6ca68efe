/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An agent that the tests play: as the real one speaks, and otherwise. */
#ifndef TESTS_UNIT_LIB_TRACE_PLAY_AGENT_H
#define TESTS_UNIT_LIB_TRACE_PLAY_AGENT_H

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

#include "lib/trace/trace.h"

/** play_connect() - connect to a channel.  Return: descriptor, or -1. */
static inline int play_connect(const struct mr_channel *channel)
{
	const size_t length = strlen(channel->name);
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	memcpy(address.sun_path + 1, channel->name, length);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&address,
			       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length))) {
		close(fd);
		return -1;
	}
	return fd;
}

/** play_request() - a request that is right */
static inline struct mr_trace_request play_request(const struct mr_channel *channel, uint32_t kind)
{
	struct mr_trace_request request = { .magic = MR_TRACE_MAGIC,
					    .version = MR_TRACE_VERSION,
					    .kind = kind,
					    .path = "/usr/bin/application" };

	memcpy(request.token, channel->token, MR_TRACE_TOKEN);
	return request;
}

/** play_reply() - wait for the reply.  Return: its bytes, 0: sent away; @ring: its descriptor, or -1. */
static inline ssize_t play_reply(int fd, int *ring)
{
	struct mr_trace_reply reply;
	struct iovec part = { &reply, sizeof(reply) };
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	ssize_t got = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);

	*ring = -1;
	if (got > 0 && message.msg_controllen >= sizeof(struct cmsghdr))
		memcpy(ring, CMSG_DATA(&control.header), sizeof(*ring));
	return got;
}

/**
 * play_ask() - one request and its reply, tried again for a minute when sent away, as the agent does in a flood
 *
 * Return: as play_reply(), or -1.
 */
static inline ssize_t play_ask(const struct mr_channel *channel, uint32_t kind, int *ring)
{
	const struct mr_trace_request request = play_request(channel, kind);
	const time_t end = time(NULL) + 60;
	ssize_t got = -1;

	while (got <= 0 && time(NULL) < end) {
		int fd = play_connect(channel);

		if (fd >= 0 && send(fd, &request, sizeof(request), MSG_NOSIGNAL) == sizeof(request))
			got = play_reply(fd, ring);
		close(fd);
	}
	return got;
}

#endif
