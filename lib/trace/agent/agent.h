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

/** Whether libibverbs protects memory from fork(2); a child has inherited that. */
extern _Atomic uint32_t agent_fork_safe;

/** Whether the agent sees libibverbs' calls to the kernel: it has seen one. */
extern _Atomic uint32_t agent_kernel_seen;

/** Per-thread state. */
struct agent_thread {
	uintptr_t outermost; /**< stack address of the call that is seen; 0: none */
	uint32_t kernel_calls;
	int kernel_errnum;
	pid_t pid, tid;          /**< of the process, and of the thread in it */
	struct scratch *scratch; /**< of a child of vfork(2), see process.c; NULL: none */
};

/*
 * initial-exec: the thread's block is there before the thread runs, so that reading it never allocates memory.
 */
extern _Thread_local struct agent_thread agent_thread __attribute__((tls_model("initial-exec")));

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

/** channel_closing() - let mrctl take the calls so far and forget what is mapped; waits for it */
void channel_closing(void);

/** ring_of_process() - the ring; joins if that has not happened yet; NULL: the process is not traced */
struct mr_ring *ring_of_process(void);

/** A call that is under way. */
struct call {
	int saved; /**< errno before it */
	struct mr_trace_record record;
};

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

/** CALLER - where the wrapper is to return to */
#define CALLER (uintptr_t) __builtin_return_address(0)

/**
 * call_begin() - a wrapper was called
 * Return: false where the call is part of another one that is seen: libibverbs calls its own functions.
 */
bool call_begin(struct call *call, enum mr_traced_call number, uintptr_t caller);

/**
 * call_end() - complete the record after the real function has returned
 * @failed: whether it was refused
 * @result: what it returned, if that is an int
 *
 * errno is what the real function left.
 */
void call_end(struct call *call, bool failed, int result);

/** call_note_device() - record the name of a device, cut */
void call_note_device(struct call *call, const struct ibv_device *device);

/** call_note_context() - record the context, and the device's name */
void call_note_context(struct call *call, const struct ibv_context *context);

/** call_note_pd() - record a protection domain, and its context */
void call_note_pd(struct call *call, const struct ibv_pd *pd);

/** call_note_mr() - record a region's handle and keys, as the object; @mr: NULL: none */
void call_note_mr(struct call *call, const struct ibv_mr *mr);

/** call_note_range() - record a range of memory, and its permitted accesses */
void call_note_range(struct call *call, uint64_t addr, uint64_t length, uint32_t access);

/** call_put() - put the record of a call, or of a call of libibverbs within it, with errno unchanged */
void call_put(const struct mr_trace_record *call);

#define IS_INT(result) _Generic((result), int : true, default : false)

/**
 * SEEN_BY() - the body of a wrapper
 * @begin:     a call of call_begin()
 * @real:      the function, which is called with @arguments
 * @before, @after: statements that record the facts of the call in &call; @after knows @result
 *
 * A function that returns an int is refused where that is not 0, another one where it is NULL.
 */
#define SEEN_BY(type, begin, real, arguments, before, after)                                       \
	{                                                                                          \
		struct call call;                                                                  \
		type result;                                                                       \
		if (!(begin))                                                                      \
			return (real)arguments;                                                    \
		before;                                                                            \
		result = (real)arguments;                                                          \
		after;                                                                             \
		call_end(&call, IS_INT(result) ? result != 0 : !result,                            \
			 IS_INT(result) ? (int)(intptr_t)result : 0);                              \
		return result;                                                                     \
	}

/** SEEN() - define the wrapper of a call that is seen; @number: of MR_TRACED_CALLS() */
#define SEEN(type, name, number, parameters, arguments, before, after)                             \
	TRACED(type, name, parameters)                                                             \
	SEEN_BY(type, call_begin(&call, MR_TRACED_##number, CALLER), REAL(name), arguments,        \
		before, after)

/** SEEN_VOID() - the same for a function that returns nothing, and is never refused */
#define SEEN_VOID(name, number, parameters, arguments, before)                                     \
	TRACED(void, name, parameters)                                                             \
	{                                                                                          \
		struct call call;                                                                  \
		const bool is_seen = call_begin(&call, MR_TRACED_##number, CALLER);                \
		if (is_seen) {                                                                     \
			before;                                                                    \
		}                                                                                  \
		REAL(name) arguments;                                                              \
		if (is_seen)                                                                       \
			call_end(&call, false, 0);                                                 \
	}

#endif
