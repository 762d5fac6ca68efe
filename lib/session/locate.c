// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/reading.h"
#include "lib/session/locate.h"
#include "lib/session/types.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

/* How often the environment of a process in the middle of execve(2) is read, a millisecond apart. */
#define EXEC_TRIES 100

/* The longest chain of processes of which each has joined the session of the next. */
#define FOLLOW_MAX 16

/*
 * A program is started with at most three quarters of 8 MiB (fs/exec.c).  But a process can make the kernel show
 * any memory of it as its environment (PR_SET_MM_MAP, prctl(2)): no more than this is read.
 */
#define ENVIRONMENT_MAX (8u << 20)

int mr_session_parse_location(const char *where, struct mr_session_location *location,
			      struct mr_error *err)
{
	location->is_process = !strncmp(where, "pid:", 4);
	if (location->is_process || !strncmp(where, "fd:", 3))
		where = strchr(where, ':') + 1;
	return mr_parse_u64(where, INT_MAX, &location->number, err);
}

/*
 * Read the next text of an environment.  What does not fit into @text is left out.
 * @left: how many bytes of the environment may still be read; lowered
 *
 * Return: false where there is none.
 */
static bool read_text(FILE *environment, char *text, size_t size, size_t *left)
{
	size_t used = 0;
	int c = EOF;

	while (*left && (c = getc_unlocked(environment)) != EOF) {
		--*left;
		if (!c)
			break;
		if (used < size - 1)
			text[used++] = (char)c;
	}
	text[used] = '\0';
	return used || !c;
}

bool mr_session_find_variable(FILE *environment, char value[MR_LOCATION_SIZE], bool *any)
{
	static const char name[] = MR_SESSION_VARIABLE "=";
	char text[sizeof(name) - 1 + MR_LOCATION_SIZE] = "";
	const char *found = text + strlen(name);
	size_t left = ENVIRONMENT_MAX;

	*any = false;
	errno = 0;
	while (read_text(environment, text, sizeof(text), &left)) {
		*any = true;
		if (strncmp(text, name, strlen(name)) != 0 || !*found)
			continue;
		memcpy(value, found, strlen(found) + 1);
		return true;
	}
	return false;
}

static int fail_malformed(const char *where, struct mr_error *err)
{
	return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
			    "invalid session '%s': give fd:NUMBER or pid:NUMBER", where);
}

static int check_inherited(uint64_t number, int *fd, struct mr_error *err)
{
	*fd = (int)number;
	if (fcntl(*fd, F_GETFD) >= 0)
		return 0;
	mr_fail_text(err, MR_ERROR_ABSENT, EBADF, "descriptor %d of the session is closed", *fd);
	if (*fd >= 1024 && (!kill(*fd, 0) || errno == EPERM)) { /* descriptors seldom are so many */
		mr_hint(err, "%d is a process: if it is one of the session, --session pid:%d", *fd,
			*fd);
		return -EBADF;
	}
	mr_hint(err,
		"sudo, Python's subprocess and others close inherited descriptors: join by process "
		"(--session pid:$$ in a shell of the session), or pass it on (pass_fds=(%d,))",
		*fd);
	return -EBADF;
}

static int fail_ended(uint64_t pid, struct mr_error *err)
{
	return mr_fail_text(err, MR_ERROR_ABSENT, ESRCH,
			    "the session has ended: there is no process %" PRIu64, pid);
}

/*
 * Read from the environment that a process was started with where its session is.
 * @any: set to whether there was an environment at all
 *
 * Return: 1, 0 where it names no session, or -errno.
 */
static int search_environment(uint64_t pid, struct mr_session_location *location, bool *any,
			      struct mr_error *err)
{
	mr_auto_file FILE *f = NULL;
	char value[MR_LOCATION_SIZE];
	bool found;

	*any = false;
	f = mr_process_environment(pid);
	if (!f && errno == ESRCH)
		return fail_ended(pid, err);
	if (!f)
		return mr_fail(err, MR_ERROR_HOST, errno, "open",
			       "cannot read /proc/%" PRIu64 "/environ", pid);
	found = mr_session_find_variable(f, value, any);
	if (!found && errno)
		return mr_fail(err, MR_ERROR_HOST, errno, "read",
			       "cannot read /proc/%" PRIu64 "/environ", pid);
	if (!found)
		return 0;
	if (!mr_session_parse_location(value, location, err))
		return 1;
	return mr_fail_text(err, MR_ERROR_ABSENT, EINVAL,
			    "the environment of process %" PRIu64 " has an invalid session: '%s'",
			    pid, value);
}

/* The same, of a process that may be in the middle of execve(2): it has no environment for a moment. */
static int read_environment(uint64_t pid, struct mr_session_location *location,
			    struct mr_error *err)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	bool any = false;
	int rc = 0;

	for (int tries = 0; tries < EXEC_TRIES && !rc && !any; tries++) {
		if (tries)
			nanosleep(&pause, NULL);
		rc = search_environment(pid, location, &any, err);
	}
	if (rc)
		return rc < 0 ? rc : 0;
	mr_fail_text(err, MR_ERROR_ABSENT, ENOENT,
		     "process %" PRIu64 " was not started in a session", pid);
	mr_hint(err, "name the process that mrctl session runs, or one that it has started");
	return -ENOENT;
}

