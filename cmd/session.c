// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "device.h"
#include "hold.h"
#include "output.h"
#include "place.h"
#include "program.h"
#include "relaxed.h"
#include "report.h"

struct session_args {
	bool detach;
	bool joinable;
	bool hold;
	struct mr_opt_u64 relaxed_limit;
	struct mr_opt_u64 relaxed_watermark;
};

static const struct option_spec options[] = {
	OPTION(0, "detach", OPTION_FLAG, struct session_args, detach, NULL,
	       "leave it to a process in the background, and print how to join: "
	       "eval \"$(mrctl session --detach)\""),
	OPTION(0, "joinable", OPTION_FLAG, struct session_args, joinable, NULL,
	       "let other processes of the same user join by pid:N (Yama)"),
	OPTION(0, "hold", OPTION_FLAG, struct session_args, hold, NULL,
	       "in a session: keep it until SIGINT, SIGTERM or SIGHUP"),
	OPTION(0, "relaxed-limit", OPTION_NUMBER, struct session_args, relaxed_limit, "N",
	       "relaxed regions at most, deferred ones too (default: 65536)"),
	OPTION(0, "relaxed-watermark", OPTION_NUMBER, struct session_args, relaxed_watermark, "N",
	       "invalidate deferred regions when there are so many (default: 256)"),
	OPTION_END,
};

/* Names the session in the environment of the programs to come. */
static int name_session(int fd, struct mr_error *err)
{
	char where[32];

	snprintf(where, sizeof(where), "fd:%d", fd);
	if (setenv(MR_SESSION_VARIABLE, where, 1))
		return mr_fail(err, MR_ERROR_HOST, errno, "setenv", NULL);
	return 0;
}

static int configure(const struct session_args *args, struct mr_error *err)
{
	struct mr_session session;
	struct mr_table_pool pool;
	int rc;

	if (!args->relaxed_limit.known && !args->relaxed_watermark.known)
		return 0;
	rc = mr_session_open(getenv(MR_SESSION_VARIABLE), &session, err);
	if (rc)
		return rc;
	mr_table_pool(&session.table, &pool);
	if (args->relaxed_limit.known)
		pool.limit = (uint32_t)args->relaxed_limit.value;
	if (args->relaxed_watermark.known)
		pool.watermark = (uint32_t)args->relaxed_watermark.value;
	rc = mr_relaxed_configure(&session, &pool, err);
	mr_session_close(&session);
	return rc;
}

/* Opens the device and makes the session of it. */
static int open_session(const struct global_args *global, const struct session_args *args, int *fd,
			struct mr_error *err)
{
	struct mr_environment environment;
	struct mr_device device;
	int rc;

	mr_environment_init(&environment);
	rc = mr_device_open(global->device, &device, &environment, err);
	if (rc)
		return rc;
	rc = mr_session_create(&device, &environment, fd, err);
	if (rc)
		mr_device_close(&device);
	else
		mr_device_leave(&device);
	if (!rc)
		rc = name_session(*fd, err);
	return rc ? rc : configure(args, err);
}

/*
 * The background process: this program again, so that its environment tells where the session is.
 * Of what it inherits it keeps the session alone: nobody must wait for a pipe or a lock that it has,
 * nor for its directory.
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
	close_range(3, ~0u, CLOSE_RANGE_CLOEXEC); /* Linux before 5.11 leaves them */
	if (fcntl(fd, F_SETFD, 0))
		return errno;
	execv("/proc/self/exe", argv);
	return errno;
}

/* Waits until the holder runs: its end of the pipe closes with exec, or brings an errno. */
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

static int detach(int fd, struct mr_error *err)
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
	if (rc)
		return rc;
	output_text("%s=pid:%d; export %s\n", MR_SESSION_VARIABLE, (int)pid, MR_SESSION_VARIABLE);
	rc = output_flush(err);
	if (rc)
		kill(pid, SIGTERM);
	return rc;
}

/* A process that only sleeps: it serves nobody, the kernel keeps what its descriptor holds. */
static int hold(const struct global_args *global, struct mr_error *err)
{
	struct mr_session session;

	mr_hold_block();
	if (!place_open_session(global, &session, err))
		return -err->errnum;
	mr_session_close(&session);
	prctl(PR_SET_NAME, "mrctl-session"); /* a detached one was started as "exe" */
	mr_hold((struct mr_opt_u64){ 0, false });
	mr_hold_ignore();
	return EXIT_DONE;
}

static int check(const struct invocation *invocation, struct mr_error *err)
{
	const struct session_args *args = invocation->args;
	const char *where = place_session(invocation->global);

	if ((args->detach || args->hold) && invocation->operands[0])
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "--%s runs no program: '%s'",
				    args->detach ? "detach" : "hold", invocation->operands[0]);
	if (args->detach && args->hold)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "--detach excludes --hold");
	if (args->hold && where && !strncmp(where, "pid:", 4))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--hold keeps an inherited session (fd:N), not '%s'", where);
	if (args->hold && (args->relaxed_limit.known || args->relaxed_watermark.known))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--hold opens no session, so it excludes --relaxed-%s",
				    args->relaxed_limit.known ? "limit" : "watermark");
	if (args->relaxed_limit.value > UINT32_MAX || args->relaxed_watermark.value > UINT32_MAX)
		return mr_fail_text(err, MR_ERROR_USAGE, ERANGE, "--relaxed-%s: at most %u",
				    args->relaxed_limit.value > UINT32_MAX ? "limit" : "watermark",
				    UINT32_MAX);
	if (!args->hold && invocation->global->session)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--session: a new session is opened here, not joined");
	return 0;
}

static int run(const struct invocation *invocation, struct mr_error *err)
{
	const struct session_args *args = invocation->args;
	int fd, rc = check(invocation, err);

	if (rc)
		return rc;
	if (args->hold)
		return hold(invocation->global, err);
	rc = open_session(invocation->global, args, &fd, err);
	if (rc && args->detach)
		output_text("false\n"); /* what eval shall answer then */
	if (!rc && args->joinable)
		rc = mr_session_allow_joining(err);
	if (rc)
		return rc;
	if (args->detach)
		return detach(fd, err);
	if (!invocation->operands[0] && !invocation->global->quiet && isatty(STDERR_FILENO))
		report_note(invocation->command,
			    "a session, until this shell and all it starts end");
	return program_exec(invocation, err);
}

static const struct option_group group = { "Session", options, 0 };
static const struct option_group *const groups[] = { &group, NULL };

const struct command command_session = {
	.name = "session",
	.operands = "[-- CMD [ARG...]]",
	.summary = "run a program in which regions outlive the commands",
	.description = "Opens a device and a protection domain and runs CMD (default: $SHELL). "
		       "Regions that mrctl registers below it stay until they are deregistered or "
		       "the last process of the session ends.",
	.groups = groups,
	.args_size = sizeof(struct session_args),
	.runs_program = true,
	.run = run,
};
