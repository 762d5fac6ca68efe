// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "lib/trace/agent/agent.h"
#include "lib/trace/wire/wire.h"

enum {
	SIGN_BYTES = 1 << 16, /* a page, of machines with the largest ones */
	/* The environment that a program is started with, so that it has the agent, too: */
	ENVIRONMENT_BYTES = 16 * 1024, /* of variables that are added */
	ENVIRONMENT_ADDED = 4,         /* of these at most, with the NULL */
	ENVIRONMENT_MOST = 8192,       /* pointers; a larger one stays as it is */
};

/* A variable that is a list, of which one item is ours. */
struct list_variable {
	const char *name, *separators;
	char item[PATH_MAX]; /* "": this program has it not */
	const char *behind;  /* a library before which it must be; NULL: a list of options */
};

/* A program's own preloads may come before the agent, but the simulator answers calls that the agent is to see. */
static struct list_variable lists[] = {
	{ "LD_PRELOAD", " :", "", "/libmrctl-sim.so" },
	{ "ASAN_OPTIONS", ":, ", MR_TRACE_ASAN_OPTION, NULL },
};

static bool ends_with(const char *item, size_t length, const char *end)
{
	const size_t size = strlen(end);

	return length >= size && !strncmp(item + length - size, end, size);
}

/* The value of a variable, or NULL; @index: set to its place. */
static const char *value_of(char *const *env, const char *name, size_t *index)
{
	const size_t length = strlen(name);

	for (*index = 0; env[*index]; ++*index)
		if (!strncmp(env[*index], name, length) && env[*index][length] == '=')
			return env[*index] + length + 1;
	return NULL;
}

/* Whether a list needs our item; @value: NULL: it is not set. */
static bool lacks(const struct list_variable *list, const char *value)
{
	const size_t name = list->behind ? strlen(list->item) : strcspn(list->item, "=") + 1;
	const char *item;
	size_t length;

	while ((item = mr_list_item(&value, list->separators, &length))) {
		if (length >= name && !strncmp(item, list->item, name))
			return false;
		if (list->behind && ends_with(item, length, list->behind))
			break;
	}
	return *list->item;
}

/* Not on the stack, of which a thread may have 16 KiB (PTHREAD_STACK_MIN). */
struct scratch {
	char path[PATH_MAX];
	char texts[ENVIRONMENT_BYTES];
	const char *env[ENVIRONMENT_MOST];
};

/* Copies an environment, with what the agent needs.  Return: whether something was missing, and there was room */
static bool environment_complete(char *const *env, struct scratch *to)
{
	size_t count = 0, used = 0, index;
	bool is_added = !value_of(env, MR_TRACE_VARIABLE, &index);

	for (; env[count]; count++) {
		if (count + ENVIRONMENT_ADDED >= ENVIRONMENT_MOST)
			return false;
		to->env[count] = env[count];
	}
	if (is_added)
		to->env[count++] = agent_variable;
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		const char *value = value_of(env, lists[i].name, &index);
		const size_t room = ENVIRONMENT_BYTES - used;
		size_t length;

		if (!lacks(&lists[i], value))
			continue;
		length = (size_t)snprintf(to->texts + used, room, "%s=%s%s%s", lists[i].name,
					  lists[i].item, value && *value ? ":" : "", value ?: "");
		if (length >= room)
			continue; /* a list of that length was none of ours */
		to->env[value ? index : count++] = to->texts + used;
		used += length + 1;
		is_added = true;
	}
	to->env[count] = NULL;
	return is_added;
}

/* Linux treats a missing environment as an empty one (execve(2)). */
static char *const nothing[] = { NULL };

/* A child of vfork(2) cannot give back what it has borrowed when it has become the program: its thread keeps it. */
static _Thread_local struct scratch *kept __attribute__((tls_model("initial-exec")));

static struct scratch *borrow(void)
{
	const bool is_child = SYSTEM(SYS_getpid) != agent_process->pid;
	struct scratch *scratch =
		is_child && kept ? kept
				 : system_map(sizeof(*scratch), MAP_PRIVATE | MAP_ANONYMOUS, -1);

	if (is_child)
		kept = scratch;
	return scratch;
}

/* Whether the kernel can read a text, of which it takes the first PATH_MAX bytes. */
static bool is_readable(const void *text)
{
	return SYSTEM(SYS_faccessat, AT_FDCWD, text, F_OK) != -EFAULT;
}

/* The kernel refuses such a program itself. */
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
 * Reports a program that cannot be followed, and completes the environment; but not for a program of another trace,
 * which does that itself.
 * @name: looked up as execvp(3) does where @search
 */
static struct start begin(int dir, const char *name, bool search, char *const env[])
{
	char *const *given = env ? env : nothing;
	struct start start = { NULL, env };
	enum mr_trace_obstacle obstacle;
	const char *channel;
	size_t index;

	if (!agent_process || agent_is_filtered || !name || !is_readable(name) ||
	    !is_environment(given))
		return start;
	channel = value_of(given, MR_TRACE_VARIABLE, &index);
	if (channel && strcmp(channel, agent_variable + sizeof(MR_TRACE_VARIABLE)) != 0)
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
	if (environment_complete(given, start.scratch))
		start.env = (char *const *)start.scratch->env;
	return start;
}

