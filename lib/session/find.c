// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/reading.h"
#include "lib/session/session.h"
#include "lib/session/table/table.h"

/* ---- the session that a user names ---- */

/* How often the environment of a process in the middle of execve(2) is read, a millisecond apart. */
#define EXEC_TRIES 100

/* The longest chain of processes of which each has joined the session of the next. */
#define FOLLOW_MAX 16

/* Bytes of a value of MRCTL_SESSION, its end included: more than any location has. */
#define LOCATION_SIZE 512

/* Place of a session: "fd:N", "N" or "pid:N". */
struct location {
	bool is_process; /* it is the session of a process; else an inherited descriptor */
	uint64_t number; /* of the process or descriptor */
};

static int parse_location(const char *where, struct location *location, struct mr_error *err)
{
	location->is_process = !strncmp(where, "pid:", 4);
	if (location->is_process || !strncmp(where, "fd:", 3))
		where = strchr(where, ':') + 1;
	return mr_parse_u64(where, INT_MAX, &location->number, err);
}

static int check_inherited(uint64_t number, int *fd, struct mr_error *err)
{
	int rc;

	*fd = (int)number;
	if (fcntl(*fd, F_GETFD) >= 0)
		return 0;
	rc = mr_fail_text(err, MR_ERROR_ABSENT, EBADF, "descriptor %d of the session is closed",
			  *fd);
	if (*fd >= 1024 && (!kill(*fd, 0) || errno == EPERM)) { /* descriptors seldom are so many */
		mr_hint(err, "%d is the number of a process; to join its session: --session pid:%d",
			*fd, *fd);
		return rc;
	}
	mr_hint(err,
		"sudo, Python's subprocess and others close inherited descriptors: join by "
		"process (--session pid:$$ in a shell of the session), or pass the descriptor on "
		"(pass_fds=(%d,))",
		*fd);
	return rc;
}

static int fail_ended(uint64_t pid, struct mr_error *err)
{
	const int rc = mr_fail_text(err, MR_ERROR_ABSENT, ESRCH,
				    "the session has ended: no such process: %" PRIu64, pid);

	mr_hint(err, "open another one: mrctl session; or use none: unset %s", MR_SESSION_VARIABLE);
	return rc;
}

/* Reads from the environment that a process was started with where its session is.  Return: 0 or -errno. */
static int read_environment(uint64_t pid, struct location *location, struct mr_error *err)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	char value[LOCATION_SIZE];
	int rc = -EAGAIN;

	for (int tries = 0; tries < EXEC_TRIES && rc == -EAGAIN; tries++) {
		if (tries)
			nanosleep(&pause, NULL);
		rc = mr_process_variable((pid_t)pid, MR_SESSION_VARIABLE, value, sizeof(value));
	}
	if (rc == -ESRCH)
		return fail_ended(pid, err);
	if (rc < 0 && rc != -EAGAIN)
		return mr_fail(err, MR_ERROR_HOST, -rc, "open",
			       "cannot read /proc/%" PRIu64 "/environ", pid);
	if (!value[0]) {
		rc = mr_fail_text(err, MR_ERROR_ABSENT, ENOENT,
				  "process %" PRIu64 " was not started in a session", pid);
		mr_hint(err, "name the process that mrctl session runs, or a child of it");
		return rc;
	}
	if (!parse_location(value, location, err))
		return 0;
	return mr_fail_text(err, MR_ERROR_ABSENT, EINVAL,
			    "the environment of process %" PRIu64 " has an invalid session: '%s'",
			    pid, value);
}

