/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A kernel that a test makes up: a thread at the other end of a socket, which answers requests of RDMA netlink. */
#ifndef TESTS_UNIT_LIB_NLDEV_KERNEL_H
#define TESTS_UNIT_LIB_NLDEV_KERNEL_H

#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>

#include "lib/nldev/nldev.h"
#include "lib/nldev/uapi.h"
#include "tests/unit/unit.h"

#define KERNEL_PORT 4711

struct kernel {
	/** Answers one request by kernel_send(). */
	void (*answer)(struct kernel *kernel, const struct nlmsghdr *request);

	unsigned int opened; /**< how often it was connected to */
	unsigned int asked;  /**< requests that it got */
	pthread_t threads[64];
};

/* The socket of the thread that answers: one that is no longer connected to may still run. */
static __thread int kernel_fd;

struct kernel_end {
	struct kernel *kernel;
	int fd;
};

static inline void *kernel_main(void *data)
{
	struct kernel_end end = *(struct kernel_end *)data;
	char requests[8192] __attribute__((aligned(8))) = { 0 };
	ssize_t got;

	free(data);
	while ((got = recv(end.fd, requests, sizeof(requests), 0)) > 0) {
		const struct nlmsghdr *request = (void *)requests;
		int left = (int)got;

		kernel_fd = end.fd;
		for (; mnl_nlmsg_ok(request, left); request = mnl_nlmsg_next(request, &left)) {
			end.kernel->asked++;
			end.kernel->answer(end.kernel, request);
		}
	}
	close(end.fd);
	return NULL;
}

static inline int kernel_connect(void *data, uint32_t *port)
{
	struct kernel_end *end = malloc(sizeof(*end));
	struct kernel *kernel = data;
	int fds[2], room = 1 << 20;

	assert_non_null(end);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
	setsockopt(fds[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	*end = (struct kernel_end){ kernel, fds[1] };
	assert_true(kernel->opened < ARRAY_SIZE(kernel->threads));
	assert_int_equal(pthread_create(&kernel->threads[kernel->opened], NULL, kernel_main, end),
			 0);
	kernel->opened++;
	*port = KERNEL_PORT;
	return fds[0];
}

/** kernel_end() - after mr_nldev_close(): wait until its threads have ended */
static inline void kernel_end(struct kernel *kernel)
{
	for (unsigned int i = 0; i < kernel->opened; i++)
		pthread_join(kernel->threads[i], NULL);
}

static inline void kernel_send(const struct kernel *kernel, const void *bytes, size_t size)
{
	(void)kernel;
	send(kernel_fd, bytes, size, MSG_NOSIGNAL);
}

/** kernel_put() - begin an answer to @request in @room */
static inline struct nlmsghdr *kernel_put(void *room, const struct nlmsghdr *request)
{
	struct nlmsghdr *answer = mnl_nlmsg_put_header(room);

	answer->nlmsg_type = request->nlmsg_type;
	answer->nlmsg_flags = request->nlmsg_flags & NLM_F_DUMP ? NLM_F_MULTI : 0;
	answer->nlmsg_seq = request->nlmsg_seq;
	answer->nlmsg_pid = KERNEL_PORT;
	return answer;
}

/** kernel_end_dump() - send NLMSG_DONE, with @flags such as NLM_F_DUMP_INTR */
static inline void kernel_end_dump(struct kernel *kernel, const struct nlmsghdr *request,
				   uint16_t flags)
{
	char room[64] __attribute__((aligned(8))) = { 0 };
	struct nlmsghdr *done = kernel_put(room, request);

	done->nlmsg_type = NLMSG_DONE;
	done->nlmsg_flags |= flags;
	*(int *)mnl_nlmsg_put_extra_header(done, sizeof(int)) = 0;
	kernel_send(kernel, done, done->nlmsg_len);
}

/** kernel_refuse() - send NLMSG_ERROR */
static inline void kernel_refuse(struct kernel *kernel, const struct nlmsghdr *request, int error)
{
	char room[64] __attribute__((aligned(8))) = { 0 };
	struct nlmsghdr *answer = kernel_put(room, request);
	struct nlmsgerr *body;

	answer->nlmsg_type = NLMSG_ERROR;
	answer->nlmsg_flags = 0;
	body = mnl_nlmsg_put_extra_header(answer, sizeof(*body));
	*body = (struct nlmsgerr){ .error = -error, .msg = *request };
	kernel_send(kernel, answer, answer->nlmsg_len);
}

/** kernel_command() - RDMA_NLDEV_CMD_… of a request */
static inline unsigned int kernel_command(const struct nlmsghdr *request)
{
	return RDMA_NL_GET_OP(request->nlmsg_type);
}

/** kernel_number() - an attribute of a request that is a u32; UINT32_MAX: it has none */
static inline uint32_t kernel_number(const struct nlmsghdr *request, uint16_t type)
{
	for (const struct nlattr *a = mnl_nlmsg_get_payload(request);
	     mnl_attr_ok(a, (int)((char *)mnl_nlmsg_get_payload_tail(request) - (char *)a));
	     a = mnl_attr_next(a))
		if (mnl_attr_get_type(a) == type)
			return mnl_attr_get_u32(a);
	return UINT32_MAX;
}

#endif
