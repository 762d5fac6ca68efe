// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/reading.h"
#include "lib/trace/trace.h"
#include "lib/trace/wire/wire.h"

enum {
	POLL_MS = 10,     /* between two looks into the rings */
	BUSY_POLL_MS = 1, /* while a ring is filled that fast: a program waits for a full one */
	BUSY = MR_TRACE_SLOTS / 8, /* records of a process at a look, of one that is busy */
};

static int open_pidfd(pid_t pid)
{
	return pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
}

/* ---- calls ---- */

/* A library may register in one place for all of its callers: a registration has a place for each stack. */
static struct mr_site *see_site(struct mr_traced_process *process,
				const struct mr_traced_record *record)
{
	const struct mr_trace_record *call = &record->call;
	const bool registers = mr_traced_call_row(call->call)->effect == MR_TRACED_REGISTERS;
	struct mr_site *site;
	uint64_t stack = 0;

	for (uint32_t i = 0; registers && i < call->frame_count; i++)
		stack = mr_trace_mix(stack, record->frames[i]);
	site = mr_ledger_site(&process->ledger, call->caller, call->call, stack);
	/* Another library may be in the place of one. */
	if (site && (process->modules.is_stale || !site->calls))
		mr_process_see(process, call->caller - 1);
	return site;
}

/*
 * A PD that is still in use is no refused registration: fio and qperf deallocate theirs too early.  Nor is a queue
 * that the device does not support: libfabric tests by such calls what a queue may have.  NCCL, UCX and others test
 * by a registration without a descriptor whether the device supports dma-bufs at all: then the answer is EBADF.
 */
static bool is_refusal(const struct mr_trace_record *call)
{
	switch (mr_traced_call_row(call->call)->effect) {
	case MR_TRACED_PROTECTS:
		return false;
	case MR_TRACED_FREES:
		return call->errnum &&
		       !(call->call == MR_TRACED_IBV_DEALLOC_PD && call->errnum == EBUSY);
	case MR_TRACED_CREATES:
		return call->errnum && call->errnum != EINVAL && call->errnum != EOPNOTSUPP &&
		       call->errnum != ENOSYS;
	case MR_TRACED_REGISTERS:
		return call->errnum && !(call->flags & MR_TRACE_HAS_FD && call->fd < 0 &&
					 !call->addr && !call->iova && call->length <= 65536);
	default:
		return call->errnum;
	}
}

void mr_follow_take(struct mr_follow *follow, struct mr_traced_process *process,
		    struct mr_traced_record *record)
{
	struct mr_trace_record *call = &record->call;
	mr_auto_free struct mr_look *look = NULL;
	struct mr_site *site;

	/* No agent writes others. */
	if (call->call >= MR_TRACED_CALL_COUNT || call->errnum < 0)
		return;
	mr_ledger_complete(&process->ledger, call);
	site = see_site(process, record);
	/* The place is that which calls the inline function, where the caller is one. */
	if (site && call->outer && mr_process_is_header(process, site)) {
		call->caller = call->outer;
		site = see_site(process, record);
	}
	if (!site) {
		follow->totals.uncounted++;
		return;
	}
	if (call->errnum && (call->flags & MR_TRACE_LOOKED_AT) && process->pid &&
	    !process->has_ended)
		look = calloc(1, sizeof(*look));
	if (look) {
		/* Earlier calls of an attached process are not known, and it does not wait. */
		look->has_gone_on = process->is_attached;
		if (!process->is_attached)
			mr_ledger_context(&process->ledger, call, look);
		mr_look_at(process->pid, call, look);
	}
	mr_ledger_take(&process->ledger, &follow->totals, record, site);
	if (mr_traced_call_row(call->call)->effect == MR_TRACED_OPENS) {
		process->modules.is_stale = true; /* libibverbs may be there only now */
		mr_process_see(process, call->caller);
	}
	if (is_refusal(call))
		mr_refusals_add(&follow->refusals, process, record, site, look);
	if (follow->sink.call)
		follow->sink.call(follow->sink.data, process, record, site, look);
}

