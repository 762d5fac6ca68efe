/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What was registered and never deregistered.  A process that ends leaves its regions to those that it has forked:
 * they have its device open, and may deregister them.  Such a child is not seen before its first call, which may come
 * after the end of its parent, so what a process has left is a leak only when all have ended.
 */
#ifndef LIB_TRACE_LEAKS_H
#define LIB_TRACE_LEAKS_H

#include "lib/trace/process.h"

/** What was registered at a place and never deregistered, by all processes of a program that have ended. */
struct mr_leak {
	char *program, *place;
	uint32_t call; /**< enum mr_traced_call */
	uint64_t count, bytes;
	/** With --stacks: names of the callers of the first one, the innermost first; ends with NULL. */
	char *frames[MR_TRACE_FRAMES + 1];
};

/** All zeros: nothing has ended. */
struct mr_leaks {
	struct mr_leak *list; /**< filled by mr_leaks_count() */
	size_t count;
	struct mr_traced_process *first, *last; /**< that have ended, in this order */
};

/**
 * mr_leaks_begin() - a process has begun
 * @parent: which it was forked from; NULL: none is known
 */
void mr_leaks_begin(struct mr_traced_process *process, struct mr_traced_process *parent,
		    struct mr_trace_totals *totals);

/** mr_leaks_end() - a process has ended, and belongs to @leaks from now on */
void mr_leaks_end(struct mr_leaks *leaks, struct mr_traced_process *process,
		  struct mr_trace_totals *totals);

/** mr_leaks_ended() - the process of that id, which has ended; NULL: there is none, or it is no longer known */
struct mr_traced_process *mr_leaks_ended(const struct mr_leaks *leaks, uint64_t id);

/** mr_leaks_count() - no further process is followed: what nobody is left to deregister is a leak */
void mr_leaks_count(struct mr_leaks *leaks);

void mr_leaks_release(struct mr_leaks *leaks);

#endif
