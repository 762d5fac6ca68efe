/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares the batch that repeats what was refused to a program. */
#ifndef LIB_TRACE_REPRODUCTION_REPRODUCTION_H
#define LIB_TRACE_REPRODUCTION_REPRODUCTION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/trace/trace.h"
#include "lib/verbs/verbs.h"

/**
 * mr_reproduction_write() - write the batch
 * @program: the command line that was traced
 * @path:    of the file itself, for the line that says how to run it
 * @time:    seconds since 1970
 *
 * Return: how many kinds have a line that is run; the others have a comment that says why not.
 */
size_t mr_reproduction_write(const struct mr_refusals *refusals, const char *program,
			     const char *path, uint64_t time, FILE *file);

#endif