/*
 * Empties a ring, but takes at most as many as fit, so that a busy process does not keep others waiting.
 * Return: how many it took.
 */
static size_t take_calls(struct mr_follow *follow, struct mr_traced_process *process)
{
	struct mr_traced_record record;
	size_t count = 0;

	while (count < MR_TRACE_SLOTS &&
	       mr_ring_take(&process->ring, process->has_ended, &record)) {
		mr_follow_take(follow, process, &record);
		count++;
	}
	return count;
}

/* ---- the end of a process, and what it leaves ---- */

enum {
	LEAKS_MAX = 4096,        /* places of leaks that are kept */
	ENDED_OBJECTS = 1 << 18, /* of processes without children that are kept after their end */
	ENDED_SIZE = 1 << 10,    /* counts for a process itself, in objects */
};

/* Whether a leak has these callers; NULL: none are known. */
static bool has_callers(const struct mr_leak *leak, char **callers)
{
	const char *const *at = leak->stack;

	if (!at || !callers)
		return at == (const char *const *)callers;
	while (*at && *callers && !strcmp(*at, *callers))
		at++, callers++;
	return !*at && !*callers;
}

/* Adds the regions of a place to its leak, which may be one of another process, or takes over the names of the place. */
static void add_leak(struct mr_leaks *leaks, const struct mr_traced_process *process,
		     struct mr_site *site)
{
	const char *call = mr_traced_call_row(site->call)->name;
	struct mr_leak *leak = leaks->list;
	size_t at = 0;

	while (at < leaks->count &&
	       !(leak[at].call == call && !strcmp(leak[at].place, site->place) &&
		 !strcmp(leak[at].program, process->program) &&
		 has_callers(&leak[at], site->callers)))
		at++;
	if (at == leaks->count) {
		char *program = at < LEAKS_MAX ? strdup(process->program) : NULL;

		leak = program ? reallocarray(leak, at + 1, sizeof(*leak)) : NULL;
		if (!leak) {
			free(program);
			return;
		}
		leaks->list = leak;
		leaks->count++;
		leak[at] = (struct mr_leak){ .program = program,
					     .place = site->place,
					     .call = call,
					     .stack = (const char *const *)site->callers };
		site->place = NULL;
		site->callers = NULL;
	}
	leak[at].count += site->count;
	leak[at].bytes = mr_sum(leak[at].bytes, site->bytes);
}

static void count_leaks(struct mr_leaks *leaks, struct mr_traced_process *process)
{
	size_t count;
	mr_auto_free struct mr_site **sites = mr_ledger_sites(&process->ledger, &count);

	for (size_t i = 0; i < count; i++)
		if (sites[i]->count && sites[i]->place)
			add_leak(leaks, process, sites[i]);
}

/* Whether a process or one that was forked from it runs, or may still look for its objects. */
static bool is_needed(const struct mr_traced_process *process)
{
	return process->heirs || process->children;
}

/* Removes those that no child can request, and the oldest if they are too many. */
static void forget_some(struct mr_follow *follow)
{
	struct mr_traced_process **link = &follow->first, *at, *heir;
	size_t objects = 0;

	for (at = follow->first; at; at = at->next)
		objects += is_needed(at) ? 0 : at->ledger.object_count + ENDED_SIZE;
	while ((at = *link)) {
		/* A child that turns up yet may deregister what it has of its parents. */
		for (heir = at; heir && !heir->ledger.live.count;)
			heir = heir->parent;
		if (is_needed(at) || (heir && objects <= ENDED_OBJECTS)) {
			link = &at->next;
			continue;
		}
		objects -= at->ledger.object_count + ENDED_SIZE;
		count_leaks(&follow->leaks, at);
		if (at->parent)
			at->parent->children--;
		*link = at->next;
		mr_process_release(at);
	}
}

/* Libraries whose versions are reported.  Providers have that of libibverbs, which loads all. */
static const char *const libraries[] = { "libibverbs.", "librdmacm.", "libucp.",      "libuct",
					 "libucs.",     "libucm.",    "libfabric.",   "libnccl",
					 "librccl",     "libmpi",     "libopen-pal.", "libnvshmem",
					 "libcuda.",    "libcudart.", "libamdhip64." };

