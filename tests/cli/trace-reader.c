// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Runs a program with the agent of trace, and writes what it says as it is, one line a message:
 *   join PID PATH | lost PID OBSTACLE PATH | look PID INDEX
 *   call PID TID NAME ERRNO OBJECT ADDR LENGTH ACCESS KERNEL_CALLS FLAGS DEVICE FRAMES
 *   end PID RECORDS LOST
 * Usage: trace-reader FILE FRAMES DELAY_MS CMD [ARG...]
 *   DELAY_MS: between two looks into the rings; -1: never empty them
 * Exits as the program does, when all have ended that have joined.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/trace/enter.h"
#include "lib/trace/wire/calls.h"
#include "lib/trace/wire/wire.h"

enum { PROCESSES = 4096 };

static struct process {
	pid_t pid;
	int pidfd;
	struct mr_trace_ring *ring;
} processes[PROCESSES];
static size_t process_count, live_count;
static FILE *out;
static uint32_t frames;
static char token[MR_TRACE_TOKEN + 1];

static void fail(const char *what)
{
	perror(what);
	exit(125);
}

static size_t ring_size(void)
{
	return sizeof(struct mr_trace_ring) + (size_t)MR_TRACE_SLOTS * mr_trace_record_size(frames);
}

static void show(const struct process *process, const struct mr_trace_record *r)
{
	fprintf(out,
		"call %d %u %s %d 0x%" PRIx64 " 0x%" PRIx64 " %" PRIu64 " 0x%x %u 0x%x %s %u\n",
		process->pid, r->tid, mr_traced_call_row(r->call)->name, r->errnum, r->object,
		r->addr, r->length, r->access, r->kernel_calls, r->flags,
		*r->device ? r->device : "-", r->frame_count);
}

static void drain(const struct process *process)
{
	struct mr_trace_ring *ring = process->ring;
	uint64_t tail = ring->tail;

	for (;; tail++) {
		const struct mr_trace_record *record =
			(void *)((char *)(ring + 1) + (tail % MR_TRACE_SLOTS) * ring->record_size);

		if (atomic_load(&record->ready) != tail + 1)
			break;
		show(process, record);
		atomic_store(&ring->tail, tail + 1);
	}
}

static struct process *process_of(pid_t pid)
{
	for (size_t i = process_count; i-- > 0;)
		if (processes[i].pid == pid && processes[i].pidfd >= 0)
			return &processes[i];
	return NULL;
}

