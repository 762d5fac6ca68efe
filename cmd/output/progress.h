/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Progress of long work on standard error, when that is a terminal. */
#ifndef CMD_OUTPUT_PROGRESS_H
#define CMD_OUTPUT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	uint64_t total;    /**< steps in all; 0: unknown */
	uint64_t shown_at; /**< when the line was last written, in ns; 0: never */
	bool silent;
};

/**
 * progress_init() - get ready to show progress
 * @total: steps in all; 0: unknown
 *
 * Nothing will be shown with @quiet, or where standard error is no terminal that can clear a line.
 */
void progress_init(struct progress *progress, uint64_t total, bool quiet);

/** progress_show() - show how many of several steps are done: "registered 4096 of 100000" */
void progress_show(struct progress *progress, const char *what, uint64_t done);

/**
 * progress_wait() - show that a step begins that may take long: "registering 64 GiB ..."
 * @bytes: of the memory that the step is about; below 1 GiB nothing is shown
 */
void progress_wait(struct progress *progress, const char *what, uint64_t bytes);

/** progress_time() - show how much of long work is done, and the time that is left: "measuring 12 of 80, 5 s left" */
void progress_time(struct progress *progress, const char *what, uint64_t done, uint64_t total,
		   uint64_t left_ns);

/** progress_clear() - clear the line, before something else is printed */
void progress_clear(struct progress *progress);

#endif