static void note_libraries(struct mr_follow *follow, const struct mr_modules *modules)
{
	for (size_t i = 0; i < modules->count; i++) {
		const char *path = modules->mappings[i].path, *slash = strrchr(path, '/');
		size_t at = 0, of = 0;

		while (slash && of < sizeof(libraries) / sizeof(*libraries) &&
		       strncmp(slash + 1, libraries[of], strlen(libraries[of])) != 0)
			of++;
		if (!slash || of == sizeof(libraries) / sizeof(*libraries))
			continue;
		while (follow->libraries[at] && strcmp(follow->libraries[at], path) != 0)
			at++;
		if (!follow->libraries[at] && at < MR_FOLLOW_LIBRARIES &&
		    (follow->libraries[at] = strdup(path)))
			mr_clean_text(follow->libraries[at], strlen(path) + 1);
	}
}

static void end_process(struct mr_follow *follow, struct mr_traced_process *process)
{
	process->has_ended = true;
	take_calls(follow, process);
	follow->unseen += mr_ring_lost(&process->ring);
	follow->process_count--;
	note_libraries(follow, &process->modules);
	mr_process_name_sites(process);
	mr_process_stop(process);
	for (struct mr_traced_process *at = process; at; at = at->parent)
		if (!--at->heirs)
			mr_ledger_count(&at->ledger, false, &follow->totals);
}

/* ---- requests ---- */

/* Finds a process that runs; @pid: 0: none */
static struct mr_traced_process *find_process(const struct mr_follow *follow, pid_t pid)
{
	struct mr_traced_process *at = pid ? follow->first : NULL;

	while (at && (at->has_ended || at->pid != pid))
		at = at->next;
	return at;
}

/* Adds a process, behind all others.  Return: NULL where memory is short */
static struct mr_traced_process *new_process(struct mr_follow *follow, pid_t pid,
					     const char *program)
{
	struct mr_traced_process *process = calloc(1, sizeof(*process)), **last = &follow->first;

	if (!process)
		return NULL;
	while (*last)
		last = &(*last)->next;
	*last = process;
	follow->process_count++;
	process->pid = pid;
	process->id = ++follow->joined;
	process->pidfd = open_pidfd(pid);
	snprintf(process->program, sizeof(process->program), "%s", program);
	return process;
}

/*
 * Follows a process.  Its parent is the one that it was forked from, whose calls before that are taken.
 * @fd: set to that of its ring; left alone when it cannot be followed
 *
 * Return: its id, or 0
 */
static uint64_t add_process(struct mr_follow *follow, pid_t pid,
			    const struct mr_trace_request *request, int *fd)
{
	struct mr_traced_process *process, *parent = follow->first;
	struct mr_ring ring;
	struct mr_error err;

	if (mr_ring_create(&ring, follow->frames, fd, &err))
		return 0;
	while (parent && parent->id != request->parent)
		parent = parent->next;
	if (parent)
		take_calls(follow, parent);
	process = new_process(follow, pid, request->path);
	if (!process) {
		mr_ring_release(&ring);
		return 0;
	}
	process->ring = ring;
	process->image = mr_monitor_image(pid);
	process->joined_ns = mr_now_ns();
	mr_clean_text(process->program, sizeof(process->program));
	process->parent = parent;
	if (parent) {
		parent->children++;
		process->ledger.parent = &parent->ledger;
	}
	for (struct mr_traced_process *at = process; at; at = at->parent)
		if (!at->heirs++)
			mr_ledger_count(&at->ledger, true, &follow->totals);
	mr_process_see(process, 0);
	return process->id;
}