static int make_ring(struct process *process)
{
	int fd = memfd_create("ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	struct mr_trace_ring *ring;

	if (fd < 0 || ftruncate(fd, (off_t)ring_size()))
		fail("memfd");
	ring = mmap(NULL, ring_size(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED)
		fail("mmap");
	ring->magic = MR_TRACE_MAGIC;
	ring->version = MR_TRACE_VERSION;
	ring->slots = MR_TRACE_SLOTS;
	ring->record_size = mr_trace_record_size(frames);
	ring->frames = frames;
	process->ring = ring;
	return fd;
}

static void end(struct process *process)
{
	drain(process);
	fprintf(out, "end %d %" PRIu64 " %" PRIu64 "\n", process->pid, process->ring->tail,
		process->ring->lost);
	munmap(process->ring, ring_size());
	close(process->pidfd);
	process->pidfd = -1;
	live_count--;
}

/* The reply, with a ring where the process joins. */
static void reply(int fd, int ring)
{
	struct mr_trace_reply answer = { .magic = MR_TRACE_MAGIC, .frames = frames };
	struct iovec part = { &answer, sizeof(answer) };
	char control[CMSG_SPACE(sizeof(int))] = "";
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	if (ring >= 0) {
		message.msg_control = control;
		message.msg_controllen = sizeof(control);
		CMSG_FIRSTHDR(&message)->cmsg_level = SOL_SOCKET;
		CMSG_FIRSTHDR(&message)->cmsg_type = SCM_RIGHTS;
		CMSG_FIRSTHDR(&message)->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(CMSG_FIRSTHDR(&message)), &ring, sizeof(ring));
	}
	sendmsg(fd, &message, MSG_NOSIGNAL);
}

static void join(int fd, pid_t pid, const struct mr_trace_request *request)
{
	struct process *process = process_of(pid);
	int ring;

	if (process) /* it has run another program since */
		end(process);
	if (process_count == PROCESSES)
		fail("too many processes");
	process = &processes[process_count++];
	process->pid = pid;
	process->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (process->pidfd < 0)
		fail("pidfd_open");
	live_count++;
	ring = make_ring(process);
	fprintf(out, "join %d %s\n", pid, request->path);
	reply(fd, ring);
	close(ring);
}

static void serve(int server)
{
	int fd = accept4(server, NULL, NULL, SOCK_CLOEXEC);
	struct mr_trace_request request = { 0 };
	struct ucred peer = { 0 };
	socklen_t length = sizeof(peer);

	if (fd < 0)
		return;
	getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length);
	if (recv(fd, &request, sizeof(request), 0) == sizeof(request) &&
	    !memcmp(request.token, token, MR_TRACE_TOKEN)) {
		if (request.kind == MR_TRACE_JOIN) {
			join(fd, peer.pid, &request);
		} else if (request.kind == MR_TRACE_LOST) {
			fprintf(out, "lost %d %u %s\n", peer.pid, request.obstacle, request.path);
		} else {
			fprintf(out, "look %d %" PRIu64 "\n", peer.pid, request.index);
			reply(fd, -1);
		}
	}
	close(fd);
}

static pid_t start(char **command, const char *name)
{
	struct mr_error err;
	pid_t pid = fork();

	if (pid)
		return pid;
	if (mr_trace_enter(name, token, &err)) {
		fprintf(stderr, "trace-reader: %s\n", err.text);
		_exit(125);
	}
	execvp(command[0], command);
	fail(command[0]);
	return -1;
}

static int listen_as(char *name, size_t size)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int server = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	snprintf(name, size, "trace-reader-%d", getpid());
	strcpy(address.sun_path + 1, name);
	if (server < 0 ||
	    bind(server, (struct sockaddr *)&address,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name))) ||
	    listen(server, 128))
		fail("socket");
	return server;
}

static void end_those_that_ended(void)
{
	for (size_t i = 0; i < process_count; i++) {
		struct pollfd ended = { .fd = processes[i].pidfd, .events = POLLIN };

		if (processes[i].pidfd >= 0 && poll(&ended, 1, 0) > 0)
			end(&processes[i]);
	}
}

int main(int argc, char **argv)
{
	unsigned char random[MR_TRACE_TOKEN / 2];
	int delay, server, status = 0;
	bool running = true;
	char name[64];
	pid_t child;

	if (argc < 5)
		return 2;
	out = fopen(argv[1], "we");
	frames = (uint32_t)atoi(argv[2]);
	delay = atoi(argv[3]);
	if (!out || getrandom(random, sizeof(random), 0) < 0)
		fail(argv[1]);
	setvbuf(out, NULL, _IOFBF, 1 << 20);
	for (size_t i = 0; i < sizeof(random); i++)
		sprintf(token + 2 * i, "%02x", random[i]);
	server = listen_as(name, sizeof(name));
	child = start(argv + 4, name);
	while (running || live_count) {
		struct pollfd asked = { .fd = server, .events = POLLIN };

		if (running && waitpid(child, &status, WNOHANG) == child)
			running = false;
		poll(&asked, 1, delay < 0 ? 10 : delay);
		serve(server);
		for (size_t i = 0; i < process_count && delay >= 0; i++)
			if (processes[i].pidfd >= 0)
				drain(&processes[i]);
		end_those_that_ended();
	}
	if (fclose(out))
		fail(argv[1]);
	if (WIFSIGNALED(status))
		kill(getpid(), WTERMSIG(status));
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
