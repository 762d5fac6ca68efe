/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Following a program and all that it starts: their calls are taken from their rings until the last one has ended. */
#ifndef LIB_TRACE_FOLLOW_H
#define LIB_TRACE_FOLLOW_H

#include "lib/trace/channel.h"
#include "lib/trace/leaks.h"
#include "lib/trace/lookout.h"
#include "lib/trace/process.h"
#include "lib/trace/refusals.h"

enum {
	MR_FOLLOW_LIBRARIES = 64, /**< that are listed at most */
};

/** Who is told of what is seen, while it happens. */
struct mr_trace_sink {
	void *data;
	/** A call; @look: NULL where the process was not looked at, as for each that succeeded. */
	void (*call)(void *data, struct mr_traced_process *process,
		     const struct mr_traced_record *record, struct mr_site *site,
		     const struct mr_look *look);
	/** A program that @pid runs cannot be followed: @obstacle, an enum mr_trace_obstacle. */
	void (*not_followed)(void *data, pid_t pid, const char *path, uint32_t obstacle);
	/** All calls that were there have been told, or NULL: what was written of them may be flushed. */
	void (*caught_up)(void *data);
};

struct mr_follow {
	struct mr_channel channel;
	struct mr_trace_sink sink;
	int signals;     /**< those that the program gets; -1: none are caught */
	uint32_t frames; /**< return addresses of each call, with --stacks */
	struct mr_traced_process **processes;
	size_t process_count;
	uint64_t joined; /**< processes that were followed */
	uint64_t unseen; /**< calls that were made while mrctl did not answer */
	struct mr_trace_totals totals;
	struct mr_refusals refusals;
	struct mr_leaks leaks;
	/** Paths of libraries that register, as the processes had mapped them: they tell the versions; ends with NULL. */
	char *libraries[MR_FOLLOW_LIBRARIES + 1];
	struct mr_lookout lookout;
};

/** mr_follow_open() - get ready to be joined.  Return: 0, or -errno with MR_ERROR_HOST. */
int mr_follow_open(struct mr_follow *follow, struct mr_error *err);

/**
 * mr_follow_attach() - follow a process that runs already, in place of a child; see lib/trace/attach.h
 *
 * From now on @follow->signals has the signals that would end mrctl.
 *
 * Return: the process; its pidfd is -1 where there is none.  NULL: memory is short.
 */
struct mr_traced_process *mr_follow_attach(struct mr_follow *follow, pid_t pid);

/** mr_follow_take() - take a call of that process */
void mr_follow_take(struct mr_follow *follow, struct mr_traced_process *process,
		    struct mr_traced_record *record);

/**
 * mr_follow_fork() - fork(2) the child that is to be followed
 *
 * From now on signals that would end mrctl are left to the child.  Those of a terminal come to it by themselves, and so
 * do those that the program has sent to its process group; what others send to mrctl is passed on.
 *
 * Return: that of fork(2)
 */
pid_t mr_follow_fork(struct mr_follow *follow);

/**
 * mr_follow_run() - follow a child and all that it starts until all have ended
 * @child:  by mr_follow_fork(); it finds the channel in its environment
 * @status: set to that of wait(2)
 *
 * Once the child has ended, signals end the wait for what it has left behind.
 *
 * Return: 0, or -errno with MR_ERROR_HOST.
 */
int mr_follow_run(struct mr_follow *follow, pid_t child, int *status, struct mr_error *err);

void mr_follow_close(struct mr_follow *follow);

#endif
