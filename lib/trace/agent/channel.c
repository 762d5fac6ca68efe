// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "lib/trace/agent/agent.h"
#include "lib/trace/wire/wire.h"

/* system_pause() - wait for 100 us, or less where a signal comes.  A filter allows futex(2) to who has threads. */
static inline void system_pause(void)
{
	struct timespec pause = { .tv_nsec = 100000 };
	uint32_t word = 0;

	SYSTEM(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &pause, NULL, 0);
}

enum {
	ATTEMPTS = 200,     /* of a request that is sent away unread */
	ASK_NS = 200000000, /* between two looks whether mrctl listens */
};

struct agent_process *agent_process;
_Atomic uint32_t agent_is_filtered;

char agent_variable[sizeof(MR_TRACE_VARIABLE) + sizeof(struct sockaddr_un) + MR_TRACE_TOKEN];
static struct sockaddr_un address;
static socklen_t address_length;
static const char *token;
/* Id of this process, or until it joins of its parent; 0: none.  exec(2) makes it 0. */
static uint64_t own_id;

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
	memcpy(agent_variable, MR_TRACE_VARIABLE "=", sizeof(MR_TRACE_VARIABLE));
	memcpy(agent_variable + sizeof(MR_TRACE_VARIABLE), value, name + 1 + MR_TRACE_TOKEN + 1);
	token = agent_variable + sizeof(MR_TRACE_VARIABLE) + name + 1;
	return true;
}

static bool is_late(uint64_t begin)
{
	return mr_now_ns() - begin > MR_TRACE_PATIENCE_MS * UINT64_C(1000000);
}

/* RETRY() - a system call that signals with handlers may interrupt */
#define RETRY(...)                                                                                 \
	({                                                                                         \
		const uint64_t begin_ = mr_now_ns();                                               \
		long rc_;                                                                          \
		do {                                                                               \
			rc_ = SYSTEM(__VA_ARGS__);                                                 \
		} while (rc_ == -EINTR && !is_late(begin_));                                       \
		rc_;                                                                               \
	})

