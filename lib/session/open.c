// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/reading.h"
#include "lib/session/session.h"
#include "lib/session/table/table.h"
#include "lib/verbs/device.h"
#include "lib/verbs/uverbs.h"

#ifndef SCM_PIDFD
#define SCM_PIDFD 0x04
#endif

/* The text of the message. */
static const char greeting[] = "mrctl session 1";

union control {
	char bytes[CMSG_SPACE(2 * sizeof(int))];
	struct cmsghdr align;
};

/* Puts the message into the queue of @socket's peer.  Return: 0 or -errno. */
static int mr_session_send(int socket, int device, int table, struct mr_error *err)
{
	const int fds[2] = { device, table };
	union control control = { .bytes = { 0 } };
	struct iovec text = { .iov_base = (char *)greeting, .iov_len = sizeof(greeting) };
	struct msghdr message = { .msg_iov = &text,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(fds));
	memcpy(CMSG_DATA(header), fds, sizeof(fds));
	if (sendmsg(socket, &message, MSG_NOSIGNAL) != (ssize_t)sizeof(greeting))
		return mr_fail(err, MR_ERROR_HOST, errno, "sendmsg", "cannot make a session");
	return 0;
}

static int fail_no_session(struct mr_error *err, int fd, const char *what)
{
	mr_fail_text(err, MR_ERROR_ABSENT, ENOTCONN, "descriptor %d %s", fd, what);
	return -ENOTCONN;
}

/*
 * Take the first two descriptors out of a message; -1 where it has less.  Others are closed, also a pidfd that
 * the kernel adds where an option of the socket asks for it (SO_PASSPIDFD).
 *
 * Return: how many descriptors the message has, without that pidfd.
 */
static size_t take_descriptors(struct msghdr *message, int fds[2])
{
	size_t count = 0;

	fds[0] = fds[1] = -1;
	for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header;
	     header = CMSG_NXTHDR(message, header)) {
		bool rights = header->cmsg_type == SCM_RIGHTS;
		int fd;

		if (header->cmsg_level != SOL_SOCKET || (!rights && header->cmsg_type != SCM_PIDFD))
			continue;
		for (size_t at = CMSG_LEN(0); at + sizeof(fd) <= header->cmsg_len;
		     at += sizeof(fd)) {
			memcpy(&fd, (char *)header + at, sizeof(fd));
			if (rights && count < 2)
				fds[count] = fd;
			else if (fd >= 0)
				close(fd);
			count += rights;
		}
	}
	return count;
}

/*
 * Whether descriptors are missing because this process can have no more.  The kernel leaves out those that it
 * cannot install (scm_detach_fds()), and does not say why.
 */
static bool has_no_room(const struct msghdr *message, size_t count, int fd)
{
	mr_auto_fd int more = -1;

	if (!(message->msg_flags & MSG_CTRUNC) || count >= 2)
		return false;
	more = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return more < 0 && errno == EMFILE;
}

static int fail_message(int fd, const char *text, ssize_t got, struct mr_error *err)
{
	bool whole = got == (ssize_t)sizeof(greeting);

	if (whole && !memcmp(text, greeting, sizeof(greeting)))
		return fail_no_session(err, fd,
				       "is no mrctl session: its message does not carry two "
				       "descriptors, as a session's does");
	if (whole && !memcmp(text, greeting, sizeof("mrctl session")))
		return mr_fail_text(err, MR_ERROR_ABSENT, EPROTO,
				    "descriptor %d is a session of another version of mrctl", fd);
	return fail_no_session(err, fd, "is no mrctl session");
}

