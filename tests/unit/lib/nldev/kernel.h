/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A kernel that a test makes up: a thread at the other end of a socket, which answers requests of RDMA netlink. */
#ifndef TESTS_UNIT_LIB_NLDEV_KERNEL_H
#define TESTS_UNIT_LIB_NLDEV_KERNEL_H

#include <errno.h>
#include <linux/netlink.h>
#include <pthread.h>
#include <sys/socket.h>

#include "lib/nldev/nldev.h"
#include "tests/unit/unit.h"

#define KERNEL_PORT 4711

struct kernel {
	/** Answers one request by kernel_send(); NULL: there is no RDMA netlink. */
	void (*answer)(struct kernel *kernel, const struct nlmsghdr *request);

	unsigned int opened; /**< how often it was connected to */
	unsigned int asked;  /**< requests that it got */
	pthread_t threads[64];
};

/* The kernel of all tests, and the connection to it. */
struct kernel kernel __attribute__((weak));
static struct mr_nldev nl;

/* The socket of the thread that answers: one that is no longer connected to may still run. */
__thread int kernel_fd __attribute__((weak));

static inline void *kernel_main(void *fd)
{
	char requests[8192] __attribute__((aligned(8))) = { 0 };
	ssize_t got;

	kernel_fd = (int)(intptr_t)fd;
	while ((got = recv(kernel_fd, requests, sizeof(requests), 0)) > 0) {
		const struct nlmsghdr *request = (void *)requests;
		int left = (int)got;

		for (; mnl_nlmsg_ok(request, left); request = mnl_nlmsg_next(request, &left)) {
			kernel.asked++;
			kernel.answer(&kernel, request);
		}
	}
	close(kernel_fd);
	return NULL;
}

/* ---- in place of the socket of RDMA netlink ---- */

