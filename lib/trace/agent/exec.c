// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Wrappers of the functions that run another program: they tell what cannot be followed, and give the program the
 * agent where its environment lacks it (env -i).  The process may be a child of vfork(2), with its parent's memory:
 * everything is on the stack.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/trace/agent/call.h"
#include "lib/trace/agent/channel.h"
#include "lib/trace/agent/environment.h"
#include "lib/trace/wire/program.h"

enum {
	ENVIRONMENT_MOST = 8192
}; /* pointers: a longer environment stays as it is, for the stack's sake */

/* Of arguments or variables.  Linux takes no environment for an empty one (execve(2)). */
static char *const nothing[] = { NULL };

/*
 * Tell what cannot be followed, but not of a program that another trace is to follow, which tells it itself.
 * @name: looked up as execvp(3) does where @search
 */
static void announce(int dir, const char *name, bool search, char *const env[])
{
	enum mr_trace_obstacle obstacle;
	char path[PATH_MAX];
	int saved = errno;

	if (name && *channel_variable() && !environment_is_of_other(env ? env : nothing)) {
		if (search && !mr_trace_find_program(name, getenv("PATH"), path, sizeof(path)))
			name = path;
		obstacle = mr_trace_program(dir, name);
		if (obstacle != MR_TRACE_FOLLOWED)
			channel_lost(name, obstacle);
	}
	errno = saved;
}

/* COMPLETED() - an environment with what the agent needs, on the stack of the function that uses it */
#define COMPLETED(env)                                                                             \
	({                                                                                         \
		char *const *env_ = (env) ? (env) : nothing;                                       \
		size_t size_ = environment_size(env_);                                             \
		if (size_ && size_ <= ENVIRONMENT_MOST) {                                          \
			const char **to_ = __builtin_alloca(size_ * sizeof(*to_));                 \
			environment_complete(env_, to_, __builtin_alloca(ENVIRONMENT_BYTES));      \
			env_ = (char *const *)to_;                                                 \
		}                                                                                  \
		env_;                                                                              \
	})

TRACED(int, execve, (const char *path, char *const argv[], char *const env[]))
{
	announce(AT_FDCWD, path, false, env);
	return REAL(execve)(path, argv, COMPLETED(env));
}

TRACED(int, execv, (const char *path, char *const argv[]))
{
	announce(AT_FDCWD, path, false, environ);
	return REAL(execve)(path, argv, COMPLETED(environ));
}

TRACED(int, execvpe, (const char *file, char *const argv[], char *const env[]))
{
	announce(AT_FDCWD, file, true, env);
	return REAL(execvpe)(file, argv, COMPLETED(env));
}

TRACED(int, execvp, (const char *file, char *const argv[]))
{
	announce(AT_FDCWD, file, true, environ);
	return REAL(execvpe)(file, argv, COMPLETED(environ));
}

TRACED(int, fexecve, (int fd, char *const argv[], char *const env[]))
{
	announce(fd, "", false, env);
	return REAL(fexecve)(fd, argv, COMPLETED(env));
}

TRACED(int, execveat, (int dir, const char *path, char *const argv[], char *const env[], int flags))
{
	announce(dir, path, false, env);
	return REAL(execveat)(dir, path, argv, COMPLETED(env), flags);
}

TRACED(int, posix_spawn,
       (pid_t * pid, const char *path, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const argv[], char *const env[]))
{
	announce(AT_FDCWD, path, false, env);
	return REAL(posix_spawn)(pid, path, actions, attributes, argv, COMPLETED(env));
}

TRACED(int, posix_spawnp,
       (pid_t * pid, const char *file, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const argv[], char *const env[]))
{
	announce(AT_FDCWD, file, true, env);
	return REAL(posix_spawnp)(pid, file, actions, attributes, argv, COMPLETED(env));
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

	announce(AT_FDCWD, path, false, environ);
	return REAL(execve)(path, argv, COMPLETED(environ));
}

TRACED(int, execlp, (const char *file, const char *arg, ...))
{
	char *const *argv = arg ? ARGUMENTS(arg, (void)0) : nothing;

	announce(AT_FDCWD, file, true, environ);
	return REAL(execvpe)(file, argv, COMPLETED(environ));
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
	announce(AT_FDCWD, path, false, env);
	return REAL(execve)(path, argv, COMPLETED(env));
}