/* MSG_PEEK leaves the message in the queue.  The kernel installs new duplicates of its descriptors each time. */
static int mr_session_receive(int fd, int fds[2], struct mr_error *err)
{
	union control control;
	char text[sizeof(greeting) + 1] = "";
	struct iovec iov = { .iov_base = text, .iov_len = sizeof(text) };
	struct msghdr message = { .msg_iov = &iov,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	ssize_t got = recvmsg(fd, &message, MSG_PEEK | MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	size_t count;
	bool full;

	if (got < 0)
		return fail_message(fd, text, got, err);
	count = take_descriptors(&message, fds);
	if (count == 2 && !(message.msg_flags & MSG_CTRUNC) && got == (ssize_t)sizeof(greeting) &&
	    !memcmp(text, greeting, sizeof(greeting)))
		return 0;
	full = has_no_room(&message, count, fd); /* before some are closed again */
	for (int i = 0; i < 2; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	if (full)
		return mr_fail(err, MR_ERROR_HOST, EMFILE, "recvmsg", "cannot join the session");
	return fail_message(fd, text, got, err);
}

#define FIRST_FD 100 /* above the descriptors that shells and scripts use themselves */

/* ---- opening a new session ---- */

void mr_session_describe(const struct mr_environment *environment, struct mr_table_device *device)
{
	*device = (struct mr_table_device){ .simulated = environment->simulated };
	snprintf(device->name, sizeof(device->name), "%s", environment->device);
	snprintf(device->provider, sizeof(device->provider), "%s", environment->provider);
	device->driver_id = mr_driver_id(environment->provider);
}

int mr_session_create(const struct mr_device *device, const struct mr_environment *environment,
		      int *fd, struct mr_error *err)
{
	struct mr_table_device facts;
	struct mr_table table;
	int sockets[2], rc;

	mr_session_describe(environment, &facts);
	facts.pid_namespace = mr_process_namespace();
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return mr_fail(err, MR_ERROR_HOST, errno, "socketpair", "cannot make a session");
	rc = mr_table_create(&facts, &table, err);
	if (!rc) {
		mr_table_add_pd(&table, MR_DEFAULT_PD, device->pd->handle);
		rc = mr_session_send(sockets[0], device->context->cmd_fd, table.fd, err);
		mr_table_close(&table);
	}
	if (!rc) {
		*fd = fcntl(sockets[1], F_DUPFD, FIRST_FD);
		if (*fd < 0)
			rc = mr_fail(err, MR_ERROR_HOST, errno, "fcntl(F_DUPFD)",
				     "cannot make a session");
	}
	close(sockets[0]);
	close(sockets[1]);
	return rc;
}

/* The PD of the device becomes the one that every session begins with. */
static void take_device(struct mr_session *session, struct mr_device *device,
			const struct mr_environment *environment)
{
	struct mr_session_library *library = session->library;
	uint32_t handle;

	session->uverbs = mr_device_uverbs(device, environment, &handle);
	library->pds[mr_table_add_pd(&session->table, MR_DEFAULT_PD, handle)] = device->pd;
	device->pd = NULL;
	library->device = *device;
	session->table.is_private = true;
}

int mr_session_open_private(const char *name, struct mr_session *session,
			    struct mr_environment *environment, struct mr_error *err)
{
	struct mr_device device;
	int rc;

	*session = (struct mr_session){ .uverbs = { .fd = -1 }, .table = { .fd = -1 } };
	mr_environment_init(environment);
	rc = mr_device_open(name, &device, environment, err);
	if (rc)
		return rc;
	mr_session_describe(environment, &session->device);
	rc = mr_table_create(&session->device, &session->table, err);
	if (!rc)
		rc = mr_session_keep_library(session, err);
	if (!rc) {
		take_device(session, &device, environment);
		return 0;
	}
	mr_session_close(session);
	mr_device_close(&device);
	return rc;
}

/* ---- joining a session ---- */

struct major_search {
	unsigned int wanted;
	bool found;
};

static bool take_major(const char *line, void *data)
{
	struct major_search *search = data;
	unsigned int number;
	char name[64];

	if (sscanf(line, "%u %63s", &number, name) != 2 || strcmp(name, "infiniband_verbs") != 0)
		return false;
	search->found |= number == search->wanted;
	return true;
}

/* Return: 1 where /proc/devices lists that major number for uverbs devices, 0, or -errno of reading it. */
static int is_uverbs_major(unsigned int wanted)
{
	struct major_search search = { .wanted = wanted };
	const int rc = mr_host_lines(mr_this_host(), take_major, &search, "/proc/devices");

	return rc ? rc : search.found;
}

/* A simulated device is a memfd.  Below the simulator fstat(2) calls it a character device, elsewhere a file. */
int mr_session_check_device(const struct mr_session *session, struct mr_error *err)
{
	const int fd = session->uverbs.fd;
	bool memfd = fcntl(fd, F_GET_SEALS) >= 0;
	struct stat st;
	int rc;

	if (fstat(fd, &st))
		return mr_fail(err, MR_ERROR_HOST, errno, "fstat", "cannot join the session");
	if (memfd && !S_ISCHR(st.st_mode)) {
		mr_fail_text(err, MR_ERROR_ABSENT, ENODEV,
			     "the session is on a simulated HCA, and this process is not");
		mr_hint(err, "run mrctl below mrctl sim as well: mrctl sim -- mrctl ...");
		return -ENODEV;
	}
	if (memfd)
		return 0;
	rc = S_ISCHR(st.st_mode) ? is_uverbs_major(major(st.st_rdev)) : 0;
	if (rc < 0)
		return mr_fail(err, MR_ERROR_HOST, -rc, "open(/proc/devices)",
			       "cannot join the session");
	if (!rc)
		return mr_fail_text(err, MR_ERROR_ABSENT, EPROTO,
				    "this is no mrctl session: its device is no RDMA device");
	return 0;
}

int mr_session_peek(int fd, struct mr_session *session, struct mr_error *err)
{
	int fds[2], rc;

	*session = (struct mr_session){ .uverbs = { .fd = -1 }, .table = { .fd = -1 } };
	rc = mr_session_receive(fd, fds, err);
	if (rc)
		return rc;
	session->uverbs.fd = fds[0];
	rc = mr_table_open(fds[1], &session->table, err);
	if (rc) {
		mr_session_close(session);
		return rc;
	}
	mr_table_device(&session->table, &session->device);
	session->uverbs.driver_id = session->device.driver_id;
	return 0;
}

int mr_session_open(const char *where, struct mr_session *session, struct mr_error *err)
{
	mr_auto_fd int borrowed = -1;
	int fd = -1, rc;

	*session = (struct mr_session){ .uverbs = { .fd = -1 }, .table = { .fd = -1 } };
	rc = mr_session_locate(where, &fd, &borrowed, err);
	if (!rc)
		rc = mr_session_peek(fd, session, err);
	if (rc)
		return rc;
	rc = mr_session_check_device(session, err);
	if (rc)
		mr_session_close(session);
	return rc;
}

void mr_session_close(struct mr_session *session)
{
	mr_session_close_library(session);
	if (session->uverbs.fd >= 0)
		close(session->uverbs.fd);
	mr_table_close(&session->table);
	session->uverbs.fd = -1;
	mr_handles_release(&session->umems);
}

void mr_session_environment(const struct mr_session *session, struct mr_environment *environment)
{
	mr_environment_init(environment);
	snprintf(environment->device, sizeof(environment->device), "%s", session->device.name);
	snprintf(environment->provider, sizeof(environment->provider), "%s",
		 session->device.provider);
	environment->simulated = session->device.simulated == 1;
	mr_environment_find(environment);
}

int mr_session_allow_joining(struct mr_error *err)
{
	/* EINVAL: a kernel without Yama, where nothing has to be allowed. */
	if (prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0) && errno != EINVAL)
		return mr_fail(err, MR_ERROR_HOST, errno, "prctl(PR_SET_PTRACER)", NULL);
	return 0;
}

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
	return mr_fail_usage(err, "invalid session '%s': give fd:NUMBER or pid:NUMBER", where);
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
			    "the session has ended: no such process: %" PRIu64, pid);
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
				    "no such session: no process has the number 0");
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
