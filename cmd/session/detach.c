// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/output/output.h"
#include "cmd/session/modes.h"
#include "cmd/session/row.h"
#include "lib/host/reading.h"
#include "lib/session/session.h"

/*
 * Becomes the process in the background that holds the session.  It executes this program again, so that
 * /proc/PID/environ says where the session is.  It closes all that it inherits but the session, and leaves
 * its directory: else it would keep pipes, locks and file systems busy that others wait for.  Its standard output
 * is the socket on which session_tell_ready() answers.
 */
static int exec_holder(int fd, int answer)
{
	char name[] = "mrctl", command[] = "session", option[] = "--hold";
	char *const argv[] = { name, command, option, NULL };
	int null = open("/dev/null", O_RDWR);

	setsid();
	if (chdir("/"))
		return errno;
	for (int i = 0; i <= 2; i++)
		dup2(i == STDOUT_FILENO ? answer : null, i);
	close_range(3, ~0u, CLOSE_RANGE_CLOEXEC); /* Linux before 5.11 cannot, and they stay open */
	if (fcntl(fd, F_SETFD, 0))
		return errno;
	execv("/proc/self/exe", argv);
	return errno;
}

/* Whether this process was started as the holder of a detached session. */
static bool is_detached_holder(void)
{
	struct mr_process process;
	bool is_detached;

	if (!mr_process_open(getpid(), &process))
		return false;
	is_detached = mr_holder_is_detached(&process);
	mr_process_close(&process);
	return is_detached;
}

void session_tell_ready(void)
{
	const int ready = 0;
	struct stat st;

	if (fstat(STDOUT_FILENO, &st) || !S_ISSOCK(st.st_mode) || !is_detached_holder())
		return;
	send(STDOUT_FILENO, &ready, sizeof(ready), MSG_NOSIGNAL);
	dup2(STDIN_FILENO, STDOUT_FILENO); /* /dev/null */
}

/* The holder has ended before it held the session.  Return: -ECHILD. */
static int fail_ended(pid_t pid, struct mr_error *err)
{
	int status = 0;

	waitpid(pid, &status, 0);
	mr_fail_text(err, MR_ERROR_HOST, ECHILD,
		     "the process that was to hold the session has ended (%s %d)",
		     WIFSIGNALED(status) ? "signal" : "exit status",
		     WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	return -ECHILD;
}

/*
 * Waits until the holder holds the session: what is registered before would be lost if it could not.  It answers 0, or
 * the errno of a failure.
 */
static int wait_for_holder(int answer, pid_t pid, struct mr_error *err)
{
	int errnum = 0;
	ssize_t got;

	do
		got = recv(answer, &errnum, sizeof(errnum), 0);
	while (got < 0 && errno == EINTR);
	if (!got)
		return fail_ended(pid, err);
	if (got < 0 || errnum)
		return mr_fail(err, MR_ERROR_HOST, got < 0 ? errno : errnum, "execv",
			       "cannot start the process that holds the session");
	return 0;
}

/* Starts the holder.  Return: its process id, or -errno. */
static pid_t start_holder(int fd, struct mr_error *err)
{
	int answers[2], errnum, rc;
	pid_t pid;

	rc = mr_session_allow_joining(err);
	if (rc)
		return rc;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, answers))
		return mr_fail(err, MR_ERROR_HOST, errno, "socketpair", NULL);
	pid = fork();
	if (pid < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "fork", NULL);
	if (!pid) {
		close(answers[0]);
		rc = mr_session_allow_joining(err);
		errnum = rc ? -rc : exec_holder(fd, answers[1]);
		send(answers[1], &errnum, sizeof(errnum), MSG_NOSIGNAL);
		_exit(EXIT_REFUSED);
	}
	close(answers[1]);
	rc = wait_for_holder(answers[0], pid, err);
	close(answers[0]);
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

int session_fail_detached(const struct invocation *invocation, struct mr_error *err)
{
	const struct global_args *global = invocation->global;
	struct mr_error why = *err;

	if (global->style.json && err->kind != MR_ERROR_USAGE)
		return answer_error(invocation, NULL, &why, err);
	if (!global->style.json && !global->style.columns && !global->style.no_headings)
		output_text("false\n");
	return -err->errnum;
}

int session_detach(const struct invocation *invocation, const struct mr_environment *environment,
		   int fd, struct mr_error *err)
{
	const struct global_args *global = invocation->global;
	pid_t pid = start_holder(fd, err);
	int rc;

	if (pid < 0)
		return session_fail_detached(invocation, err);
	if (global->style.json || global->style.columns || global->style.no_headings) {
		rc = print_row(invocation, environment, pid, err);
	} else {
		output_text("%s=pid:%d; export %s\n", MR_SESSION_VARIABLE, (int)pid,
			    MR_SESSION_VARIABLE);
		rc = output_flush(err);
		if (!rc && !global->style.quiet &&
		    output_is_terminal()) /* not in eval "$(mrctl session --detach)" */
			report_note(
				invocation->command->name,
				"run the line above to work in the session; 'mrctl session --end "
				"pid:%d' ends it",
				(int)pid);
	}
	if (rc)
		kill(pid, SIGTERM);
	return rc;
}