__attribute__((weak)) int socket(int domain, int type, int protocol)
{
	int fds[2], room = 1 << 20;

	(void)type;
	assert_int_equal(domain, AF_NETLINK);
	assert_int_equal(protocol, NETLINK_RDMA);
	if (!kernel.answer) {
		errno = EPROTONOSUPPORT;
		return -1;
	}
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
	setsockopt(fds[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	assert_true(kernel.opened < ARRAY_SIZE(kernel.threads));
	assert_int_equal(pthread_create(&kernel.threads[kernel.opened++], NULL, kernel_main,
					(void *)(intptr_t)fds[1]),
			 0);
	return fds[0];
}

__attribute__((weak)) int bind(int fd, __CONST_SOCKADDR_ARG address, socklen_t length)
{
	(void)fd;
	(void)address;
	(void)length;
	return 0;
}

__attribute__((weak)) int getsockname(int fd, __SOCKADDR_ARG address, socklen_t *restrict length)
{
	struct sockaddr_nl name = { .nl_family = AF_NETLINK, .nl_pid = KERNEL_PORT };

	(void)fd;
	assert_int_equal(*length, sizeof(name));
	memcpy((void *)address.__sockaddr__, &name, sizeof(name));
	return 0;
}

/** kernel_begin() - connect to a kernel that answers so */
static inline void kernel_begin(void (*answer)(struct kernel *kernel,
					       const struct nlmsghdr *request))
{
	struct mr_error err;

	kernel = (struct kernel){ .answer = answer };
	assert_int_equal(mr_nldev_open(&nl, &err), 0);
}

/** kernel_end() - after mr_nldev_close(): wait until its threads have ended */
static inline void kernel_end(struct kernel *k)
{
	for (unsigned int i = 0; i < k->opened; i++)
		pthread_join(k->threads[i], NULL);
}

/** kernel_close() - close the connection of kernel_begin() */
static inline void kernel_close(void)
{
	mr_nldev_close(&nl);
	kernel_end(&kernel);
}

static inline void kernel_send(const struct kernel *k, const void *bytes, size_t size)
{
	(void)k;
	send(kernel_fd, bytes, size, MSG_NOSIGNAL);
}

static inline bool is_dump(const struct nlmsghdr *request)
{
	return (request->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;
}

/** kernel_answer() - begin an answer to @request, in memory of this thread that the next answer overwrites */
static inline struct nlmsghdr *kernel_answer(const struct nlmsghdr *request)
{
	static __thread char room[1 << 16] __attribute__((aligned(8)));
	struct nlmsghdr *answer = mnl_nlmsg_put_header(room);

	answer->nlmsg_type = request->nlmsg_type;
	answer->nlmsg_flags = request->nlmsg_flags & NLM_F_DUMP ? NLM_F_MULTI : 0;
	answer->nlmsg_seq = request->nlmsg_seq;
	answer->nlmsg_pid = KERNEL_PORT;
	return answer;
}

/** kernel_put_count() - add an entry of a summary; @max: 0 for none */
static inline void kernel_put_count(struct nlmsghdr *answer, const char *kind, uint64_t count,
				    uint64_t max)
{
	struct nlattr *entry = mnl_attr_nest_start(answer, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY);

	mnl_attr_put_strz(answer, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME, kind);
	mnl_attr_put_u64(answer, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR, count);
	if (max)
		mnl_attr_put_u64(answer, MR_NLDEV_ATTR_RES_SUMMARY_ENTRY_MAX, max);
	mnl_attr_nest_end(answer, entry);
}

/** kernel_fail_dump() - send NLMSG_DONE, with an errno, and with @flags such as NLM_F_DUMP_INTR */
static inline void kernel_fail_dump(const struct kernel *k, const struct nlmsghdr *request,
				    int error, uint16_t flags)
{
	struct nlmsghdr *done = kernel_answer(request);

	done->nlmsg_type = NLMSG_DONE;
	done->nlmsg_flags |= flags;
	*(int *)mnl_nlmsg_put_extra_header(done, sizeof(int)) = -error;
	kernel_send(k, done, done->nlmsg_len);
}

/** kernel_end_dump() - the same without an errno */
static inline void kernel_end_dump(const struct kernel *k, const struct nlmsghdr *request,
				   uint16_t flags)
{
	kernel_fail_dump(k, request, 0, flags);
}

/** kernel_send_summary() - answer that there are so many MRs */
static inline void kernel_send_summary(const struct kernel *k, const struct nlmsghdr *request, uint64_t mrs)
{
	struct nlmsghdr *answer = kernel_answer(request);
	struct nlattr *table = mnl_attr_nest_start(answer, RDMA_NLDEV_ATTR_RES_SUMMARY);

	kernel_put_count(answer, "mr", mrs, 0);
	mnl_attr_nest_end(answer, table);
	kernel_send(k, answer, answer->nlmsg_len);
}

static inline void kernel_put_device(struct nlmsghdr *answer, uint32_t index, const char *name)
{
	mnl_attr_put_u32(answer, RDMA_NLDEV_ATTR_DEV_INDEX, index);
	mnl_attr_put_strz(answer, RDMA_NLDEV_ATTR_DEV_NAME, name);
	mnl_attr_put_strz(answer, RDMA_NLDEV_ATTR_FW_VERSION, "16.35.3006");
}

/** kernel_send_devices() - dump devices with the indexes 0, @step and so on; NULL ends the names */
static inline void kernel_send_devices(const struct kernel *k, const struct nlmsghdr *request,
				       const char *const names[], uint32_t step)
{
	for (uint32_t i = 0; names[i]; i++) {
		struct nlmsghdr *answer = kernel_answer(request);

		kernel_put_device(answer, i * step, names[i]);
		kernel_send(k, answer, answer->nlmsg_len);
	}
	kernel_end_dump(k, request, 0);
}

/** kernel_refuse() - send NLMSG_ERROR */
static inline void kernel_refuse(const struct kernel *k, const struct nlmsghdr *request, int error)
{
	struct nlmsghdr *answer = kernel_answer(request);
	struct nlmsgerr *body;

	answer->nlmsg_type = NLMSG_ERROR;
	answer->nlmsg_flags = 0;
	body = mnl_nlmsg_put_extra_header(answer, sizeof(*body));
	*body = (struct nlmsgerr){ .error = -error, .msg = *request };
	kernel_send(k, answer, answer->nlmsg_len);
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
