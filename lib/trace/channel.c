// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/reading.h"
#include "lib/trace/trace.h"
#include "lib/trace/wire/wire.h"

int mr_channel_open(struct mr_channel *channel, struct mr_error *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	unsigned char bytes[MR_TRACE_TOKEN / 2];
	mr_auto_fd int fd = -1;
	socklen_t length;

	channel->fd = -1;
	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return mr_fail(err, MR_ERROR_HOST, errno, "getrandom", NULL);
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(channel->token + 2 * i, 3, "%02x", bytes[i]);
	snprintf(channel->name, sizeof(channel->name), MR_CHANNEL_PREFIX "%d-%" PRIx64, getpid(),
		 mr_now_ns());
	memcpy(address.sun_path + 1, channel->name,
	       strlen(channel->name)); /* the first byte is the NUL of abstract names */
	length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(channel->name));
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "socket", NULL);
	if (bind(fd, (struct sockaddr *)&address, length))
		return mr_fail(err, MR_ERROR_HOST, errno, "bind", NULL);
	if (listen(fd, SOMAXCONN))
		return mr_fail(err, MR_ERROR_HOST, errno, "listen", NULL);
	channel->fd = mr_steal_fd(&fd);
	return 0;
}

enum { REQUEST_MS = 1 /* that a program has between connecting and asking */ };

int mr_channel_accept(const struct mr_channel *channel, pid_t *pid,
		      struct mr_trace_request *request)
{
	struct pollfd fd = { .fd = accept4(channel->fd, NULL, NULL, SOCK_CLOEXEC),
			     .events = POLLIN };
	struct ucred peer = { 0 };
	socklen_t size = sizeof(peer);

	if (fd.fd < 0)
		return -EAGAIN;
	getsockopt(fd.fd, SOL_SOCKET, SO_PEERCRED, &peer, &size);
	*pid = peer.pid;
	poll(&fd, 1, REQUEST_MS);
	if (recv(fd.fd, request, sizeof(*request), MSG_DONTWAIT | MSG_TRUNC) != sizeof(*request) ||
	    request->magic != MR_TRACE_MAGIC || request->version != MR_TRACE_VERSION ||
	    memcmp(request->token, channel->token, MR_TRACE_TOKEN) != 0) {
		close(fd.fd);
		return -EACCES;
	}
	request->path[sizeof(request->path) - 1] = '\0';
	return fd.fd;
}

void mr_channel_reply(int connection, const struct mr_trace_reply *reply, int fd)
{
	struct iovec data = { (void *)reply, sizeof(*reply) };
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1 };

	if (fd >= 0) {
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	}
	/* A peer that has ended gets no answer, and needs none. */
	sendmsg(connection, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
	close(connection);
}

void mr_channel_close(struct mr_channel *channel)
{
	if (channel->fd >= 0)
		close(channel->fd);
	channel->fd = -1;
}

int mr_ring_create(struct mr_ring *ring, uint32_t frames, int *fd, struct mr_error *err)
{
	mr_auto_fd int made = mr_memfd_create("mrctl-trace", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	const size_t size = mr_trace_ring_size(frames);

	*ring = (struct mr_ring){ .frames = frames };
	if (made < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "memfd_create", NULL);
	if (ftruncate(made, (off_t)size))
		return mr_fail(err, MR_ERROR_HOST, errno, "ftruncate", NULL);
	if (fcntl(made, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return mr_fail(err, MR_ERROR_HOST, errno, "fcntl", NULL);
	ring->shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, made, 0);
	if (ring->shared == MAP_FAILED) {
		ring->shared = NULL;
		return mr_fail(err, MR_ERROR_HOST, errno, "mmap", NULL);
	}
	*fd = mr_steal_fd(&made);
	return 0;
}

void mr_ring_release(struct mr_ring *ring)
{
	if (ring->shared)
		munmap(ring->shared, mr_trace_ring_size(ring->frames));
	ring->shared = NULL;
}