static void serve(struct mr_follow *follow, int connection, pid_t pid,
		  const struct mr_trace_request *request)
{
	struct mr_traced_process *process = find_process(follow, pid);
	struct mr_trace_reply reply = { .magic = MR_TRACE_MAGIC };
	mr_auto_fd int fd = -1;

	switch (request->kind) {
	case MR_TRACE_JOIN:
		if (process) /* it runs another program now */
			end_process(follow, process);
		reply.frames = follow->frames;
		reply.id = add_process(follow, pid, request, &fd);
		if (!reply.id)
			follow->sink.not_followed(follow->sink.data, pid, request->path,
						  MR_TRACE_NO_ROOM);
		break;
	case MR_TRACE_CLOSE:
		if (!process)
			break;
		take_calls(follow, process);
		mr_process_name_sites(process);
		mr_ledger_retire(&process->ledger);
		process->modules.is_stale = true;
		break;
	case MR_TRACE_LOST:
		mr_monitor_announced(&follow->monitor, pid);
		follow->sink.not_followed(follow->sink.data, pid, request->path, request->obstacle);
		break;
	}
	/* Without a ring the reply is a refusal. */
	mr_channel_reply(connection, &reply, reply.id ? fd : -1);
}

/* ---- the loop ---- */

enum {
	CONNECTIONS_AT_ONCE = 64, /* others of the host may connect, too */
	EXEC_LOOKS = 10,          /* in which a process that has no environment yet may get it */
};

struct loop {
	struct mr_follow *follow;
	pid_t child;
	int child_fd;
	int wait_ms;             /* until the next look at all processes */
	unsigned int exec_looks; /* for others that may join, at which a process was in execve(2) */
	bool child_is_over;
	bool is_interrupted; /* the user does not wait for what the child has left behind */
	bool is_busy;        /* a process had made many calls at the last look */
	int status;
};

/*
 * Passes a signal on, unless the child has it already.  A terminal sends SIGINT and SIGQUIT to it, too, but SIGHUP only
 * to the leader of the session.  A signal of the program to its process group would return to it without end if it came
 * back.
 */
static void take_signal(struct loop *loop)
{
	struct signalfd_siginfo info;
	bool is_known;
	pid_t sender;

	if (read(loop->follow->signals, &info, sizeof(info)) != sizeof(info))
		return;
	sender = info.ssi_code == SI_KERNEL ? 0 : (pid_t)info.ssi_pid;
	is_known = sender == loop->child || find_process(loop->follow, sender) ||
		   (info.ssi_code == SI_KERNEL &&
		    (info.ssi_signo == SIGINT || info.ssi_signo == SIGQUIT));
	if (loop->child_is_over)
		loop->is_interrupted = true;
	else if (!is_known)
		kill(loop->child, (int)info.ssi_signo);
}

static void take_all(struct loop *loop)
{
	struct mr_follow *follow = loop->follow;

	loop->is_busy = false;
	for (struct mr_traced_process *at = follow->first; at; at = at->next) {
		struct pollfd end = { .fd = at->pidfd, .events = POLLIN };

		if (at->has_ended)
			continue;
		/* A process without a pidfd is followed no longer than the child: its end would not be noticed. */
		if (end.fd < 0 ? loop->child_is_over : poll(&end, 1, 0) > 0)
			end_process(follow, at);
		else if (take_calls(follow, at) >= BUSY)
			loop->is_busy = true;
	}
	forget_some(follow);
}

/*
 * Whether a process is left that was started with the channel in its environment, and may still join.  One within
 * execve(2) has no environment for a moment.
 */
static bool has_other(struct loop *loop)
{
	const char *channel = loop->follow->channel.name;
	const size_t length = strlen(channel);
	bool is_found = false, is_in_exec = false;
	DIR *folder = mr_process_folder();
	char value[256];
	int pid;

	while (folder && !is_found && (pid = mr_process_next_number(folder)) > 0) {
		const int rc = mr_process_variable(pid, MR_TRACE_VARIABLE, value, sizeof(value));

		is_in_exec |= rc == -EAGAIN;
		is_found = rc == 1 && !strncmp(value, channel, length) && value[length] == ':';
	}
	if (folder)
		closedir(folder);
	return is_found || (is_in_exec && loop->exec_looks++ < EXEC_LOOKS);
}

