/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Progress of long work on standard error, when that is a terminal. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	uint64_t total;    /**< steps there are */
	uint64_t shown_at; /**< when the line was last written, in ns; 0: never */
	bool silent;
};

/** progress_init() - @total steps; silent if there is one only, or with @quiet, or off a terminal */
void progress_init(struct progress *progress, uint64_t total, bool quiet);

/** progress_show() - @done steps are done: "registered 4096 of 100000" */
void progress_show(struct progress *progress, const char *what, uint64_t done);

/** progress_clear() - take the line away before something else is printed */
void progress_clear(struct progress *progress);

#endif