/* Taking a descriptor requires permission to trace its process: ptrace(2), "Ptrace access mode checking". */
static void hint_forbidden(pid_t pid, struct mr_error *err)
{
	struct mr_process process;
	uid_t owner = (uid_t)-1;
	uint64_t scope;

	if (mr_process_open(pid, &process)) {
		owner = process.uid;
		mr_process_close(&process);
	}
	if (!geteuid())
		mr_hint(err, "even root may not trace it here: CAP_SYS_PTRACE is missing (in a "
			     "container), or a security module forbids it");
	else if (owner != geteuid())
		mr_hint(err, "it belongs to another user, or may not be traced: join as root");
	else if (mr_host_number(mr_this_host(), &scope, "/proc/sys/kernel/yama/ptrace_scope") &&
		 scope > 0)
		mr_hint(err,
			"kernel.yama.ptrace_scope forbids it: open the session with --joinable "
			"or --detach, or join as root");
	else
		mr_hint(err, "it may not be traced: join as root");
}

static int fail_forbidden(uint64_t pid, int process, struct mr_error *err)
{
	struct pollfd end = { .fd = process, .events = POLLIN };
	int rc;

	/* The kernel answers EPERM, too, where it has ended and was not waited for: it has no descriptors any more. */
	if (poll(&end, 1, 0) == 1)
		return fail_ended(pid, err);
	rc = mr_fail(err, MR_ERROR_HOST, EPERM, "pidfd_getfd",
		     "cannot take the session out of process %" PRIu64, pid);
	hint_forbidden((pid_t)pid, err);
	return rc;
}

/* Gets a duplicate of a descriptor of another process.  @process: its pidfd.  Return: 0 or -errno. */
static int take_descriptor(int process, uint64_t pid, uint64_t number, int *fd,
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

/* Reports why pidfd_open() failed.  For a thread that is EINVAL, since Linux 6.16 ENOENT (pidfd_prepare()). */
static int fail_open(uint64_t pid, int errnum, struct mr_error *err)
{
	uint64_t process;
	int rc;

	if (errnum == ESRCH)
		return fail_ended(pid, err);
	process = (uint64_t)mr_process_of_thread((pid_t)pid);
	if (!process || process == pid)
		return mr_fail(err, MR_ERROR_HOST, errnum, "pidfd_open",
			       "cannot take the session out of process %" PRIu64, pid);
	rc = mr_fail_text(err, MR_ERROR_ABSENT, ESRCH, "%" PRIu64 " is a thread, not a process",
			  pid);
	mr_hint(err, "name its process: pid:%" PRIu64, process);
	return rc;
}

/*
 * Duplicates the descriptor of a session from a process.
 * @location: set to the words of the process's environment
 * @fd:       set, unless @location says that the session is that of another process
 */
static int take_from_process(uint64_t pid, struct location *location, int *fd, struct mr_error *err)
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
	return take_descriptor(process, pid, location->number, fd, err);
}

/* A process that has joined the session of another one (pid:N) leads to that one. */
static int follow_processes(struct location location, int *fd, struct mr_error *err)
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
		"the session of process %" PRIu64 " refers to other processes in a circle", first);
}

