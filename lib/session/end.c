// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/session/end.h"
#include "lib/session/holder.h"

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif

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

	if (!program_of(process, program))
		return mr_fail(err, MR_ERROR_HOST, errno, "readlink",
			       "cannot find out what process %d runs", (int)process->pid);
	if (mr_process_open(getpid(), &self)) {
		program_of(&self, own);
		mr_process_close(&self);
	}
	if (!strcmp(own, program))
		return 0;
	mr_fail_text(err, MR_ERROR_HOST, EXDEV,
		     "the process %d that holds the session runs another mrctl", (int)process->pid);
	mr_hint(err, "end it with that one: %s", program);
	return -EXDEV;
}

/* "bash (4711), vim (4712)": the holders of a session, without the detached one. */
static void list_holders(const struct mr_found_session *session, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < session->holder_count; i++) {
		const struct mr_holder *holder = &session->holders[i];

		if (holder->role == MR_HOLDER_DETACHED)
			continue;
		if (used > size - 64) {
			snprintf(text + used, size - used, ", ...");
			return;
		}
		used += (size_t)snprintf(text + used, size - used, "%s%s (%d)", used ? ", " : "",
					 holder->command, (int)holder->pid);
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
			     "the session of process %d was not detached; it is held by: %s",
			     (int)session->pid, others);
	mr_hint(err, detached ? "end them first"
			      : "it ends with the last of them: exit the shell, end the programs");
	return NULL;
}

static int wait_for_end(int pidfd, pid_t pid, uint64_t ns, struct mr_error *err)
{
	struct pollfd end = { .fd = pidfd, .events = POLLIN };
	int ready = poll(&end, 1, (int)(ns / 1000000));

	if (ready > 0)
		return 0;
	if (ready < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "poll",
			       "process %d was told to end, and may not have ended yet", (int)pid);
	mr_fail_text(err, MR_ERROR_HOST, ETIMEDOUT,
		     "process %d was told to end (SIGTERM) and has not yet", (int)pid);
	mr_hint(err, "if it is stopped, it ends when it goes on: kill -CONT %d", (int)pid);
	return -ETIMEDOUT;
}

/* The pidfd is open already.  So what /proc says of the process now is about the one that gets the signal. */
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
	int rc;

	if (!holder)
		return -err->errnum;
	if (!mr_process_open(holder->pid, &process))
		return 0; /* it has just ended */
	pidfd = mr_process_pidfd(&process);
	rc = pidfd < 0 ? mr_fail(err, MR_ERROR_HOST, errno, "pidfd_open", NULL)
		       : signal_holder(session, holder, &process, pidfd, err);
	mr_process_close(&process);
	return rc ? rc : wait_for_end(pidfd, holder->pid, ns, err);
}
