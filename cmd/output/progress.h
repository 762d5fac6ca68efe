/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Progress of long work on standard error, when that is a terminal. */
#ifndef CMD_OUTPUT_PROGRESS_H
#define CMD_OUTPUT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	uint64_t total;    /**< steps there are */
	uint64_t shown_at; /**< when the line was last written, in ns; 0: never */
	bool silent;
};

/**
 * progress_init() - @total steps; 0: nobody knows how many
 *
 * Silent with @quiet, and where standard error is no terminal, or one that cannot take back a line.
 */
void progress_init(struct progress *progress, uint64_t total, bool quiet);

/** progress_show() - @done steps of several are done: "registered 4096 of 100000" */
void progress_show(struct progress *progress, const char *what, uint64_t done);

/**
 * progress_wait() - a step begins that may take long: "registering 64 GiB ..."
 * @bytes: that it is about; of less than a GiB nothing is shown
 */
void progress_wait(struct progress *progress, const char *what, uint64_t bytes);

/** progress_clear() - take the line away before something else is printed */
void progress_clear(struct progress *progress);

#endif
