// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "lib/trace/agent/channel.h"
#include "lib/trace/agent/system.h"

enum {
	ATTEMPTS = 200, /* of a request that is sent away unread */
};

_Atomic uint32_t agent_is_filtered;

/* What became of a request. */
enum answer { ANSWERED, SENT_AWAY, NO_ANSWER };

/* The socket's name and the token: copied, as the program may change its environment. */
static char variable[sizeof(MR_TRACE_VARIABLE) + sizeof(struct sockaddr_un) + MR_TRACE_TOKEN];
static struct sockaddr_un address;
static socklen_t address_length;
static const char *token;
/* Of this process, or until it joins of that which it was forked from; 0: none.  exec(2) makes it 0. */
static uint64_t own_id;

const char *channel_variable(void)
{
	return variable;
}

bool channel_read_environment(void)
{
	const char *value = getenv(MR_TRACE_VARIABLE);
	const char *colon = value ? strrchr(value, ':') : NULL;
	size_t name = colon ? (size_t)(colon - value) : 0;

	if (!name || name >= sizeof(address.sun_path) || strlen(colon + 1) != MR_TRACE_TOKEN)
		return false;
	address.sun_family = AF_UNIX;
	memcpy(address.sun_path + 1, value, name);
	address_length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + name);
	memcpy(variable, MR_TRACE_VARIABLE "=", sizeof(MR_TRACE_VARIABLE));
	memcpy(variable + sizeof(MR_TRACE_VARIABLE), value, name + 1 + MR_TRACE_TOKEN + 1);
	token = variable + sizeof(MR_TRACE_VARIABLE) + name + 1;
	return true;
}

static bool is_late(uint64_t begin)
{
	return system_now() - begin > MR_TRACE_PATIENCE_MS * UINT64_C(1000000);
}

