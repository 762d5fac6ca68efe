/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A program that a process runs: whether it will join, has failed to, or cannot. */
#ifndef LIB_TRACE_IMAGE_H
#define LIB_TRACE_IMAGE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/host/reading.h"

/** mr_image_id() - a number that is equal where processes run the same program, by fork(2); 0: not known */
uint64_t mr_image_id(pid_t pid, const struct mr_process_stat *process);

/** What is known of a program that a process runs. */
enum mr_image_fate {
	MR_IMAGE_BEGINS,       /**< it may still join, or become one that will not */
	MR_IMAGE_OF_OTHER,     /**< another mrctl follows it */
	MR_IMAGE_NOT_FOLLOWED, /**< it will not join */
	MR_IMAGE_NO_MATTER,    /**< it has ended, or cannot be looked at */
};

/** What is found out of it. */
struct mr_image {
	char path[PATH_MAX]; /**< or its command in brackets, where the path is hidden */
	uint32_t obstacle;   /**< NOT_FOLLOWED: enum mr_trace_obstacle */
	pid_t tracer;        /**< OF_OTHER: the process that follows it; 0: not known */
};

/**
 * mr_image_judge() - find out what will become of the program of a process
 * @channel: name of the socket
 * @is_late: it has had time to load the agent
 */
enum mr_image_fate mr_image_judge(pid_t pid, const struct mr_process_stat *process,
				  const char *channel, bool is_late, struct mr_image *image);

/** mr_image_recheck() - the same of one that has asked to join: whether it could take the answer */
enum mr_image_fate mr_image_recheck(pid_t pid, struct mr_image *image);

#endif
