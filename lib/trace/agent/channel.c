// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
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
_Atomic uint32_t agent_fork_safe;
_Atomic uint32_t agent_kernel_seen;
_Atomic uint32_t agent_is_filtered;
_Thread_local struct agent_thread agent_thread;

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

/* A connected socket, or -errno. */
static int connect_to(void)
{
	struct timeval patience = { .tv_sec = MR_TRACE_PATIENCE_MS / 1000 };
	uint64_t begin = mr_now_ns();
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

static bool send_request(int fd, const struct mr_trace_request *request)
{
	uint64_t begin = mr_now_ns();
	long rc;

	do {
		rc = SYSTEM(SYS_sendto, fd, request, sizeof(*request), MSG_NOSIGNAL, NULL, 0);
	} while (rc == -EINTR && !is_late(begin));
	return rc == sizeof(*request);
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
	uint64_t begin = mr_now_ns();
	struct cmsghdr *header;
	long rc;

	do {
		rc = SYSTEM(SYS_recvmsg, fd, &message, MSG_CMSG_CLOEXEC);
	} while (rc == -EINTR && !is_late(begin));
	header = rc >= 0 ? CMSG_FIRSTHDR(&message) : NULL;
	if (header && header->cmsg_type == SCM_RIGHTS && header->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(ring, CMSG_DATA(header), sizeof(*ring));
	return rc == sizeof(*reply) && reply->magic == MR_TRACE_MAGIC;
}

/*
 * Sends a request and waits for the reply.  Others may have crowded it out before mrctl read it: then it is sent again.
 * @ring: set to the descriptor that came with the reply, else -1
 */
static bool exchange(const struct mr_trace_request *request, struct mr_trace_reply *reply,
		     int *ring)
{
	const uint64_t begin = mr_now_ns();
	bool is_answered = false;

	*ring = -1;
	for (unsigned int i = 0; i < ATTEMPTS && !is_answered && !is_late(begin); i++) {
		int fd = connect_to();

		if (fd < 0)
			return false;
		is_answered = send_request(fd, request) && receive_reply(fd, reply, ring);
		SYSTEM(SYS_close, fd);
	}
	return is_answered;
}

/* Waits until mrctl has taken a request whose reply has no content. */
static void notify(const struct mr_trace_request *request)
{
	struct mr_trace_reply reply;
	int none;

	exchange(request, &reply, &none);
	if (none >= 0)
		SYSTEM(SYS_close, none);
}

/* Map a ring.  The file is sealed against a change of its size, so no access can raise SIGBUS. */
static bool map_ring(struct mr_ring *ring, int fd, uint32_t frames)
{
	const size_t size = mr_trace_ring_size(frames);
	long end = SYSTEM(SYS_lseek, fd, 0L, SEEK_END), address_or_error;
	struct mr_trace_ring *shared;

	if (end < 0 || (size_t)end < size)
		return false;
	address_or_error = SYSTEM(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0L);
	if (address_or_error < 0 && address_or_error > -4096)
		return false;
	shared = (struct mr_trace_ring *)address_or_error;
	/* A child has a separate ring. */
	if (SYSTEM(SYS_madvise, shared, size, MADV_DONTFORK) || shared->magic != MR_TRACE_MAGIC ||
	    shared->version != MR_TRACE_VERSION || shared->frames != frames) {
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
	struct mr_trace_request request;
	struct mr_trace_reply reply = { 0 };
	bool joined;
	int ring;

	fill(&request, MR_TRACE_JOIN);
	request.parent = own_id;
	SYSTEM(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", request.path, sizeof(request.path) - 1);
	joined = exchange(&request, &reply, &ring) && ring >= 0 &&
		 reply.frames <= MR_TRACE_FRAMES && map_ring(&process->ring, ring, reply.frames);
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
	notify(&request);
}

/* Where nothing was called there are no places; a child that has not joined has none either. */
void channel_closing(void)
{
	struct agent_process *process = agent_process;
	struct mr_trace_request request;

	if (agent_is_filtered || !process || atomic_load(&process->phase) != AGENT_JOINED ||
	    atomic_load(&process->ring.is_left) || !atomic_load(&process->ring.shared->head))
		return;
	fill(&request, MR_TRACE_CLOSE);
	notify(&request);
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
static bool pause_for_mrctl(uint64_t *begin)
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

/* A header of 16 bytes, and struct mlx5_ifc_cmd_hca_cap_bits. */
#define ANSWER_SIZE (16 + 4096)

/* QUERY_HCA_CAP of the general capabilities.  lib/verbs/query.c makes the same call in mrctl's own contexts. */
static int query_capabilities(int fd)
{
	static const uint8_t in[16] = { 0x01, 0x00, [7] = 0x01 };
	static uint8_t out[ANSWER_SIZE]; /* of all threads: nobody reads it */
	/* The header ends with an array of no length, which the attributes follow. */
	union {
		struct ib_uverbs_ioctl_hdr header;
		struct {
			char before[sizeof(struct ib_uverbs_ioctl_hdr)];
			struct ib_uverbs_attr attrs[2];
		};
	} request = {
		.attrs = { { .attr_id = MLX5_IB_ATTR_DEVX_OTHER_CMD_IN,
			     .len = sizeof(in),
			     .flags = UVERBS_ATTR_F_MANDATORY,
			     .data = (uintptr_t)in },
			   { .attr_id = MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT,
			     .len = sizeof(out),
			     .flags = UVERBS_ATTR_F_MANDATORY,
			     .data = (uintptr_t)out } },
	};

	request.header.length = sizeof(request);
	request.header.object_id = MLX5_IB_OBJECT_DEVX;
	request.header.method_id = MLX5_IB_METHOD_DEVX_OTHER;
	request.header.num_attrs = 2;
	request.header.driver_id = RDMA_DRIVER_MLX5;
	return ioctl(fd, RDMA_VERBS_IOCTL, &request.header) ? errno : 0;
}

/* lib/sim/preload: bytes that simulated devices have pinned, which no file of /proc has; NULL without them */
extern uint64_t mrctl_sim_pinned(void) __attribute__((weak));

enum {
	OWN_FRAMES = 6,             /* of the agent, at most, on top of a backtrace */
	LOOKS_OF_KIND = 3,          /* refusals that are alike and that mrctl looks at */
	LOOKS_OF_OTHER_RANGES = 16, /* more of them, each of another range */
};

bool call_begin(struct call *call, enum mr_traced_call number, uintptr_t caller)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	/*
	 * The stack grows down: an outer call that lies below has been left by siglongjmp() or an exception.
	 */
	if (agent_thread.outermost && here < agent_thread.outermost)
		return false;
	agent_thread.outermost = here;
	agent_thread.kernel_calls = 0;
	agent_thread.kernel_errnum = 0;
	memset(&call->record, 0, sizeof(call->record));
	call->record.call = number;
	call->record.caller = caller;
	call->saved = errno;
	errno = 0;
	call->record.begin_ns = mr_now_ns();
	return true;
}

/* The refusals of a kind; NULL: there are too many kinds. */
static struct agent_refusal *refusals_of(uint64_t kind)
{
	for (uint64_t i = 0; i < AGENT_REFUSALS; i++) {
		struct agent_refusal *refusal =
			&agent_process->refusals[(kind + i) % AGENT_REFUSALS];
		uint64_t found = 0;

		if (atomic_compare_exchange_strong(&refusal->kind, &found, kind) || found == kind)
			return refusal;
	}
	return NULL;
}

/* Whether mrctl has not looked at so many refusals of a kind yet; one more counts as looked at. */
static bool take_look(struct agent_refusal *refusal, uint32_t most)
{
	return refusal && atomic_load(&refusal->looks) < most &&
	       atomic_fetch_add(&refusal->looks, 1) < most;
}

/*
 * A program's library makes all its calls in one place, and requests the same access to any memory: so other memory
 * is examined, too, which may be refused for another reason.
 */
static bool is_worth_a_look(const struct mr_trace_record *record)
{
	const uint64_t alike = mr_trace_mix(mr_trace_likeness(record), record->caller);
	struct agent_refusal *like = record->errnum ? refusals_of(alike) : NULL;
	bool is_other_range;

	if (!like || atomic_load(&like->looks) >= LOOKS_OF_KIND + LOOKS_OF_OTHER_RANGES)
		return false;
	is_other_range = take_look(refusals_of(mr_trace_range_likeness(record, alike)), 1);
	return take_look(like, LOOKS_OF_KIND) ||
	       (is_other_range && take_look(like, LOOKS_OF_KIND + LOOKS_OF_OTHER_RANGES));
}

/* Notes the return addresses from the caller's on. */
static void note_frames(struct mr_traced_record *record, uint32_t most)
{
	void *frames[MR_TRACE_FRAMES + OWN_FRAMES];
	const int count = backtrace(frames, MR_TRACE_FRAMES + OWN_FRAMES);
	int skipped = 0;

	while (skipped < count && skipped < OWN_FRAMES &&
	       (uintptr_t)frames[skipped] != record->call.caller)
		skipped++;
	if (skipped == OWN_FRAMES)
		return;
	for (int i = skipped; i < count && record->call.frame_count < most; i++)
		record->frames[record->call.frame_count++] = (uintptr_t)frames[i];
}

void call_put(const struct mr_trace_record *call)
{
	const int saved = errno;
	const struct ibv_context *context = (const void *)(uintptr_t)call->context;
	struct mr_ring *ring = ring_of_process();
	struct mr_traced_record record;

	if (!ring) {
		errno = saved;
		return;
	}
	record.call = *call;
	if (agent_thread.pid != agent_process->pid && !agent_is_filtered) {
		agent_thread.pid = agent_process->pid;
		agent_thread.tid = (pid_t)SYSTEM(SYS_gettid);
	}
	record.call.tid = (uint32_t)agent_thread.tid;
	record.call.flags |= (agent_kernel_seen ? (uint32_t)MR_TRACE_KERNEL_SEEN : 0) |
			     (agent_fork_safe ? (uint32_t)MR_TRACE_FORK_SAFE : 0);
	if (ring->frames)
		note_frames(&record, ring->frames);
	if (is_worth_a_look(&record.call)) {
		record.call.flags |= MR_TRACE_LOOKED_AT;
		if (mrctl_sim_pinned) { /* it reads /proc, so only where mrctl looks */
			record.call.pinned = mrctl_sim_pinned();
			record.call.flags |= MR_TRACE_HAS_PINNED;
		}
		/* Answer to another DEVX call in the same context, which changes nothing. */
		if ((call->call == MR_TRACED_MLX5DV_DEVX_UMEM_REG ||
		     call->call == MR_TRACED_MLX5DV_DEVX_UMEM_REG_EX) &&
		    call->errnum == EINVAL) {
			record.call.devx_errnum = query_capabilities(context->cmd_fd);
			record.call.flags |= MR_TRACE_HAS_DEVX;
		}
	}
	mr_ring_put(ring, &record, pause_for_mrctl);
	errno = saved;
}

void call_end(struct call *call, bool failed, int result)
{
	struct mr_trace_record *record = &call->record;
	int left = errno;

	record->elapsed_ns = mr_now_ns() - record->begin_ns;
	record->result = result;
	if (failed)
		record->errnum = result > 0 ? result : left ? left : MR_TRACE_NO_ERRNO;
	record->kernel_calls = agent_thread.kernel_calls;
	record->kernel_errnum = agent_thread.kernel_errnum;
	call_put(record);
	agent_thread.outermost = 0;
	errno = left ? left : call->saved;
}

void call_note_device(struct call *call, const struct ibv_device *device)
{
	char *to = call->record.device;

	for (size_t i = 0; i < sizeof(call->record.device) - 1 && device->name[i]; i++)
		to[i] = device->name[i];
}

void call_note_context(struct call *call, const struct ibv_context *context)
{
	call->record.context = (uintptr_t)context;
	if (context)
		call_note_device(call, context->device);
}

void call_note_pd(struct call *call, const struct ibv_pd *pd)
{
	call->record.pd = (uintptr_t)pd;
	if (pd)
		call_note_context(call, pd->context);
}

void call_note_mr(struct call *call, const struct ibv_mr *mr)
{
	call->record.object = (uintptr_t)mr;
	if (!mr)
		return;
	call->record.lkey = mr->lkey;
	call->record.rkey = mr->rkey;
	call->record.handle = mr->handle;
}

void call_note_range(struct call *call, uint64_t addr, uint64_t length, uint32_t access)
{
	call->record.addr = addr;
	call->record.length = length;
	call->record.access = access;
}
