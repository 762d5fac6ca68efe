/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the agent knows of its process and of its threads. */
#ifndef LIB_TRACE_AGENT_STATE_H
#define LIB_TRACE_AGENT_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/trace/wire/wire.h"

enum agent_phase {
	AGENT_NEW, /**< of a process that has not joined: also of one that was forked */
	AGENT_JOINING,
	AGENT_JOINED,
	AGENT_ALONE, /**< nobody answers: the process is not traced */
};

enum { AGENT_REFUSALS = 512 };

/** Refusals of one kind: those that are alike, or of one range, by one caller. */
struct agent_refusal {
	_Atomic uint64_t kind; /**< 0: none yet */
	_Atomic uint32_t looks;
};

/** Of a process.  It is in memory that a child has as zeros after fork(2): MADV_WIPEONFORK. */
struct agent_process {
	_Atomic uint32_t phase; /**< enum agent_phase */
	pid_t pid;
	uint32_t frames;
	uint32_t record_size;
	struct mr_trace_ring *ring;
	_Atomic uint32_t gone;  /**< whoever emptied the ring is gone, or does not answer */
	_Atomic uint64_t taken; /**< records that mrctl has taken, as of the last look */
	struct agent_refusal refusals[AGENT_REFUSALS];
};

/** The process; NULL where the kernel refused the memory. */
extern struct agent_process *agent_process;

/** Whether libibverbs protects memory from fork(2); a child has inherited that. */
extern _Atomic uint32_t agent_fork_safe;

/** Whether libibverbs' calls to the kernel come to the agent: it has seen one. */
extern _Atomic uint32_t agent_kernel_seen;

/** Of a thread. */
struct agent_thread {
	uintptr_t outermost; /**< stack address of the call that is seen; 0: none */
	uint32_t kernel_calls;
	int kernel_errnum;
	pid_t pid, tid; /**< of the process, and of the thread in it */
	struct scratch
		*scratch; /**< exec.c: what a child of vfork(2) has borrowed; NULL: nothing */
};

/*
 * initial-exec: the thread's block is there before the thread runs, so that reading it never allocates memory.
 */
extern _Thread_local struct agent_thread agent_thread __attribute__((tls_model("initial-exec")));

#endif
