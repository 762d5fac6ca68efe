/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reading a file, a pipe or a terminal line by line. */
#ifndef LIB_BASE_LINE_READER_H
#define LIB_BASE_LINE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"

/** Bytes that a line may have, without its end. */
#define MR_LINE_MAX 65535

struct mr_line_reader {
	int fd;
	bool is_file;    /**< a regular file: all of it was read when it was opened */
	bool is_text;    /**< a regular file without a NUL in it */
	uint64_t number; /**< of the line that was read last, from 1 */
	char *buffer;
	size_t size; /**< bytes of the buffer */
	size_t at,
		end;   /**< its bytes from at to end were read, and no line has returned them yet */
	char *line;    /**< the line that was read last, in the buffer; or NULL */
	size_t length; /**< of the line, in bytes */
	char overwritten; /**< what stood in the buffer where the line is now terminated */
};

/**
 * mr_line_reader_open() - get ready to read
 * @path: of the file; "-" or NULL: standard input
 *
 * A regular file is read whole, so that later changes of it have no effect.
 *
 * Return: 0 or -errno; close the reader in either case.
 */
int mr_line_reader_open(struct mr_line_reader *reader, const char *path, struct mr_error *err);
void mr_line_reader_close(struct mr_line_reader *reader);

/**
 * mr_line_reader_next() - read the next line into reader->line
 *
 * The line has no newline, no CR before that, and no byte order mark, which a file of UTF-8 may begin with.
 * A signal that mr_signals_block() has blocked ends the wait for a pipe or terminal.
 *
 * Return: 1, 0 at the end, or -errno: MR_ERROR_USAGE for a line that is too long or holds a NUL,
 * -EINTR for the signal.
 */
int mr_line_reader_next(struct mr_line_reader *reader, struct mr_error *err);

/** mr_line_reader_trim() - remove the blanks around the line */
void mr_line_reader_trim(struct mr_line_reader *reader);

/** mr_line_reader_rewind() - read a regular file from its beginning again */
void mr_line_reader_rewind(struct mr_line_reader *reader);

#endif
