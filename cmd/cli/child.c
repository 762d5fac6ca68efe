// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/cli/child.h"
#include "lib/base/base.h"

/* The most that is caught: nothing reads larger documents. */
#define CATCH_MAX (32 << 20)

/* A signal that nobody has sent wakes the wait for a program's end after so long, for kernels that lose it. */
#define LOOK_AGAIN_NS UINT64_C(1000000000)

/* ---- starting ---- */

static int set_streams(posix_spawn_file_actions_t *actions, const struct child *child, int caught)
{
	int rc = 0;

	if (child->output == CHILD_CATCH)
		rc = posix_spawn_file_actions_adddup2(actions, caught, STDOUT_FILENO);
	else if (child->output == CHILD_TO_STDERR)
		rc = posix_spawn_file_actions_adddup2(actions, STDERR_FILENO, STDOUT_FILENO);
	if (!rc && child->is_silent)
		rc = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY,
						      0);
	if (!rc && child->is_silent)
		rc = posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null", O_WRONLY,
						      0);
	return rc;
}

static int set_signals(posix_spawnattr_t *attributes, const sigset_t *mask)
{
	const int rc = posix_spawnattr_setsigmask(attributes, mask);

	return rc ? rc : posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK);
}

/* Return: 0 or a positive errno. */
static int start(const struct child *child, int caught, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	extern char **environ;
	int rc = posix_spawn_file_actions_init(&actions);

	if (rc)
		return rc;
	rc = posix_spawnattr_init(&attributes);
	if (!rc) {
		rc = set_streams(&actions, child, caught);
		if (!rc)
			rc = set_signals(&attributes, child->mask);
		if (!rc)
			rc = child->path ? posix_spawn(pid, child->path, &actions, &attributes,
						       child->argv, environ)
					 : posix_spawnp(pid, child->argv[0], &actions, &attributes,
							child->argv, environ);
		posix_spawnattr_destroy(&attributes);
	}
	posix_spawn_file_actions_destroy(&actions);
	return rc;
}

/* ---- waiting ---- */

/* Return: the signal that came last, or 0. */
static int wait_for(struct child *child, pid_t pid, uint64_t start_ns, const sigset_t *ends)
{
	int signal, came = 0;

	while (!waitpid(pid, &child->status, WNOHANG)) {
		const uint64_t now = mr_now_ns();

		if (child->patience_ns && now - start_ns > child->patience_ns) {
			child->is_late = true;
			kill(pid, SIGKILL);
			waitpid(pid, &child->status, 0);
			break;
		}
		signal = mr_signals_wait_until(now + LOOK_AGAIN_NS, ends, -1);
		if (signal <= 0 || signal == SIGCHLD)
			continue;
		came = signal;
		kill(pid, signal);
	}
	child->elapsed_ns = mr_now_ns() - start_ns;
	return came;
}

/* Reads what was caught. */
static int read_caught(struct child *child, int caught, struct mr_error *err)
{
	const char *call = "fstat";
	ssize_t got = -1;
	struct stat st;

	errno = 0;
	if (!fstat(caught, &st)) {
		call = "malloc";
		errno = st.st_size > CATCH_MAX ? EFBIG : 0;
		child->text = errno ? NULL : malloc((size_t)st.st_size + 1);
	}
	if (child->text) {
		call = "pread";
		got = pread(caught, child->text, (size_t)st.st_size, 0);
	}
	if (got < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, call, "the output of '%s'",
			       child->argv[0]);
	child->length = (size_t)got;
	child->text[got] = '\0';
	return 0;
}

/* With SIGCHLD ignored, as a parent may have left it, the status of a program would be lost. */
static int start_and_wait(struct child *child, int caught, int *signal)
{
	const struct sigaction usual = { .sa_handler = SIG_DFL };
	struct sigaction action;
	sigset_t ends, before;
	uint64_t start_ns;
	pid_t pid;
	int rc;

	sigemptyset(&ends);
	sigaddset(&ends, SIGCHLD);
	sigaction(SIGCHLD, &usual, &action);
	sigprocmask(SIG_BLOCK, &ends, &before);
	start_ns = mr_now_ns();
	rc = start(child, caught, &pid);
	if (!rc)
		*signal = wait_for(child, pid, start_ns, &ends);
	sigprocmask(SIG_SETMASK, &before, NULL);
	sigaction(SIGCHLD, &action, NULL);
	return rc;
}

int child_run(struct child *child, struct mr_error *err)
{
	mr_auto_fd int caught = -1;
	int rc, signal = 0;

	child->text = NULL;
	child->length = 0;
	if (child->output == CHILD_CATCH) {
		caught = mr_memfd_create("mrctl-child", MFD_CLOEXEC);
		if (caught < 0)
			return mr_fail(err, MR_ERROR_HOST, errno, "memfd_create", NULL);
	}
	rc = start_and_wait(child, caught, &signal);
	if (rc)
		return mr_fail(err, MR_ERROR_HOST, rc, CHILD_CALL, "cannot run '%s'",
			       child->argv[0]);
	if (signal && child->is_silent) {
		raise(signal);
		return mr_fail_text(err, MR_ERROR_HOST, EINTR, "interrupted");
	}
	return caught < 0 ? 0 : read_caught(child, caught, err);
}
