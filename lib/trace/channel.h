/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The socket by which traced processes reach mrctl.  Any process of the host can connect to an abstract socket:
 * what counts is the token, which only the traced processes have, in their environment.
 */
#ifndef LIB_TRACE_CHANNEL_H
#define LIB_TRACE_CHANNEL_H

#include <poll.h>
#include <stdbool.h>
#include <sys/types.h>

#include "lib/base/base.h"
#include "lib/trace/wire/wire.h"

/** What the name of each begins with; then come the PID of its mrctl and a random number */
#define MR_CHANNEL_PREFIX "mrctl-trace-"

enum {
	MR_CHANNEL_VISITORS =
		64 /**< connections whose request has not come yet; the oldest is closed for another */
};

/** A process that has connected. */
struct mr_visitor {
	int fd; /**< -1: none */
	pid_t pid;
	uid_t uid;
};

struct mr_channel {
	int fd;
	char name[64]; /**< of the abstract socket, without the NUL before it */
	char token[MR_TRACE_TOKEN + 1];
	struct mr_visitor visitors[MR_CHANNEL_VISITORS];
	unsigned int next; /**< visitor to be replaced next */
};

/** mr_channel_open() - listen.  Return: 0, or -errno with MR_ERROR_HOST. */
int mr_channel_open(struct mr_channel *channel, struct mr_error *err);

/** mr_channel_fill() - what is to be polled: @fds has room for 1 + MR_CHANNEL_VISITORS */
void mr_channel_fill(const struct mr_channel *channel, struct pollfd *fds);

/** mr_channel_accept() - take new connections, after @fds has been polled */
void mr_channel_accept(struct mr_channel *channel, const struct pollfd *fds);

/**
 * mr_channel_request() - read what a visitor asks for
 * @visitor: whose descriptor can be read
 *
 * Return: whether it was a request with the token.  Any other visitor is sent away.
 */
bool mr_channel_request(struct mr_channel *channel, struct mr_visitor *visitor,
			struct mr_trace_request *request);

/** mr_channel_reply() - answer, and close the connection; @fd: sent with the answer, or -1 */
void mr_channel_reply(struct mr_visitor *visitor, const struct mr_trace_reply *reply, int fd);

/** mr_channel_leave() - close the connection without an answer */
void mr_channel_leave(struct mr_visitor *visitor);

void mr_channel_close(struct mr_channel *channel);

#endif