/* A connected socket, or -errno. */
static int connect_to(void)
{
	struct timeval patience = { .tv_sec = MR_TRACE_PATIENCE_MS / 1000 };
	int fd = (int)SYSTEM(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	long rc;

	if (fd < 0)
		return fd;
	SYSTEM(SYS_setsockopt, fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	SYSTEM(SYS_setsockopt, fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	rc = RETRY(SYS_connect, fd, &address, address_length);
	if (rc < 0)
		SYSTEM(SYS_close, fd);
	return rc < 0 ? (int)rc : fd;
}

/* @ring: set to the descriptor that came with the reply. */
static bool receive_reply(int fd, struct mr_trace_reply *reply, int *ring)
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
	const long rc = RETRY(SYS_recvmsg, fd, &message, MSG_CMSG_CLOEXEC);
	const struct cmsghdr *header = rc >= 0 ? CMSG_FIRSTHDR(&message) : NULL;

	if (header && header->cmsg_type == SCM_RIGHTS && header->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(ring, CMSG_DATA(header), sizeof(*ring));
	return rc == sizeof(*reply) && reply->magic == MR_TRACE_MAGIC;
}

/*
 * Sends a request and waits for the reply.  Others may have crowded it out before mrctl read it: then it is sent again.
 * @path: of a program that is about to run; NULL: of this one
 * Return: the descriptor that came with the reply, or -1
 */
static int exchange(enum mr_trace_request_kind kind, enum mr_trace_obstacle obstacle,
		    const char *path, struct mr_trace_reply *reply)
{
	struct mr_trace_request request = { .magic = MR_TRACE_MAGIC,
					    .version = MR_TRACE_VERSION,
					    .kind = kind,
					    .obstacle = obstacle,
					    .parent = own_id };
	const uint64_t begin = mr_now_ns();
	bool is_answered = false;
	int ring = -1, fd;
	long sent;

	memcpy(request.token, token, sizeof(request.token));
	if (path)
		memccpy(request.path, path, '\0', sizeof(request.path) - 1);
	else
		SYSTEM(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", request.path,
		       sizeof(request.path) - 1);
	for (unsigned int i = 0; i < ATTEMPTS && !is_answered && !is_late(begin); i++) {
		fd = connect_to();
		if (fd < 0)
			break;
		sent = RETRY(SYS_sendto, fd, &request, sizeof(request), MSG_NOSIGNAL, NULL, 0);
		is_answered = sent == sizeof(request) && receive_reply(fd, reply, &ring);
		SYSTEM(SYS_close, fd);
	}
	return ring;
}

/* Map a ring.  The file is sealed against a change of its size, so no access can raise SIGBUS. */
static bool map_ring(struct mr_ring *ring, int fd, uint32_t frames)
{
	const size_t size = mr_trace_ring_size(frames);
	const long end = SYSTEM(SYS_lseek, fd, 0L, SEEK_END);
	struct mr_trace_ring *shared = end >= (long)size ? system_map(size, MAP_SHARED, fd) : NULL;

	if (!shared)
		return false;
	/* A child has a separate ring. */
	if (SYSTEM(SYS_madvise, shared, size, MADV_DONTFORK)) {
		SYSTEM(SYS_munmap, shared, size);
		return false;
	}
	SYSTEM(SYS_madvise, shared, size, MADV_DONTDUMP);
	ring->shared = shared;
	ring->frames = frames;
	return true;
}

/* Gets a ring for this process; false: no answer, or not one of this version. */
static bool channel_join(struct agent_process *process)
{
	struct mr_trace_reply reply = { 0 };
	const int ring = exchange(MR_TRACE_JOIN, MR_TRACE_FOLLOWED, NULL, &reply);
	const bool joined = ring >= 0 && reply.magic == MR_TRACE_MAGIC &&
			    reply.frames <= MR_TRACE_FRAMES &&
			    map_ring(&process->ring, ring, reply.frames);

	if (joined)
		own_id = reply.id;
	if (ring >= 0)
		SYSTEM(SYS_close, ring);
	process->pid = (pid_t)SYSTEM(SYS_getpid);
	return joined;
}

void channel_lost(const char *path, enum mr_trace_obstacle obstacle)
{
	struct mr_trace_reply reply;

	if (address_length && !agent_is_filtered)
		exchange(MR_TRACE_LOST, obstacle, path, &reply);
}

/* Where nothing was called there are no places; a child that has not joined has none either. */
void channel_closing(void)
{
	struct agent_process *process = agent_process;
	struct mr_trace_reply reply;

	if (!agent_is_filtered && process && atomic_load(&process->phase) == AGENT_JOINED &&
	    !atomic_load(&process->ring.is_left) && atomic_load(&process->ring.shared->head))
		exchange(MR_TRACE_CLOSE, MR_TRACE_FOLLOWED, NULL, &reply);
}

struct mr_ring *ring_of_process(void)
{
	struct agent_process *process = agent_process;
	uint64_t begin;
	uint32_t phase;

	if (!process)
		return NULL;
	phase = atomic_load_explicit(&process->phase, memory_order_acquire);
	if (phase == AGENT_NEW &&
	    atomic_compare_exchange_strong(&process->phase, &phase, AGENT_JOINING)) {
		phase = !agent_is_filtered && channel_join(process) ? AGENT_JOINED : AGENT_ALONE;
		atomic_store(&process->phase, phase);
	}
	/* Other threads may be joining just now: wait for them. */
	for (begin = phase == AGENT_JOINING ? mr_now_ns() : 0;
	     phase == AGENT_JOINING && !is_late(begin); phase = atomic_load(&process->phase))
		system_pause();
	return phase == AGENT_JOINED ? &process->ring : NULL;
}

/*
 * Waits while there is hope, as long as mrctl listens.  It checks this every 200 ms, by system calls that the
 * program may do without.
 */
bool channel_pause(uint64_t *begin)
{
	static _Thread_local uint64_t asked __attribute__((tls_model("initial-exec")));
	uint64_t now;
	int fd;

	if (!*begin)
		*begin = asked = mr_now_ns();
	system_pause();
	now = mr_now_ns();
	if (is_late(*begin))
		return false;
	if (now - asked <= ASK_NS || agent_is_filtered)
		return true;
	asked = now;
	fd = connect_to();
	if (fd >= 0)
		SYSTEM(SYS_close, fd);
	return fd != -ECONNREFUSED;
}
