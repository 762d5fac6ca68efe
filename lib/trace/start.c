// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Starts the traced program with the agent, and notes the files that it is made of. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/host.h"
#include "lib/host/reading.h"
#include "lib/trace/trace.h"
#include "lib/trace/wire/wire.h"

/* State of a process's program, or the enum mr_trace_obstacle for which it will not join. */
enum {
	IS_NO_MATTER = MR_TRACE_FOLLOWED, /* it has ended, or cannot be looked at */
	BEGINS = MR_TRACE_NO_ROOM + 1,    /* it may still join, or become one that will not */
	IS_OF_OTHER,                      /* another mrctl follows it */
};

/* Sets a variable to @first, and @old behind that. */
static int set_before(const char *name, const char *first, const char *old, struct mr_error *err)
{
	mr_auto_free char *value = NULL;

	if (asprintf(&value, "%s%s%s", first, old && *old ? ":" : "", old ? old : "") < 0)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "asprintf", NULL);
	return setenv(name, value, 1) ? mr_fail(err, MR_ERROR_HOST, errno, "setenv", NULL) : 0;
}

int mr_trace_enter(const char *socket, const char *token, struct mr_error *err)
{
	static const char separators[] = " :", agent[] = "/" MR_TRACE_AGENT;
	mr_auto_free char *folder = NULL, *path = NULL;
	const char *others = getenv("LD_PRELOAD") ?: "";
	size_t length = strcspn(others, separators);
	char self[PATH_MAX];
	int rc = mr_installed_find(MRCTL_LIBDIR, "trace", MR_TRACE_AGENT, self, &folder, err);

	if (rc)
		return rc;
	if (!folder)
		return mr_fail_text(err, MR_ERROR_HOST, ENOENT,
				    "the library for traced programs (" MR_TRACE_AGENT
				    ") is not installed beside %s",
				    self);
	if (strpbrk(folder, separators)) /* ld.so(8): its lists have these between their items */
		return mr_fail_text(err, MR_ERROR_HOST, EINVAL,
				    MR_TRACE_AGENT " cannot be loaded from a path with a blank or "
						   "colon: %s",
				    folder);
	/* The first one may be the agent of a trace around this one: a second wrapper around each function. */
	if (length >= strlen(agent) &&
	    !strncmp(others + length - strlen(agent), agent, strlen(agent)))
		others += length + strspn(others + length, separators);
	if (asprintf(&path, "%s%s", folder, agent) < 0)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "asprintf", NULL);
	return set_before("LD_PRELOAD", path, others, err)
		?: set_before("ASAN_OPTIONS", MR_TRACE_ASAN_OPTION, getenv("ASAN_OPTIONS"), err)
		?: set_before(MR_TRACE_VARIABLE, socket, token, err);
}

enum { DESCRIPTORS_OF_JOIN = 2 /* the socket, and the ring that comes by it */ };

bool mr_trace_stat(pid_t pid, const char *name, struct stat *st)
{
	struct mr_process folder;
	bool is_there;

	if (!mr_process_open(pid, &folder))
		return false;
	is_there = mr_process_stat_link(&folder, name, st);
	mr_process_close(&folder); /* which leaves errno */
	return is_there;
}

/* Where the kernel has put code and stack is random; the file counts where that is switched off. */
static uint64_t image_id(pid_t pid, const struct mr_process_stat *process)
{
	struct stat file = { 0 };
	uint64_t id = process->stack;

	if (!id) /* hidden: each process counts for itself */
		return mr_trace_mix(mr_trace_mix(process->start, (uint64_t)pid), 0);
	if (!mr_trace_stat(pid, "exe", &file) && errno != EACCES && errno != EPERM)
		return 0;
	id = mr_trace_mix(id, process->code);
	return mr_trace_mix(mr_trace_mix(id, file.st_dev), file.st_ino);
}

static int read_status(pid_t pid, struct mr_process_status *status)
{
	struct mr_host host = MR_THIS_HOST;

	host.process = pid;
	return mr_process_status_read(&host, "self", status);
}

/* Judges a process that this user may not look into.  @path: set to its command in brackets */
static uint32_t judge_hidden(pid_t pid, char path[PATH_MAX])
{
	struct mr_process_status status, own;

	if (read_status(pid, &status) || read_status(getpid(), &own))
		return IS_NO_MATTER;
	/* It is not dumpable (PR_SET_DUMPABLE), or is within execve(2), which may give it rights. */
	if (status.uid.value == own.uid.value && status.gid.value == own.gid.value &&
	    !(status.permitted.value & ~own.permitted.value))
		return BEGINS;
	snprintf(path, PATH_MAX, "(%s)", status.name);
	return MR_TRACE_PRIVILEGED;
}

static void count_name(const char *name, void *data)
{
	(void)name;
	++*(rlim_t *)data;
}

