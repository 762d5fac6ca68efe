// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Wrappers of the functions that run another program: they tell what cannot be followed, and give the program the
 * agent where its environment lacks it (env -i).  The process may be a child of vfork(2), with its parent's memory.
 * And of those that install a filter of system calls (seccomp(2)).
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "lib/trace/agent/call.h"
#include "lib/trace/agent/channel.h"
#include "lib/trace/agent/environment.h"
#include "lib/trace/agent/system.h"
#include "lib/trace/wire/program.h"

/* Environments of more pointers stay as they are. */
enum { ENVIRONMENT_MOST = 8192 };

/* Not on the stack, of which a thread may have 16 KiB (PTHREAD_STACK_MIN). */
struct scratch {
	char path[PATH_MAX];
	char texts[ENVIRONMENT_BYTES];
	const char *env[ENVIRONMENT_MOST];
};

/* Of arguments or variables.  Linux takes no environment for an empty one (execve(2)). */
static char *const nothing[] = { NULL };

/* A child of vfork(2) cannot give back what it has borrowed when it has become the program: its thread keeps it. */
static struct scratch *borrow(void)
{
	const bool is_child = SYSTEM(SYS_getpid) != agent_process->pid;
	long address;

	if (is_child && agent_thread.scratch)
		return agent_thread.scratch;
	address = SYSTEM(SYS_mmap, NULL, sizeof(struct scratch), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
	if (address < 0 && address > -4096)
		return NULL;
	if (is_child)
		agent_thread.scratch = (void *)address;
	return (struct scratch *)address;
}

static void give_back(struct scratch *scratch)
{
	if (scratch && scratch != agent_thread.scratch)
		SYSTEM(SYS_munmap, scratch, sizeof(*scratch));
}

/* Whether the kernel can read a text, of which it takes the first PATH_MAX bytes. */
static bool is_readable(const void *text)
{
	return SYSTEM(SYS_faccessat, AT_FDCWD, text, F_OK) != -EFAULT;
}

/* What the kernel will refuse is left to it. */
static bool is_environment(char *const env[])
{
	if (env == environ)
		return true;
	for (size_t i = 0; is_readable(&env[i]); i++)
		if (!env[i])
			return true;
		else if (!is_readable(env[i]))
			return false;
	return false;
}

/* A program that is to be run. */
struct start {
	struct scratch *scratch; /* NULL: nothing was prepared */
	char *const *env;
};

/*
 * Tells what cannot be followed, and completes the environment; but not for a program that another trace is to follow,
 * which does that itself.
 * @name: looked up as execvp(3) does where @search
 */
static struct start begin(int dir, const char *name, bool search, char *const env[])
{
	char *const *given = env ? env : nothing;
	struct start start = { NULL, env };
	enum mr_trace_obstacle obstacle;
	size_t size;