static int run_once(struct loop *loop, struct mr_error *err)
{
	struct mr_follow *follow = loop->follow;
	/* An old kernel or a container's filter of calls may know no pidfd. */
	const bool has_child_fd = loop->child_fd >= 0;
	const int patience = loop->is_busy ? BUSY_POLL_MS : POLL_MS;
	struct pollfd fds[] = {
		{ .fd = follow->signals, .events = POLLIN },
		{ .fd = follow->channel.fd, .events = POLLIN },
		{ .fd = loop->child_is_over ? -1 : loop->child_fd, .events = POLLIN },
	};
	struct mr_trace_request request;
	int connection = 0;
	uint64_t begun;
	pid_t pid;

	if (poll(fds, sizeof(fds) / sizeof(*fds),
		 follow->process_count || !has_child_fd ? patience : loop->wait_ms) < 0 &&
	    errno != EINTR)
		return mr_fail(err, MR_ERROR_HOST, errno, "poll", NULL);
	begun = mr_now_ns();
	/* First, as a signal for a child that has ended would be lost. */
	if (!loop->child_is_over)
		loop->child_is_over = waitpid(loop->child, &loop->status, WNOHANG) == loop->child;
	if (fds[0].revents)
		take_signal(loop);
	take_all(loop);
	/* All that was called before the first ring was emptied is known now. */
	mr_totals_settle(&follow->totals, begun);
	for (size_t i = 0; i < CONNECTIONS_AT_ONCE && connection != -EAGAIN; i++) {
		connection = mr_channel_accept(&follow->channel, &pid, &request);
		if (connection >= 0)
			serve(follow, connection, pid, &request);
	}
	loop->wait_ms = mr_monitor_look(follow, loop->child_is_over ? 0 : loop->child);
	if (follow->sink.caught_up)
		follow->sink.caught_up(follow->sink.data);
	return 0;
}

/* @before: set to the mask before */
static int open_signals(sigset_t *before)
{
	static const int numbers[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };
	sigset_t taken;

	sigemptyset(&taken);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigaddset(&taken, numbers[i]);
	sigprocmask(SIG_BLOCK, &taken, before);
	return signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
}

int mr_follow_attach(struct mr_follow *follow, pid_t pid, const char *program, struct mr_error *err)
{
	struct mr_traced_process *process = new_process(follow, pid, program);
	sigset_t before;

	if (!process)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	process->is_attached = true;
	follow->signals = open_signals(&before);
	if (process->pidfd < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "pidfd_open", "pid %d", pid);
	return 0;
}

pid_t mr_follow_fork(struct mr_follow *follow)
{
	sigset_t before;
	pid_t child;

	follow->signals = open_signals(&before);
	child = fork();
	if (child <= 0)
		sigprocmask(SIG_SETMASK, &before, NULL);
	return child;
}

int mr_follow_run(struct mr_follow *follow, pid_t child, int *status, struct mr_error *err)
{
	struct loop loop = { .follow = follow, .child = child, .child_fd = open_pidfd(child) };
	int rc = 0;

	while (!rc && (!loop.child_is_over ||
		       (!loop.is_interrupted && (follow->process_count || has_other(&loop)))))
		rc = run_once(&loop, err);
	*status = loop.status;
	mr_totals_settle(&follow->totals, UINT64_MAX);
	/* No further process is followed: regions that no process is left to deregister are leaks. */
	for (struct mr_traced_process *at = follow->first; at; at = at->next)
		if (!at->heirs)
			count_leaks(&follow->leaks, at);
	if (loop.child_fd >= 0)
		close(loop.child_fd);
	return rc;
}

void mr_follow_close(struct mr_follow *follow)
{
	struct mr_traced_process *at, *next;

	for (at = follow->first; at; at = next) {
		next = at->next;
		mr_process_release(at);
	}
	for (size_t i = 0; i < follow->leaks.count; i++) {
		mr_callers_release((char **)follow->leaks.list[i].stack);
		free((void *)follow->leaks.list[i].program);
		free((void *)follow->leaks.list[i].place);
	}
	free(follow->leaks.list);
	mr_totals_release(&follow->totals);
	for (char **library = follow->libraries; *library; library++)
		free(*library);
	if (follow->signals >= 0)
		close(follow->signals);
	mr_refusals_release(&follow->refusals);
	free(follow->monitor.entries);
	mr_channel_close(&follow->channel);
}