/* Returns why an agent could not join. */
static uint32_t find_obstacle(pid_t pid)
{
	struct mr_host host = MR_THIS_HOST;
	struct mr_process_status status;
	struct stat own, other;
	struct rlimit limit;
	rlim_t used = DESCRIPTORS_OF_JOIN;

	if (mr_trace_stat(pid, "ns/net", &other) && mr_trace_stat(getpid(), "ns/net", &own) &&
	    other.st_ino != own.st_ino)
		return MR_TRACE_OTHER_NETWORK;
	if (!prlimit(pid, RLIMIT_NOFILE, NULL, &limit) &&
	    mr_host_list(&host, count_name, &used, "/proc/%d/fd", (int)pid) >= 0 &&
	    used > limit.rlim_cur)
		return MR_TRACE_NO_DESCRIPTORS;
	return !read_status(pid, &status) && status.seccomp.value ? MR_TRACE_FILTERED
								  : MR_TRACE_NOT_JOINED;
}

enum { IS_LOADED = 1 << 0, HAS_FAILED = 1 << 1 };

static bool note_agent(const struct mr_mapping *mapping, void *data)
{
	const char *slash = strrchr(mapping->path, '/');
	unsigned int *agent = data;

	/* The agent's sign that it could not join (lib/trace/agent/process.c) */
	if (slash && !strcmp(slash + 1, MR_TRACE_AGENT))
		*agent |= mapping->writable && !mapping->readable ? HAS_FAILED : IS_LOADED;
	return true;
}

static uint32_t judge_agent(pid_t pid, bool is_late)
{
	struct mr_host host = MR_THIS_HOST;
	unsigned int agent = 0;

	host.process = pid;
	if (mr_mappings_walk(&host, 0, note_agent, &agent))
		return BEGINS;
	if (agent & HAS_FAILED)
		return find_obstacle(pid);
	return !agent && is_late ? MR_TRACE_NOT_LOADED : BEGINS;
}

/* Reads where the program of a process is, and whether that can be followed.  Return: false where it has none */
static bool read_program(pid_t pid, char path[PATH_MAX], uint32_t *obstacle)
{
	struct mr_process folder;
	bool has_path;

	path[0] = '\0';
	if (!mr_process_open(pid, &folder))
		return false;
	has_path = mr_process_link(&folder, "exe", path, PATH_MAX);
	mr_clean_text(path, PATH_MAX);
	*obstacle = mr_trace_program(folder.folder, "exe");
	mr_process_close(&folder);
	return has_path;
}

/* Finds out what will become of the program of a process that has not joined.  @tracer: set where it is of another */
static uint32_t judge_image(pid_t pid, const char *channel, bool is_late, char path[PATH_MAX],
			    pid_t *tracer)
{
	const size_t length = strlen(channel);
	uint32_t obstacle;
	char value[256];
	int rc = mr_process_variable(pid, MR_TRACE_VARIABLE, value, sizeof(value));

	if (rc < 0 || !read_program(pid, path, &obstacle))
		return rc == -EAGAIN ? BEGINS : IS_NO_MATTER;
	if (rc && (strncmp(value, channel, length) != 0 || value[length] != ':')) {
		/* The process PID listens there. */
		if (sscanf(value, MR_CHANNEL_PREFIX "%d-", tracer) != 1)
			*tracer = 0;
		return IS_OF_OTHER;
	}
	if (obstacle != MR_TRACE_FOLLOWED)
		return obstacle;
	return rc ? judge_agent(pid, is_late) : MR_TRACE_NO_VARIABLES;
}

#define LOOK_NS     UINT64_C(100000000)  /* between two looks */
#define LOOK_SHARE  25                   /* or this many times as long as a look takes */
#define JOIN_NS     UINT64_C(50000000)   /* for an agent to take the answer */
#define PATIENCE_NS UINT64_C(2000000000) /* for a program to load the agent */

enum whose { NOT_KNOWN, OURS, OF_OTHERS };

/* A process at a look. */
struct mr_monitor_entry {
	pid_t pid;
	struct mr_process_stat stat;
	enum whose whose;
	uint64_t image;   /* that it runs; 0: not looked at */
	uint64_t seen_ns; /* when that was seen first */
	bool is_settled;  /* nothing more is to be found out about it */
};

uint64_t mr_monitor_image(pid_t pid)
{
	struct mr_process_stat stat;

	return mr_process_stat_read(pid, &stat) ? image_id(pid, &stat) : 0;
}

/* ---- processes that are not judged ---- */

static pid_t *find_pid(struct mr_monitor_pids *pids, pid_t pid)
{
	for (size_t i = 0; pid && i < MR_MONITOR_PIDS; i++)
		if (pids->list[i] == pid)
			return &pids->list[i];
	return NULL;
}

static void note_pid(struct mr_monitor_pids *pids, pid_t pid)
{
	if (!find_pid(pids, pid))
		pids->list[pids->count++ % MR_MONITOR_PIDS] = pid;
}

void mr_monitor_announced(struct mr_monitor *monitor, pid_t pid)
{
	note_pid(&monitor->announced, pid);
}

/* ---- all processes of the machine ---- */

