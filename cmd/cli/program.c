// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/cli/cli.h"
#include "cmd/output/output.h"
#include "lib/base/base.h"
#include "lib/simulator/enter.h"
#include "lib/trace/wire/wire.h"

/* The most that is caught: nothing reads larger documents. */
#define CATCH_MAX (32 << 20)

/* Interval of a timer that wakes the wait for a program's end, for kernels that lose the signal. */
#define LOOK_AGAIN_NS UINT64_C(1000000000)

/* ---- starting ---- */

/* Return: 0 or a positive errno. */
static int start(const struct child *child, int caught, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	extern char **environ;
	int rc = 0;

	/* Neither of them fails in glibc. */
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	if (child->output != CHILD_KEEP)
		rc = posix_spawn_file_actions_adddup2(
			&actions, child->output == CHILD_CATCH ? caught : STDERR_FILENO,
			STDOUT_FILENO);
	if (child->is_silent)
		rc = rc ?: posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
							    O_RDONLY, 0)
			?: posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
							    O_WRONLY, 0);
	rc = rc ?: posix_spawnattr_setsigmask(&attributes, child->mask)
		?: posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK)
		?: (child->path ? posix_spawn : posix_spawnp)(pid, child->path ?: child->argv[0],
							       &actions, &attributes, child->argv,
							       environ);
	posix_spawnattr_destroy(&attributes);
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

int child_run(struct child *child, struct mr_error *err)
{
	const struct sigaction usual = { .sa_handler = SIG_DFL };
	mr_auto_fd int caught = -1;
	struct sigaction action;
	sigset_t ends, before;
	uint64_t start_ns;
	pid_t pid;
	int rc, signal = 0;
	ssize_t got = -1;
	off_t size;

	child->text = NULL;
	child->length = 0;
	if (child->output == CHILD_CATCH) {
		caught = mr_memfd_create("mrctl-child", MFD_CLOEXEC);
		if (caught < 0)
			return mr_fail(err, MR_ERROR_HOST, errno, "memfd_create", NULL);
	}
	/* With SIGCHLD ignored, as a parent may have left it, the status of a program would be lost. */
	sigemptyset(&ends);
	sigaddset(&ends, SIGCHLD);
	sigaction(SIGCHLD, &usual, &action);
	sigprocmask(SIG_BLOCK, &ends, &before);
	start_ns = mr_now_ns();
	rc = start(child, caught, &pid);
	if (!rc)
		signal = wait_for(child, pid, start_ns, &ends);
	sigprocmask(SIG_SETMASK, &before, NULL);
	sigaction(SIGCHLD, &action, NULL);
	if (rc)
		return mr_fail(err, MR_ERROR_HOST, rc, CHILD_CALL, "cannot run '%s'",
			       child->argv[0]);
	if (signal && child->is_silent) {
		raise(signal);
		return mr_fail_text(err, MR_ERROR_HOST, EINTR, "interrupted");
	}
	if (caught < 0)
		return 0;
	size = lseek(caught, 0, SEEK_END);
	errno = size > CATCH_MAX ? EFBIG : ENOMEM;
	child->text = size <= CATCH_MAX ? malloc((size_t)size + 1) : NULL;
	if (child->text)
		got = pread(caught, child->text, (size_t)size, 0);
	if (got < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, child->text ? "pread" : "malloc",
			       "the output of '%s'", child->argv[0]);
	child->length = (size_t)got;
	child->text[got] = '\0';
	return 0;
}

#define MARK "(simulated) "

/* bash sets PS1 itself when it starts, so the environment cannot.  It runs PROMPT_COMMAND before each prompt. */
#define MARK_PROMPT "PS1=\"" MARK "${PS1#\"" MARK "\"}\""

static bool is_this_program(const char *path)
{
	struct stat self, other;

	return !stat("/proc/self/exe", &self) && !stat(path, &other) &&
	       self.st_dev == other.st_dev && self.st_ino == other.st_ino;
}

void shell_find_mrctl(void)
{
	const char *path = getenv("PATH");
	mr_auto_free char *longer = NULL;
	char self[PATH_MAX] = "", found[PATH_MAX], *name;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0 ||
	    (path && !mr_trace_find_program("mrctl", path, found, sizeof(found)) &&
	     is_this_program(found)))
		return;
	name = strrchr(self, '/');
	if (!name || strcmp(name, "/mrctl") != 0 || !is_this_program(self) || strchr(self, ':'))
		return;
	*name = '\0';
	if (asprintf(&longer, "%s%s%s", self, path ? ":" : "", path ? path : "") < 0)
		longer = NULL;
	else
		setenv("PATH", longer, 1);
}

/* Makes the prompt of an interactive shell show that the HCA is simulated. */
static void shell_mark_simulated(const char *shell)
{
	const char *name = strrchr(shell, '/'), *now = getenv("PROMPT_COMMAND");
	mr_auto_free char *both = NULL;

	if (strcmp(name ? name + 1 : shell, "bash") != 0)
		setenv("PS1", geteuid() ? MARK "$ " : MARK "# ", 1);
	else if (!now || !*now)
		setenv("PROMPT_COMMAND", MARK_PROMPT, 1);
	else if (strstr(now, MARK_PROMPT))
		return;
	else if (asprintf(&both, "%s\n" MARK_PROMPT, now) < 0)
		both = NULL;
	else
		setenv("PROMPT_COMMAND", both, 1);
}

int program_exec(const struct invocation *invocation, struct mr_error *err)
{
	const char *shell = getenv("SHELL");
	char *const fallback[] = { (char *)(shell && *shell ? shell : "/bin/sh"), NULL };
	char *const *program = invocation->operands[0] ? invocation->operands : fallback;
	char path[PATH_MAX];
	int errnum;

	shell_find_mrctl();
	if (program == fallback && mr_simulator_is_entered() && isatty(STDIN_FILENO))
		shell_mark_simulated(program[0]);
	execvp(program[0], program);
	errnum = errno;
	/* execvp(3) also answers EACCES where a folder of $PATH may not be searched, and none has the program. */
	if (errnum == EACCES && !strchr(program[0], '/') &&
	    mr_trace_find_program(program[0], getenv("PATH"), path, sizeof(path)) == -ENOENT)
		errnum = ENOENT;
	mr_fail(err, MR_ERROR_HOST, errnum, "execvp", "cannot run '%s'", program[0]);
	if (errnum == ENOENT)
		suggest_program(invocation->commands, invocation->command, program, err);
	report_error(invocation->command->name, err);
	mr_error_clear(err); /* else main() would print it again */
	return errnum == ENOENT ? EXIT_NO_PROGRAM : EXIT_CANNOT_EXEC;
}
