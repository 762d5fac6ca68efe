/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lines of a file, or of what comes out of a pipe or a terminal, one at a time. */
#ifndef LIB_BASE_LINE_READER_H
#define LIB_BASE_LINE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"

/** Bytes of a line, and no more. */
#define MR_LINE_MAX 65535

struct mr_lines {
	int fd;
	bool is_file;    /**< a regular file: all of it has been read */
	bool is_text;    /**< such a file, and there is no NUL in it */
	uint64_t number; /**< of the line that was read last, from 1 */
	char *buffer;
	size_t size;    /**< bytes of the buffer */
	size_t at, end; /**< what is in it */
	char *line;     /**< in it; or NULL */
	size_t length;  /**< of the line */
	char ended;     /**< what was where its end is marked */
};

/**
 * mr_lines_open() - get ready to read
 * @path: of the file; "-" or NULL: standard input
 *
 * Return: 0 or -errno.
 */
int mr_lines_open(struct mr_lines *lines, const char *path, struct mr_error *err);
void mr_lines_close(struct mr_lines *lines);

/**
 * mr_lines_next() - the next line, in lines->line, without its end (a newline, or CR and newline),
 * and without the byte order mark that a file of UTF-8 may begin with
 *
 * Waiting for a pipe or terminal ends with a signal that mr_signals_block() has blocked.
 *
 * Return: 1, 0 at the end, or -errno: MR_ERROR_USAGE for a line that is too long or holds a NUL,
 * -EINTR for the signal.
 */
int mr_lines_next(struct mr_lines *lines, struct mr_error *err);

/** mr_lines_trim() - leave the blanks around the line out of it */
void mr_lines_trim(struct mr_lines *lines);

/** mr_lines_again() - from the beginning, of a regular file */
void mr_lines_again(struct mr_lines *lines);

#endif
