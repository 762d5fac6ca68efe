/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files that are read whole: reports, documents of measurements. */
#ifndef CMD_OUTPUT_WHOLE_FILE_H
#define CMD_OUTPUT_WHOLE_FILE_H

#include <stddef.h>

#include "lib/base/base.h"

/**
 * file_read() - read a whole file of at most 64 MiB
 * @path:   of a regular file; "-": standard input, which may be a pipe
 * @length: set to its bytes, behind which there is a NUL
 *
 * Return: free() it; NULL with MR_ERROR_HOST.
 */
char *file_read(const char *path, size_t *length, struct mr_error *err);

/** file_name() - the path, or "standard input" */
const char *file_name(const char *path);

#endif