static bool yama_restricts(void)
{
	uint64_t scope;

	return mr_host_number(mr_this_host(), &scope, "/proc/sys/kernel/yama/ptrace_scope") &&
	       scope > 0;
}

/* A process that has ended and was not waited for is still there, without its descriptors. */
static bool has_ended(int process)
{
	struct pollfd poll_for = { .fd = process, .events = POLLIN };

	return poll(&poll_for, 1, 0) == 1;
}

/* A process may take descriptors of those that it may trace: ptrace(2), "Ptrace access mode checking". */
static void hint_forbidden(pid_t pid, struct mr_error *err)
{
	struct mr_process process;
	uid_t owner = (uid_t)-1;

	if (mr_process_open(pid, &process)) {
		owner = process.uid;
		mr_process_close(&process);
	}
	if (!geteuid())
		mr_hint(err, "root itself may not trace it here: without CAP_SYS_PTRACE (a "
			     "container?), or by the rules of a security module");
	else if (owner != geteuid())
		mr_hint(err, "it belongs to another user, or may not be traced: join as root");
	else if (yama_restricts())
		mr_hint(err,
			"kernel.yama.ptrace_scope forbids it: open the session with --joinable "
			"or --detach, or join as root");
	else
		mr_hint(err, "it may not be traced: join as root");
}

static int fail_forbidden(uint64_t pid, int process, struct mr_error *err)
{
	if (has_ended(process)) /* the kernel answers EPERM to that, too */
		return fail_ended(pid, err);
	mr_fail(err, MR_ERROR_HOST, EPERM, "pidfd_getfd",
		"cannot take the session out of process %" PRIu64, pid);
	hint_forbidden((pid_t)pid, err);
	return -EPERM;
}

int mr_session_take_descriptor(int process, uint64_t pid, uint64_t number, int *fd,
			       struct mr_error *err)
{
	*fd = (int)syscall(SYS_pidfd_getfd, process, (int)number, 0);
	if (*fd >= 0)
		return 0;
	if (errno == EPERM)
		return fail_forbidden(pid, process, err);
	if (errno == EBADF)
		return mr_fail_text(err, MR_ERROR_ABSENT, EBADF,
				    "process %" PRIu64 " has closed descriptor %" PRIu64
				    " of the session",
				    pid, number);
	return mr_fail(err, MR_ERROR_HOST, errno, "pidfd_getfd",
		       "cannot take the session out of process %" PRIu64, pid);
}

/* EINVAL, since Linux 6.16 ENOENT: the number is not that of a process, but of a thread (pidfd_prepare()). */
static int fail_open(uint64_t pid, int errnum, struct mr_error *err)
{
	bool is_thread = errnum == EINVAL || errnum == ENOENT;
	uint64_t process = is_thread ? (uint64_t)mr_process_of_thread((pid_t)pid) : pid;

	if (errnum == ESRCH)
		return fail_ended(pid, err);
	if (!process || process == pid)
		return mr_fail(err, MR_ERROR_HOST, errnum, "pidfd_open",
			       "cannot take the session out of process %" PRIu64, pid);
	mr_fail_text(err, MR_ERROR_ABSENT, ESRCH, "%" PRIu64 " is a thread, and no process", pid);
	mr_hint(err, "name its process: pid:%" PRIu64, process);
	return -ESRCH;
}

/*
 * Take the descriptor of a session out of a process.
 * @location: set to what the environment of the process says
 * @fd:       set, unless @location says that the session is that of another process
 */
static int take_from_process(uint64_t pid, struct mr_session_location *location, int *fd,
			     struct mr_error *err)
{
	mr_auto_fd int process = -1;
	int rc;

	if (!pid)
		return mr_fail_text(err, MR_ERROR_ABSENT, ESRCH,
				    "there is no session: 0 is the number of no process");
	process = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
	if (process < 0)
		return fail_open(pid, errno, err);
	rc = read_environment(pid, location, err);
	if (rc == -EACCES || rc == -EPERM)
		return fail_forbidden(pid, process, err);
	if (rc || location->is_process)
		return rc;
	return mr_session_take_descriptor(process, pid, location->number, fd, err);
}

/* A process that has joined the session of another one (pid:N) leads to that one. */
static int follow_processes(struct mr_session_location location, int *fd, struct mr_error *err)
{
	const uint64_t first = location.number;
	uint64_t pid;
	int rc;

	for (int level = 0; level < FOLLOW_MAX; level++) {
		pid = location.number;
		rc = take_from_process(pid, &location, fd, err);
		if (rc && pid != first)
			mr_wrap(err,
				"the session of process %" PRIu64 " is that of process %" PRIu64,
				first, pid);
		if (rc || !location.is_process)
			return rc;
	}
	return mr_fail_text(
		err, MR_ERROR_ABSENT, ELOOP,
		"the session of process %" PRIu64 " is another's, and so on without end", first);
}

int mr_session_locate(const char *where, int *fd, int *borrowed, struct mr_error *err)
{
	struct mr_session_location location;
	int rc;

	if (mr_session_parse_location(where, &location, err))
		return fail_malformed(where, err);
	if (!location.is_process)
		return check_inherited(location.number, fd, err);
	rc = follow_processes(location, borrowed, err);
	*fd = *borrowed;
	return rc;
}
