/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Programs that a traced program has started, and that do not join: the agent of the program that starts them has told
 * of some, but not of those that are started by the system call itself, or that fail to join.  So all processes of the
 * machine are looked at from time to time, and those that descend from traced ones are judged.
 *
 * What is judged is a program in memory, the image that execve(2) makes: processes that were forked from one that has
 * joined have the same, and join later.
 */
#ifndef LIB_TRACE_LOOKOUT_H
#define LIB_TRACE_LOOKOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/trace/process.h"

enum { MR_LOOKOUT_ANNOUNCED = 64 };

struct mr_lookout_image;

struct mr_lookout {
	struct mr_lookout_image *images; /**< that were seen */
	size_t image_count;
	pid_t *tracers; /**< other mrctl, which follow their programs themselves */
	size_t tracer_count;
	/** The last processes that have told of what they start; 0: none, or that was found */
	pid_t announced[MR_LOOKOUT_ANNOUNCED];
	size_t announced_count;
	uint64_t due_ns; /**< of the next look */
};

/** What is looked at. */
struct mr_lookout_scope {
	pid_t child;
	struct mr_traced_process *const *processes; /**< that have joined */
	size_t process_count;
	const char *channel; /**< name of the socket */
	void (*not_followed)(void *data, pid_t pid, const char *path, uint32_t obstacle);
	void *data;
};

/** mr_lookout_wait_ms() - how long until the next look */
int mr_lookout_wait_ms(const struct mr_lookout *lookout);

/** mr_lookout_look() - look where it is time; each program that is not followed is told once */
void mr_lookout_look(struct mr_lookout *lookout, const struct mr_lookout_scope *scope);

/** mr_lookout_joined() - the program that a process runs has asked to join, and is answered */
void mr_lookout_joined(struct mr_lookout *lookout, pid_t pid);

/** mr_lookout_settle() - the program that a process runs is not to be looked at any more */
void mr_lookout_settle(struct mr_lookout *lookout, pid_t pid);

/** mr_lookout_announced() - a process has told that it, or a child, is to run what cannot be followed */
void mr_lookout_announced(struct mr_lookout *lookout, pid_t pid);

void mr_lookout_release(struct mr_lookout *lookout);

#endif