/* RUNS() - define the wrapper of a function that runs a program: @call may use start.env */
#define RUNS(name, parameters, dir, file, search, env, call)                                       \
	TRACED(int, name, parameters)                                                              \
	{                                                                                          \
		const int before = errno;                                                          \
		const struct start start = begin(dir, file, search, env);                          \
		int rc;                                                                            \
		errno = before;                                                                    \
		rc = (call);                                                                       \
		if (start.scratch && start.scratch != kept)                                        \
			SYSTEM(SYS_munmap, start.scratch, sizeof(struct scratch));                 \
		return rc;                                                                         \
	}

RUNS(execve, (const char *path, char *const argv[], char *const env[]), AT_FDCWD, path, false, env,
     REAL(execve)(path, argv, start.env))

RUNS(execv, (const char *path, char *const argv[]), AT_FDCWD, path, false, environ,
     REAL(execve)(path, argv, start.env))

RUNS(execvpe, (const char *file, char *const argv[], char *const env[]), AT_FDCWD, file, true, env,
     REAL(execvpe)(file, argv, start.env))

RUNS(execvp, (const char *file, char *const argv[]), AT_FDCWD, file, true, environ,
     REAL(execvpe)(file, argv, start.env))

RUNS(fexecve, (int fd, char *const argv[], char *const env[]), fd, "", false, env,
     REAL(fexecve)(fd, argv, start.env))

RUNS(execveat, (int dir, const char *path, char *const argv[], char *const env[], int flags), dir,
     path, false, env, REAL(execveat)(dir, path, argv, start.env, flags))

RUNS(posix_spawn,
     (pid_t * pid, const char *path, const posix_spawn_file_actions_t *actions,
      const posix_spawnattr_t *attributes, char *const argv[], char *const env[]),
     AT_FDCWD, path, false, env, REAL(posix_spawn)(pid, path, actions, attributes, argv, start.env))

RUNS(posix_spawnp,
     (pid_t * pid, const char *file, const posix_spawn_file_actions_t *actions,
      const posix_spawnattr_t *attributes, char *const argv[], char *const env[]),
     AT_FDCWD, file, true, env, REAL(posix_spawnp)(pid, file, actions, attributes, argv, start.env))

/* The arguments of execl() and its like, on the stack of the function; @last reads what is behind them. */
#define ARGUMENTS(first, last)                                                                     \
	({                                                                                         \
		size_t count_ = 0;                                                                 \
		const char **argv_, *at_;                                                          \
		va_list args_;                                                                     \
		va_start(args_, first);                                                            \
		for (at_ = first; at_; at_ = va_arg(args_, const char *))                          \
			count_++;                                                                  \
		last;                                                                              \
		va_end(args_);                                                                     \
		argv_ = __builtin_alloca((count_ + 1) * sizeof(*argv_));                           \
		argv_[0] = first;                                                                  \
		va_start(args_, first);                                                            \
		for (size_t i_ = 1; i_ <= count_; i_++)                                            \
			argv_[i_] = va_arg(args_, const char *);                                   \
		va_end(args_);                                                                     \
		(char *const *)argv_;                                                              \
	})

TRACED(int, execl, (const char *path, const char *arg, ...))
{
	return WRAPPER(execv)(path, ARGUMENTS(arg, (void)0));
}

TRACED(int, execlp, (const char *file, const char *arg, ...))
{
	return WRAPPER(execvp)(file, ARGUMENTS(arg, (void)0));
}

TRACED(int, execle, (const char *path, const char *arg, ...))
{
	char *const *env, *const *argv = ARGUMENTS(arg, env = va_arg(args_, char *const *));

	return WRAPPER(execve)(path, argv, env);
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

/*
 * How the agent reports that it could not join, without a descriptor or a socket, which may be what it lacks: a page of
 * its file can then be written and not be read, which no other page of a program is.  mrctl sees it in /proc/PID/maps.
 * Content of the file: not only zeros, and never written.
 */
static const unsigned char sign[SIGN_BYTES] __attribute__((aligned(SIGN_BYTES))) = { 1 };

__attribute__((constructor)) static void start_agent(void)
{
	const char *value = getenv(lists[0].name), *item;
	size_t length;
	void *process = NULL, *frame;
	int saved = errno;

	binding_begin();
	/* Notes where the agent is, as this program has it. */
	while ((item = mr_list_item(&value, lists[0].separators, &length)))
		if (ends_with(item, length, "/" MR_TRACE_AGENT) && length < sizeof(lists[0].item))
			memcpy(lists[0].item, item, length);
	if (channel_read_environment())
		process = system_map(sizeof(struct agent_process), MAP_PRIVATE | MAP_ANONYMOUS, -1);
	/* Linux 4.14; without it a child would write to the ring of its parent. */
	if (process && !SYSTEM(SYS_madvise, process, sizeof(struct agent_process), MADV_WIPEONFORK))
		agent_process = process;
	if (!agent_process || !ring_of_process())
		SYSTEM(SYS_mprotect, sign, sizeof(sign), PROT_WRITE);
	else if (agent_process->ring.frames)
		backtrace(&frame, 1); /* loads libgcc_s now, and not in a call */
	errno = saved;
}
