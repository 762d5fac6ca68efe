/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares the agent: the library in a traced program that records its calls. */
#ifndef LIB_TRACE_AGENT_AGENT_H
#define LIB_TRACE_AGENT_AGENT_H

#include <errno.h>
#include <infiniband/verbs.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/trace/wire/wire.h"

/** State of the agent in its process. */
enum agent_phase {
	AGENT_NEW, /**< of a process that has not joined: also of one that was forked */
	AGENT_JOINING,
	AGENT_JOINED,
	AGENT_ALONE, /**< no answer: the process is not traced */
};

enum { AGENT_REFUSALS = 512 };

/** Refusals of one kind: similar ones, or those of one range, by one caller. */
struct agent_refusal {
	_Atomic uint64_t kind; /**< 0: none yet */
	_Atomic uint32_t looks;
};

/** Per-process state.  MADV_WIPEONFORK zeroes it in forked children. */
struct agent_process {
	_Atomic uint32_t phase; /**< enum agent_phase */
	pid_t pid;
	struct mr_ring ring;
	struct agent_refusal refusals[AGENT_REFUSALS];
};

/** The process; NULL where the kernel refused the memory. */
extern struct agent_process *agent_process;

/** system_result() - the result of a syscall(2), as -errno, with errno unchanged */
static inline long system_result(long result, int saved)
{
	if (result < 0)
		result = -errno;
	errno = saved;
	return result;
}

/** SYSTEM() - a system call: its number, and its arguments */
#define SYSTEM(...)                                                                                \
	({                                                                                         \
		int saved_ = errno;                                                                \
		system_result(syscall(__VA_ARGS__), saved_);                                       \
	})

/** system_map() - map memory to be read and written, or return NULL */
static inline void *system_map(size_t size, int flags, int fd)
{
	const long address = SYSTEM(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0L);

	return address < 0 && address > -4096 ? NULL : (void *)address;
}

/**
 * Whether the program has installed a filter of system calls, which may kill it for a call of the agent.
 * A child has inherited that.
 */
extern _Atomic uint32_t agent_is_filtered;

/** channel_read_environment() - read $MRCTL_TRACE; false: not traced */
bool channel_read_environment(void);

/** Holds a copy of "MRCTL_TRACE=NAME:TOKEN", as the program may change its environment; "" without a trace */
extern char agent_variable[];

/** channel_lost() - report that the process is about to run a program that cannot be followed */
void channel_lost(const char *path, enum mr_trace_obstacle obstacle);

/** channel_pause() - wait a moment while mrctl listens: of mr_ring_put() */
bool channel_pause(uint64_t *begin);

/** channel_closing() - let mrctl take the calls so far and forget what is mapped; waits for it */
void channel_closing(void);

/** ring_of_process() - the ring; joins if that has not happened yet; NULL: the process is not traced */
struct mr_ring *ring_of_process(void);

/** A function that the agent wraps.  binding.c reads the section of these as a table, so none may be padded. */
struct __attribute__((aligned(32))) agent_wrapper {
	const char *name;
	void *wrapper;
	_Atomic(void *) real; /**< the function; NULL: not looked up yet */
};

#define EXPORT __attribute__((visibility("default")))

/** WRAPPER() - the name of the function in the place of @name, within the agent */
#define WRAPPER(name) agent_##name

/** TRACED() - define a wrapper; @...: parameters in parentheses */
#define TRACED(type, name, ...)                                                                    \
	EXPORT type WRAPPER(name)                                                                  \
	__VA_ARGS__ __asm__(#name);                                                                \
	static struct agent_wrapper wrapper_##name                                                 \
		__attribute__((section("agent_wrappers"), used)) = { #name, (void *)WRAPPER(name), \
								     NULL };                       \
	EXPORT type WRAPPER(name) __VA_ARGS__

/** REAL() - the function in whose place @name is; one that fails where no library has it */
#define REAL(name) ((__typeof__(&WRAPPER(name)))binding_real(&wrapper_##name))

/** binding_begin() - look up all existing functions: a child of vfork(2) or a signal handler may need them */
void binding_begin(void);

/** binding_real() - the function that a wrapper replaces, looked up once */
void *binding_real(struct agent_wrapper *wrapper);

#endif