	if (!agent_process || agent_is_filtered || !name || !is_readable(name) ||
	    !is_environment(given) || environment_is_of_other(given))
		return start;
	start.scratch = borrow();
	if (!start.scratch)
		return start;
	if (search && !mr_trace_find_program(name, getenv("PATH"), start.scratch->path,
					     sizeof(start.scratch->path)))
		name = start.scratch->path;
	obstacle = mr_trace_program(dir, name);
	if (obstacle != MR_TRACE_FOLLOWED)
		channel_lost(name, obstacle);
	size = environment_size(given);
	if (!size || size > ENVIRONMENT_MOST)
		return start;
	environment_complete(given, start.scratch->env, start.scratch->texts);
	start.env = (char *const *)start.scratch->env;
	return start;
}

/* RUN() - run a program: @call may use start.env */
#define RUN(dir, name, search, env, call)                                                          \
	({                                                                                         \
		const int before_ = errno;                                                         \
		const struct start start = begin(dir, name, search, env);                          \
		int rc_;                                                                           \
		errno = before_;                                                                   \
		rc_ = (call);                                                                      \
		give_back(start.scratch);                                                          \
		rc_;                                                                               \
	})

TRACED(int, execve, (const char *path, char *const argv[], char *const env[]))
{
	return RUN(AT_FDCWD, path, false, env, REAL(execve)(path, argv, start.env));
}

TRACED(int, execv, (const char *path, char *const argv[]))
{
	return RUN(AT_FDCWD, path, false, environ, REAL(execve)(path, argv, start.env));
}

TRACED(int, execvpe, (const char *file, char *const argv[], char *const env[]))
{
	return RUN(AT_FDCWD, file, true, env, REAL(execvpe)(file, argv, start.env));
}

TRACED(int, execvp, (const char *file, char *const argv[]))
{
	return RUN(AT_FDCWD, file, true, environ, REAL(execvpe)(file, argv, start.env));
}

TRACED(int, fexecve, (int fd, char *const argv[], char *const env[]))
{
	return RUN(fd, "", false, env, REAL(fexecve)(fd, argv, start.env));
}

TRACED(int, execveat, (int dir, const char *path, char *const argv[], char *const env[], int flags))
{
	return RUN(dir, path, false, env, REAL(execveat)(dir, path, argv, start.env, flags));
}

TRACED(int, posix_spawn,
       (pid_t * pid, const char *path, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const argv[], char *const env[]))
{
	return RUN(AT_FDCWD, path, false, env,
		   REAL(posix_spawn)(pid, path, actions, attributes, argv, start.env));
}

TRACED(int, posix_spawnp,
       (pid_t * pid, const char *file, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const argv[], char *const env[]))
{
	return RUN(AT_FDCWD, file, true, env,
		   REAL(posix_spawnp)(pid, file, actions, attributes, argv, start.env));
}

/* The arguments of execl() and its like, on the stack of the function. */
#define ARGUMENTS(first, last)                                                                     \
	({                                                                                         \
		size_t count_ = 1;                                                                 \
		const char **argv_;                                                                \
		va_list args_;                                                                     \
		va_start(args_, first);                                                            \
		while (va_arg(args_, const char *))                                                \
			count_++;                                                                  \
		va_end(args_);                                                                     \
		argv_ = __builtin_alloca((count_ + 1) * sizeof(*argv_));                           \
		argv_[0] = (first);                                                                \
		va_start(args_, first);                                                            \
		for (size_t i_ = 1; i_ <= count_; i_++)                                            \
			argv_[i_] = va_arg(args_, const char *);                                   \
		last;                                                                              \
		va_end(args_);                                                                     \
		(char *const *)argv_;                                                              \
	})

TRACED(int, execl, (const char *path, const char *arg, ...))
{
	char *const *argv = arg ? ARGUMENTS(arg, (void)0) : nothing;

	return RUN(AT_FDCWD, path, false, environ, REAL(execve)(path, argv, start.env));
}

TRACED(int, execlp, (const char *file, const char *arg, ...))
{
	char *const *argv = arg ? ARGUMENTS(arg, (void)0) : nothing;

	return RUN(AT_FDCWD, file, true, environ, REAL(execvpe)(file, argv, start.env));
}

TRACED(int, execle, (const char *path, const char *arg, ...))
{
	char *const *env = NULL, *const * argv;

	if (arg) {
		argv = ARGUMENTS(arg, env = va_arg(args_, char *const *));
	} else {
		va_list args;

		va_start(args, arg);
		env = va_arg(args, char *const *);
		va_end(args);
		argv = nothing;
	}
	return RUN(AT_FDCWD, path, false, env, REAL(execve)(path, argv, start.env));
}

/* ---- filters of system calls ---- */

/* From now on the agent makes none that the program need not make itself. */
#define FILTERED(is_filter, call)                                                                  \
	({                                                                                         \
		const uint32_t before_ = agent_is_filtered;                                        \
		__typeof__(call) rc_;                                                              \
		if (is_filter)                                                                     \
			agent_is_filtered = 1;                                                     \
		rc_ = (call);                                                                      \
		if ((is_filter) && rc_ < 0)                                                        \
			agent_is_filtered = before_;                                               \
		rc_;                                                                               \
	})

TRACED(int, prctl, (int option, ...))
{
	unsigned long arg[4];
	va_list args;

	va_start(args, option);
	for (size_t i = 0; i < sizeof(arg) / sizeof(*arg); i++)
		arg[i] = va_arg(args, unsigned long);
	va_end(args);
	return FILTERED(option == PR_SET_SECCOMP,
			REAL(prctl)(option, arg[0], arg[1], arg[2], arg[3]));
}

TRACED(long, syscall, (long number, ...))
{
	long arg[6];
	va_list args;

	va_start(args, number);
	for (size_t i = 0; i < sizeof(arg) / sizeof(*arg); i++)
		arg[i] = va_arg(args, long);
	va_end(args);
	return FILTERED((number == SYS_seccomp && arg[0] <= SECCOMP_SET_MODE_FILTER) ||
				(number == SYS_prctl && arg[0] == PR_SET_SECCOMP),
			REAL(syscall)(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]));
}