int mr_session_locate(const char *where, int *fd, int *borrowed, struct mr_error *err)
{
	struct location location;
	int rc;

	if (parse_location(where, &location, err))
		return mr_fail_usage(err, "invalid session '%s': give fd:NUMBER or pid:NUMBER",
				     where);
	if (!location.is_process)
		return check_inherited(location.number, fd, err);
	rc = follow_processes(location, borrowed, err);
	*fd = *borrowed;
	return rc;
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

/* ---- all sessions ---- */

/* After this many entries or descriptors the clock is read. */
#define CLOCK_STEPS 1024

struct search {
	struct mr_sessions *found;
	uint64_t end;           /* mr_now_ns() at which the time is over */
	mr_found_region *visit; /* or NULL */
	void *data;
};

static bool is_over(const struct search *search)
{
	if (mr_now_ns() < search->end)
		return false;
	search->found->incomplete = true;
	return true;
}

/* The session of that socket; or NULL. */
static struct mr_found_session *by_socket(const struct mr_sessions *found, uint64_t socket)
{
	for (size_t i = 0; i < found->count; i++)
		if (found->list[i].socket == socket)
			return &found->list[i];
	return NULL;
}

/* The same; it is added where it is new.  NULL where memory is short. */
static struct mr_found_session *session_of(struct mr_sessions *found, uint64_t socket)
{
	struct mr_found_session *list = by_socket(found, socket);

	if (list)
		return list;
	list = realloc(found->list, (found->count + 1) * sizeof(*list));
	if (!list)
		return NULL;
	found->list = list;
	list[found->count] = (struct mr_found_session){ .socket = socket };
	return &list[found->count++];
}

/* Return: false where memory is short. */
static bool add_holder(struct mr_found_session *session, const struct mr_process *process, int fd)
{
	struct mr_holder *holders, *holder;

	for (size_t i = 0; i < session->holder_count; i++)
		if (session->holders[i].pid == process->pid)
			return true;
	holders = realloc(session->holders, (session->holder_count + 1) * sizeof(*holders));
	if (!holders)
		return false;
	session->holders = holders;
	holder = &holders[session->holder_count++];
	*holder = (struct mr_holder){ .pid = process->pid, .uid = process->uid, .fd = fd };
	mr_process_command(process, holder->command);
	holder->role = fd < 0                           ? MR_HOLDER_COMMAND
		       : mr_holder_is_detached(process) ? MR_HOLDER_DETACHED
							: MR_HOLDER_PROGRAM;
	return true;
}

/*
 * Call @visit for each process, until the time is over.
 * @visit: returns false where memory is short
 *
 * Return: 0 or -errno.
 */
static int each_process(struct search *search,
			bool (*visit)(struct search *search, const struct mr_process *process),
			struct mr_error *err)
{
	struct mr_process process;
	bool out_of_memory = false;
	DIR *folder = mr_process_folder();
	int pid;

	if (!folder)
		return mr_fail(err, MR_ERROR_HOST, errno, "opendir", "cannot read /proc");
	while (!out_of_memory && !is_over(search) && (pid = mr_process_next_number(folder)) >= 0) {
		if (!mr_process_open(pid, &process))
			continue;
		out_of_memory = !visit(search, &process);
		mr_process_close(&process);
	}
	closedir(folder);
	return out_of_memory ? mr_fail(err, MR_ERROR_HOST, ENOMEM, "realloc", NULL) : 0;
}

/* Find the session that the environment of a process names. */
static bool visit_environment(struct search *search, const struct mr_process *process)
{
	struct mr_found_session *session;
	char value[LOCATION_SIZE];
	struct location location;
	struct mr_error ignored;
	uint64_t socket;

	if (mr_process_find_variable(process, MR_SESSION_VARIABLE, value, sizeof(value)) <= 0 ||
	    parse_location(value, &location, &ignored) || location.is_process)
		return true;
	socket = mr_process_socket(process, (int)location.number);
	if (!socket)
		return true;
	session = session_of(search->found, socket);
	return session && add_holder(session, process, (int)location.number);
}

/* The session whose socket @fd of a process is; or whose table it is, and then @fd becomes -1. */
static struct mr_found_session *session_of_descriptor(const struct search *search,
						      const struct mr_process *process, int *fd)
{
	uint64_t socket = mr_process_socket(process, *fd);
	char name[32], target[64];
	struct stat st = { 0 };

	snprintf(name, sizeof(name), "fd/%d", *fd);
	if (socket)
		return by_socket(search->found, socket);
	/* Only of a memfd the inode is read: another file could be on a file system that does not answer. */
	if (!mr_process_link(process, name, target, sizeof(target)) ||
	    strncmp(target, "/memfd:", 7) != 0 || fstatat(process->folder, name, &st, 0))
		return NULL;
	for (size_t i = 0; i < search->found->count; i++) {
		struct mr_found_session *session = &search->found->list[i];

		if (session->known && session->table_inode == st.st_ino &&
		    session->table_dev == st.st_dev)
			return *fd = -1, session;
	}
	return NULL;
}

/* Find the holders of sessions whose environment does not name the session. */
static bool visit_descriptors(struct search *search, const struct mr_process *process)
{
	struct mr_found_session *session;
	int folder = openat(process->folder, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd;
	DIR *list = folder < 0 ? NULL : fdopendir(folder);
	bool out_of_memory = false;

	if (!list && folder >= 0)
		close(folder);
	for (unsigned int n = 1; list && !out_of_memory && (fd = mr_process_next_number(list)) >= 0;
	     n++) {
		if (n % CLOCK_STEPS == 0 && is_over(search))
			break;
		session = session_of_descriptor(search, process, &fd);
		out_of_memory = session && !add_holder(session, process, fd);
	}
	if (list)
		closedir(list);
	return !out_of_memory;
}

/* Counts the regions in the table, without queries of the kernel. */
static void count_regions(const struct search *search, const struct mr_table *table,
			  struct mr_found_session *session)
{
	struct mr_entry entry;

	for (uint32_t slot = 0; slot < table->capacity; slot++) {
		if (slot % CLOCK_STEPS == 0 && is_over(search))
			return;
		if (!mr_table_get(table, slot, &entry))
			continue;
		session->regions++;
		/* The null MR is of any length, and has no memory. */
		session->bytes += mr_region_is_null(entry.call) ? 0 : entry.length;
		if (search->visit)
			search->visit(session, &entry, search->data);
	}
}

/* Read what the session of a descriptor is.  Return: false where it is no session. */
static bool read_session(const struct search *search, struct mr_found_session *session, int fd)
{
	struct mr_session open;
	struct stat st;
	int rc = mr_session_peek(fd, &open, &session->refusal);

	if (rc)
		return rc != -ENOTCONN;
	session->known = true;
	session->device = open.device;
	if (!fstat(open.table.fd, &st)) {
		session->table_dev = st.st_dev;
		session->table_inode = st.st_ino;
	}
	count_regions(search, &open.table, session);
	session->joinable = !mr_session_check_device(&open, &session->refusal);
	mr_session_close(&open);
	return true;
}

/*
 * Get a duplicate of a holder's descriptor.  Its inode proves that it is still the socket that was found.
 * Return: the descriptor, or -errno.
 */
static int take_from_holder(const struct mr_found_session *session, const struct mr_holder *holder,
			    struct mr_error *err)
{
	mr_auto_fd int process = -1, fd = -1;
	struct mr_process opened;
	struct stat st;
	int rc;

	if (!mr_process_open(holder->pid, &opened))
		return mr_fail(err, MR_ERROR_ABSENT, ESRCH, "open", NULL);
	process = mr_process_pidfd(&opened);
	rc = process < 0 ? mr_fail(err, MR_ERROR_HOST, errno, "pidfd_open", NULL)
			 : take_descriptor(process, (uint64_t)holder->pid, (uint64_t)holder->fd,
					   &fd, err);
	mr_process_close(&opened);
	if (!rc && (fstat(fd, &st) || st.st_ino != session->socket))
		rc = mr_fail(err, MR_ERROR_ABSENT, ESTALE, "fstat", NULL);
	return rc ? rc : mr_steal_fd(&fd);
}

/* The order in which holders are tried for the descriptor: by role, then by pid. */
static int by_role(const void *a, const void *b)
{
	const struct mr_holder *x = a, *y = b;

	return x->role != y->role ? (x->role > y->role) - (x->role < y->role)
				  : (x->pid > y->pid) - (x->pid < y->pid);
}

/* Sorts the holders.  This process is included only if no other process holds the session. */
static void sort_holders(struct mr_found_session *session)
{
	size_t kept = 0;

	for (size_t i = 0; i < session->holder_count; i++)
		if (session->holders[i].pid != getpid())
			session->holders[kept++] = session->holders[i];
	if (kept)
		session->holder_count = kept;
	qsort(session->holders, session->holder_count, sizeof(*session->holders), by_role);
}

/* Join a session by the first holder that allows it.  Return: false where it is no session after all. */
static bool join_found(const struct search *search, struct mr_found_session *session)
{
	struct mr_error refusal;
	mr_auto_fd int fd = -1;

	sort_holders(session);
	session->pid = session->holders[0].pid;
	for (size_t i = 0; fd < 0 && i < session->holder_count; i++) {
		fd = take_from_holder(session, &session->holders[i], &refusal);
		if (fd >= 0)
			session->pid = session->holders[i].pid;
		else if (!i || fd == -EPERM)
			session->refusal = refusal;
	}
	/* All its holders may have ended meanwhile. */
	return fd < 0 ? session->refusal.kind != MR_ERROR_ABSENT
		      : read_session(search, session, fd);
}

int mr_sessions_find(uint64_t ns, struct mr_sessions *found, mr_found_region *visit, void *data,
		     struct mr_error *err)
{
	struct search search = {
		.found = found, .end = mr_now_ns() + ns, .visit = visit, .data = data
	};
	size_t kept = 0;
	int rc;

	*found = (struct mr_sessions){ .count = 0 };
	rc = each_process(&search, visit_environment, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < found->count; i++) {
		if (join_found(&search, &found->list[i]))
			found->list[kept++] = found->list[i];
		else
			free(found->list[i].holders);
	}
	found->count = kept;
	if (found->count)
		rc = each_process(&search, visit_descriptors, err);
	for (size_t i = 0; i < found->count; i++)
		sort_holders(&found->list[i]);
	return rc;
}

void mr_sessions_release(struct mr_sessions *found)
{
	for (size_t i = 0; i < found->count; i++)
		free(found->list[i].holders);
	free(found->list);
	*found = (struct mr_sessions){ .count = 0 };
}

struct mr_found_session *mr_sessions_by_fd(const struct mr_sessions *found, int fd)
{
	struct stat st;

	return fstat(fd, &st) ? NULL : by_socket(found, st.st_ino);
}

const struct mr_word mr_holder_roles[] = {
	[MR_HOLDER_DETACHED] = MR_WORD("detached", NULL),
	[MR_HOLDER_PROGRAM] = MR_WORD("program", NULL),
	[MR_HOLDER_COMMAND] = MR_WORD("command", NULL),
};

bool mr_holder_is_detached(const struct mr_process *process)
{
	static const char words[] = "mrctl\0session\0--hold";
	char started_with[sizeof(words) + 2];

	return mr_process_read(process, "cmdline", started_with, sizeof(started_with)) ==
		       (ssize_t)sizeof(words) &&
	       !memcmp(started_with, words, sizeof(words)) && getsid(process->pid) == process->pid;
}

/* The path of a process's program.  The kernel appends " (deleted)" where the file was replaced since. */
static bool program_of(const struct mr_process *process, char path[PATH_MAX])
{
	static const char replaced[] = " (deleted)";
	size_t length;

	if (!mr_process_link(process, "exe", path, PATH_MAX))
		return false;
	length = strlen(path);
	if (length > strlen(replaced) && !strcmp(path + length - strlen(replaced), replaced))
		path[length - strlen(replaced)] = '\0';
	return true;
}

static int check_program(const struct mr_process *process, struct mr_error *err)
{
	char program[PATH_MAX] = "", own[PATH_MAX] = "";
	struct mr_process self;
	int rc;

	if (!program_of(process, program))
		return mr_fail(err, MR_ERROR_HOST, errno, "readlink",
			       "cannot find the program that process %d runs", (int)process->pid);
	if (mr_process_open(getpid(), &self)) {
		program_of(&self, own);
		mr_process_close(&self);
	}
	if (!strcmp(own, program))
		return 0;
	rc = mr_fail_text(err, MR_ERROR_HOST, EXDEV,
			  "the process %d that holds the session runs another mrctl",
			  (int)process->pid);
	mr_hint(err, "end it with that mrctl: %s", program);
	return rc;
}

/* "bash (4711), vim (4712)": the holders of a session, without the detached one. */
static void list_holders(const struct mr_found_session *session, char *text, size_t size)
{
	text[0] = '\0';
	for (size_t i = 0; i < session->holder_count; i++) {
		const struct mr_holder *holder = &session->holders[i];

		if (holder->role == MR_HOLDER_DETACHED)
			continue;
		if (strlen(text) > size - 64) {
			mr_text_add(text, size, ", ", "...");
			return;
		}
		mr_text_add(text, size, ", ", "%s (%d)", holder->command, (int)holder->pid);
	}
}

/* The detached holder of a session; NULL with @err where there is none, or others hold the session as well. */
static const struct mr_holder *only_holder(const struct mr_found_session *session,
					   struct mr_error *err)
{
	const struct mr_holder *first = session->holders;
	bool detached = first->role == MR_HOLDER_DETACHED;
	char others[300];

	if (detached && session->holder_count == 1)
		return first;
	list_holders(session, others, sizeof(others));
	if (detached)
		mr_fail_text(err, MR_ERROR_HOST, EBUSY,
			     "the session of process %d is in use by others: %s", (int)first->pid,
			     others);
	else
		mr_fail_text(err, MR_ERROR_HOST, EBUSY,
			     "the session of process %d was not detached; its holders: %s",
			     (int)session->pid, others);
	mr_hint(err,
		detached ? "end the holders first"
			 : "it ends with its last holder: exit the shell, and end the programs");
	return NULL;
}

/* The pidfd is open already.  Therefore the facts in /proc are those of the process that gets the signal. */
static int signal_holder(const struct mr_found_session *session, const struct mr_holder *holder,
			 const struct mr_process *process, int pidfd, struct mr_error *err)
{
	if (!mr_holder_is_detached(process) ||
	    mr_process_socket(process, holder->fd) != session->socket)
		return mr_fail_text(err, MR_ERROR_HOST, ESTALE,
				    "process %d is no longer the one that holds the session",
				    (int)holder->pid);
	if (check_program(process, err))
		return -err->errnum;
	if (syscall(SYS_pidfd_send_signal, pidfd, SIGTERM, NULL, 0))
		return mr_fail(err, MR_ERROR_HOST, errno, "pidfd_send_signal",
			       "cannot end process %d", (int)holder->pid);
	return 0;
}

int mr_session_end(const struct mr_found_session *session, uint64_t ns, struct mr_error *err)
{
	const struct mr_holder *holder = only_holder(session, err);
	mr_auto_fd int pidfd = -1;
	struct mr_process process;
	struct pollfd end;
	int ready, rc;

	if (!holder)
		return -err->errnum;
	if (!mr_process_open(holder->pid, &process))
		return 0; /* it has just ended */
	pidfd = mr_process_pidfd(&process);
	rc = pidfd < 0 ? mr_fail(err, MR_ERROR_HOST, errno, "pidfd_open", NULL)
		       : signal_holder(session, holder, &process, pidfd, err);
	mr_process_close(&process);
	if (rc)
		return rc;
	end = (struct pollfd){ .fd = pidfd, .events = POLLIN };
	ready = poll(&end, 1, (int)(ns / 1000000));
	if (ready > 0)
		return 0;
	if (ready < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "poll",
			       "process %d was sent SIGTERM and may not have ended yet",
			       (int)holder->pid);
	rc = mr_fail_text(err, MR_ERROR_HOST, ETIMEDOUT,
			  "process %d was sent SIGTERM and has not ended yet", (int)holder->pid);
	mr_hint(err, "if it is stopped, continue it: kill -CONT %d", (int)holder->pid);
	return rc;
}