/* Reads the processes in the place of those of the last look. */
static void read_entries(struct mr_monitor *monitor)
{
	DIR *folder = mr_process_folder();
	struct mr_monitor_entry *more;
	size_t count = 0;
	int pid;

	monitor->entries = NULL;
	while (folder && (pid = mr_process_next_number(folder)) > 0) {
		struct mr_monitor_entry entry = { .pid = pid };

		if (!mr_process_stat_read(pid, &entry.stat) || entry.stat.state == 'Z' ||
		    entry.stat.state == 'X')
			continue;
		more = reallocarray(monitor->entries, count + 1, sizeof(*more));
		if (!more)
			break;
		monitor->entries = more;
		more[count++] = entry;
	}
	if (folder)
		closedir(folder);
	monitor->entry_count = count;
}

static struct mr_monitor_entry *find(const struct mr_monitor *monitor, pid_t pid)
{
	for (size_t i = 0; i < monitor->entry_count; i++)
		if (monitor->entries[i].pid == pid)
			return &monitor->entries[i];
	return NULL;
}

static void mark(const struct mr_monitor *monitor, pid_t pid)
{
	struct mr_monitor_entry *entry = find(monitor, pid);

	if (entry)
		entry->whose = OURS;
}

/* Processes come and go while they are read, so their parents may lead in a circle. */
static bool is_ours(struct mr_monitor *monitor, struct mr_monitor_entry *entry)
{
	struct mr_monitor_entry *parent;

	if (entry->whose == NOT_KNOWN) {
		entry->whose = OF_OTHERS;
		parent = find_pid(&monitor->tracers, entry->stat.parent)
				 ? NULL
				 : find(monitor, entry->stat.parent);
		if (parent && is_ours(monitor, parent))
			entry->whose = OURS;
	}
	return entry->whose == OURS;
}

/* ---- judgement ---- */

/* Takes what was found out at the last look about the program of a process, which others may have, too. */
static void carry_over(const struct mr_monitor *before, struct mr_monitor_entry *entry)
{
	entry->image = image_id(entry->pid, &entry->stat);
	entry->seen_ns = mr_now_ns();
	for (size_t i = 0; i < before->entry_count; i++)
		if (before->entries[i].image == entry->image) {
			entry->seen_ns = before->entries[i].seen_ns;
			entry->is_settled = before->entries[i].is_settled;
		}
}

static void judge(struct mr_follow *follow, struct mr_monitor_entry *entry)
{
	struct mr_monitor *monitor = &follow->monitor;
	const struct mr_traced_process *joined = NULL;
	const uint64_t now = mr_now_ns();
	uint32_t verdict = BEGINS, obstacle;
	char path[PATH_MAX];
	pid_t tracer = 0, *announced = NULL;

	for (const struct mr_traced_process *at = follow->first; at && !joined; at = at->next)
		if (!at->has_ended && at->image == entry->image)
			joined = at;
	if (joined && !entry->stat.stack)
		return;
	if (!entry->stat.stack) {
		verdict = judge_hidden(entry->pid, path);
	} else if (!joined) {
		verdict = judge_image(entry->pid, follow->channel.name,
				      now - entry->seen_ns > PATIENCE_NS, path, &tracer);
	} else if (now - joined->joined_ns >= JOIN_NS) { /* whether it could take the answer */
		if (read_program(entry->pid, path, &obstacle))
			verdict = judge_agent(entry->pid, false);
		if (verdict == BEGINS)
			verdict = IS_NO_MATTER;
	}
	entry->is_settled = verdict != BEGINS;
	if (verdict == IS_OF_OTHER) {
		note_pid(&monitor->tracers, tracer);
		entry->whose = OF_OTHERS; /* so are its children, which come after it */
	}
	if (verdict == IS_NO_MATTER || verdict >= BEGINS)
		return;
	/* It or its parent may have announced it, maybe as a script, which has another name; each announcement counts once. */
	if (verdict < MR_TRACE_NO_VARIABLES)
		announced = find_pid(&monitor->announced, entry->pid)
				    ?: find_pid(&monitor->announced, entry->stat.parent);
	if (announced)
		*announced = 0;
	else
		follow->sink.not_followed(follow->sink.data, entry->pid, path, verdict);
}

int mr_monitor_look(struct mr_follow *follow, pid_t child)
{
	struct mr_monitor *monitor = &follow->monitor;
	const uint64_t begin = mr_now_ns();
	const struct mr_monitor before = *monitor;
	uint64_t own, pause;

	if (begin < monitor->due_ns)
		return (int)((monitor->due_ns - begin) / 1000000) + 1;
	own = mr_monitor_image(getpid()); /* the child's too, until it runs the program */
	read_entries(monitor);
	mark(monitor, child);
	for (const struct mr_traced_process *at = follow->first; at; at = at->next)
		mark(monitor, at->has_ended ? 0 : at->pid);
	for (size_t i = 0; i < monitor->entry_count; i++) {
		struct mr_monitor_entry *entry = &monitor->entries[i];

		if (!is_ours(monitor, entry))
			continue;
		carry_over(&before, entry);
		if (entry->image && entry->image != own && !entry->is_settled)
			judge(follow, entry);
	}
	free(before.entries);
	pause = LOOK_SHARE * (mr_now_ns() - begin);
	pause = pause > LOOK_NS ? pause : LOOK_NS;
	monitor->due_ns = begin + pause;
	return (int)(pause / 1000000);
}
