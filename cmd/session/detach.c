// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <unistd.h>

#include "cmd/output/document.h"
#include "cmd/output/exit_status.h"
#include "cmd/session/modes.h"
#include "cmd/session/row.h"
#include "lib/session/find.h"
#include "lib/session/holder.h"
#include "lib/session/open.h"

/*
 * Becomes the process in the background that holds the session.  It executes this program again, so that
 * /proc/PID/environ says where the session is.  It closes all that it inherits but the session, and leaves
 * its directory: else it would keep pipes, locks and file systems busy that others wait for.
 */
static int exec_holder(int fd)
{
	char name[] = "mrctl", command[] = "session", option[] = "--hold";
	char *const argv[] = { name, command, option, NULL };
	int null = open("/dev/null", O_RDWR);

	setsid();
	if (chdir("/"))
		return errno;
	for (int i = 0; i <= 2; i++)
		dup2(null, i);
	close_range(3, ~0u, CLOSE_RANGE_CLOEXEC); /* Linux before 5.11 cannot, and they stay open */
	if (fcntl(fd, F_SETFD, 0))
		return errno;
	execv("/proc/self/exe", argv);
	return errno;
}

/* Waits until the holder runs.  Its end of the pipe closes when it executes, or brings the errno of a failure. */
static int wait_for_exec(int pipe, struct mr_error *err)
{
	int errnum = 0;
	ssize_t got;

	do
		got = read(pipe, &errnum, sizeof(errnum));
	while (got < 0 && errno == EINTR);
	if (!got)
		return 0;
	return mr_fail(err, MR_ERROR_HOST, got < 0 ? errno : errnum, "execv",
		       "cannot start the process that holds the session");
}

/* Starts the holder.  Return: its process id, or -errno. */
static pid_t start_holder(int fd, struct mr_error *err)
{
	int pipes[2], errnum, rc;
	pid_t pid;

	rc = mr_session_allow_joining(err);
	if (rc)
		return rc;
	if (pipe2(pipes, O_CLOEXEC))
		return mr_fail(err, MR_ERROR_HOST, errno, "pipe2", NULL);
	pid = fork();
	if (pid < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "fork", NULL);
	if (!pid) {
		close(pipes[0]);
		rc = mr_session_allow_joining(err);
		errnum = rc ? -rc : exec_holder(fd);
		if (write(pipes[1], &errnum, sizeof(errnum)) < 0)
			_exit(EXIT_REFUSED);
		_exit(EXIT_REFUSED);
	}
	close(pipes[1]);
	rc = wait_for_exec(pipes[0], err);
	close(pipes[0]);
	return rc ? rc : pid;
}

/* Prints the new session for scripts, as a row or a document. */
static int print_row(const struct invocation *invocation, const struct mr_environment *environment,
		     pid_t pid, struct mr_error *err)
{
	const struct global_args *global = invocation->global;
	struct mr_holder holder = {
		.pid = pid, .uid = geteuid(), .role = MR_HOLDER_DETACHED, .command = "mrctl-session"
	};
	struct mr_found_session session = {
		.holders = &holder, .holder_count = 1, .pid = pid, .known = true, .joinable = true
	};
	struct answer answer;
	int rc;

	mr_session_describe(environment, &session.device);
	rc = answer_init(&answer, invocation, NULL, environment, 0, err);
	answer.in_session = true;
	if (global->style.no_headings)
		answer.out.usual_columns = SESSION_COLUMNS(session);
	if (!rc) {
		answer_begin(&answer);
		session_print(&answer, &session);
		answer_end_rows(&answer);
		rc = answer_end(&answer, 0, err);
	}
	answer_release(&answer);
	return rc;
}

int session_detach(const struct invocation *invocation, const struct mr_environment *environment,
		   int fd, struct mr_error *err)
{
	const struct global_args *global = invocation->global;
	pid_t pid = start_holder(fd, err);
	int rc;

	if (pid < 0)
		return pid;
	if (global->style.json || global->style.columns || global->style.no_headings) {
		rc = print_row(invocation, environment, pid, err);
	} else {
		output_text("%s=pid:%d; export %s\n", MR_SESSION_VARIABLE, (int)pid,
			    MR_SESSION_VARIABLE);
		rc = output_flush(err);
	}
	if (rc)
		kill(pid, SIGTERM);
	return rc;
}
