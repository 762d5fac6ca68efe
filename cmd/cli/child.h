/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Programs that mrctl runs and waits for: mrctl itself, for a document, and those of the command line. */
#ifndef CMD_CLI_CHILD_H
#define CMD_CLI_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/base.h"

/** The call that fails where a program cannot be run, as of struct mr_error. */
#define CHILD_CALL "posix_spawn"

/** Where a program's standard output goes. */
enum child_output {
	CHILD_KEEP,      /**< where that of mrctl goes */
	CHILD_TO_STDERR, /**< to standard error */
	CHILD_CATCH,     /**< into the text */
};

struct child {
	const char *path; /**< to be run; NULL: the first word, looked for in PATH */
	char *const *argv;
	enum child_output output;
	bool is_silent;       /**< it has neither standard input nor standard error */
	uint64_t patience_ns; /**< it is killed after so long; 0: never */
	const sigset_t *mask; /**< signals that it has blocked */

	/* What became of it: */
	int status;   /**< as of waitpid(2) */
	bool is_late; /**< it was killed */
	uint64_t elapsed_ns;
	char *text;    /**< what was caught, with a NUL behind it; free() it */
	size_t length; /**< of the text */
};

/**
 * child_run() - run a program to its end
 *
 * Signals that end commands must be blocked (mr_signals_block()).  One that comes is passed on to the program; where that
 * is a silent one, it stays pending as well.
 *
 * Return: 0, or -errno with MR_ERROR_HOST where it could not be run, or -EINTR.
 */
int child_run(struct child *child, struct mr_error *err);

#endif