/* A connected socket, or -errno. */
static int connect_to(void)
{
	struct timeval patience = { .tv_sec = MR_TRACE_PATIENCE_MS / 1000 };
	uint64_t begin = system_now();
	int fd = (int)SYSTEM(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	long rc;

	if (fd < 0)
		return fd;
	SYSTEM(SYS_setsockopt, fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	SYSTEM(SYS_setsockopt, fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	do {
		rc = SYSTEM(SYS_connect, fd, &address, address_length);
	} while (rc == -EINTR && !is_late(begin));
	if (rc < 0) {
		SYSTEM(SYS_close, fd);
		return (int)rc;
	}
	return fd;
}

static void fill(struct mr_trace_request *request, enum mr_trace_request_kind kind)
{
	memset(request, 0, sizeof(*request));
	request->magic = MR_TRACE_MAGIC;
	request->version = MR_TRACE_VERSION;
	request->kind = kind;
	memcpy(request->token, token, sizeof(request->token));
}

static enum answer send_request(int fd, const struct mr_trace_request *request)
{
	uint64_t begin = system_now();
	long rc;

	do {
		rc = SYSTEM(SYS_sendto, fd, request, sizeof(*request), MSG_NOSIGNAL, NULL, 0);
	} while (rc == -EINTR && !is_late(begin));
	if (rc == -EPIPE || rc == -ECONNRESET)
		return SENT_AWAY;
	return rc == sizeof(*request) ? ANSWERED : NO_ANSWER;
}

/* @ring: set to the descriptor that came with the reply, else -1. */
static enum answer receive_reply(int fd, struct mr_trace_reply *reply, int *ring)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct iovec part = { .iov_base = reply, .iov_len = sizeof(*reply) };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	uint64_t begin = system_now();
	struct cmsghdr *header;
	long rc;

	*ring = -1;
	do {
		rc = SYSTEM(SYS_recvmsg, fd, &message, MSG_CMSG_CLOEXEC);
	} while (rc == -EINTR && !is_late(begin));
	header = rc >= 0 ? CMSG_FIRSTHDR(&message) : NULL;
	if (header && header->cmsg_type == SCM_RIGHTS && header->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(ring, CMSG_DATA(header), sizeof(*ring));
	if (!rc || rc == -ECONNRESET)
		return SENT_AWAY;
	return rc == sizeof(*reply) && reply->magic == MR_TRACE_MAGIC ? ANSWERED : NO_ANSWER;
}

static enum answer ask_once(const struct mr_trace_request *request, struct mr_trace_reply *reply,
			    int *ring)
{
	int fd = connect_to();
	enum answer answer;

	*ring = -1;
	if (fd < 0)
		return NO_ANSWER;
	answer = send_request(fd, request);
	if (answer == ANSWERED)
		answer = receive_reply(fd, reply, ring);
	SYSTEM(SYS_close, fd);
	return answer;
}

/* Send a request and wait for the reply.  Others may have crowded it out before mrctl read it. */
static bool ask(const struct mr_trace_request *request, struct mr_trace_reply *reply, int *ring)
{
	enum answer answer = SENT_AWAY;

	for (unsigned int i = 0; i < ATTEMPTS && answer == SENT_AWAY; i++)
		answer = ask_once(request, reply, ring);
	return answer == ANSWERED;
}

/* Wait until mrctl has taken a request whose reply tells nothing. */
static void tell(const struct mr_trace_request *request)
{
	struct mr_trace_reply reply;
	int none;

	ask(request, &reply, &none);
	if (none >= 0)
		SYSTEM(SYS_close, none);
}

/* Map a ring.  The file is sealed against a change of its size, so no access can raise SIGBUS. */
static bool map_ring(struct agent_process *process, int fd, uint32_t frames)
{
	uint32_t record_size = mr_trace_record_size(frames);
	size_t size = sizeof(struct mr_trace_ring) + (size_t)MR_TRACE_SLOTS * record_size;
	struct mr_trace_ring *ring;
	long end = SYSTEM(SYS_lseek, fd, 0L, SEEK_END), address_or_error;

	if (end < 0 || (size_t)end < size)
		return false;
	address_or_error = SYSTEM(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0L);
	if (address_or_error < 0 && address_or_error > -4096)
		return false;
	ring = (struct mr_trace_ring *)address_or_error;
	/* A child has a ring of its own. */
	if (SYSTEM(SYS_madvise, ring, size, MADV_DONTFORK) || ring->magic != MR_TRACE_MAGIC ||
	    ring->version != MR_TRACE_VERSION || ring->slots != MR_TRACE_SLOTS ||
	    ring->record_size != record_size || ring->frames != frames) {
		SYSTEM(SYS_munmap, ring, size);
		return false;
	}
	SYSTEM(SYS_madvise, ring, size, MADV_DONTDUMP);
	process->ring = ring;
	process->frames = frames;
	process->record_size = record_size;
	return true;
}

bool channel_join(struct agent_process *process)
{
	struct mr_trace_request request;
	struct mr_trace_reply reply = { 0 };
	bool joined;
	int ring;

	fill(&request, MR_TRACE_JOIN);
	request.parent = own_id;
	SYSTEM(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", request.path, sizeof(request.path) - 1);
	joined = ask(&request, &reply, &ring) && ring >= 0 && reply.frames <= MR_TRACE_FRAMES &&
		 map_ring(process, ring, reply.frames);
	if (joined)
		own_id = reply.id;
	if (ring >= 0)
		SYSTEM(SYS_close, ring);
	process->pid = (pid_t)SYSTEM(SYS_getpid);
	return joined;
}

void channel_lost(const char *path, enum mr_trace_obstacle obstacle)
{
	struct mr_trace_request request;

	if (!address_length || agent_is_filtered)
		return;
	fill(&request, MR_TRACE_LOST);
	request.obstacle = obstacle;
	memccpy(request.path, path, '\0', sizeof(request.path) - 1);
	tell(&request);
}

void channel_closing(uintptr_t library)
{
	struct mr_trace_request request;

	if (agent_is_filtered)
		return;
	fill(&request, MR_TRACE_CLOSE);
	request.address = library;
	tell(&request);
}

bool channel_is_refused(void)
{
	int fd = agent_is_filtered ? -EPERM : connect_to();

	if (fd >= 0)
		SYSTEM(SYS_close, fd);
	return fd == -ECONNREFUSED;
}
