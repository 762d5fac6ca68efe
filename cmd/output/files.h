/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares the files that commands write and read whole. */
#ifndef CMD_OUTPUT_FILES_H
#define CMD_OUTPUT_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/base/base.h"

/** private_file_check() - refuse a regular file that exists, unless @force.  Return: 0, or -EEXIST with MR_ERROR_USAGE */
int private_file_check(const char *path, bool force, struct mr_error *err);

/**
 * private_file_open() - open a file to write, which is made with mode 0600
 * @path:  of a regular file of this user; or of a pipe or terminal, such as /dev/stderr
 * @force: a regular file that exists is emptied; else it is refused with MR_ERROR_USAGE
 *
 * No symbolic link is followed, but those of /dev and /proc that stand for descriptors of this process.
 *
 * Return: NULL with MR_ERROR_HOST, or with MR_ERROR_USAGE where the file is another user's.
 */
FILE *private_file_open(const char *path, bool force, struct mr_error *err);

/**
 * private_file_close() - close it
 * Return: 0; or -errno with MR_ERROR_HOST where not all could be written.
 */
int private_file_close(FILE *file, const char *path, struct mr_error *err);

/** Files for people, which are written whole or not at all. */
struct replaced_file {
	FILE *stream;
	const char *path;
	char temporary
		[PATH_MAX]; /**< what becomes @path when it is closed; empty: @path itself is written */
};

/**
 * replaced_file_open() - begin to write a file, with the mode that the umask leaves
 * @path: of a regular file, or of none; or of a pipe or terminal, such as /dev/stdout, which is written as it is.
 *        It has to live until the file is closed.
 *
 * What is written is in another file of the same folder at first.  No symbolic link is followed, as of
 * private_file_open().
 *
 * Return: 0, or -errno with MR_ERROR_HOST.
 */
int replaced_file_open(struct replaced_file *file, const char *path, struct mr_error *err);

/**
 * replaced_file_close() - put what was written in the place of the file
 * Return: 0; or -errno with MR_ERROR_HOST where not all could be written: then the old file stays.
 */
int replaced_file_close(struct replaced_file *file, struct mr_error *err);

/** replaced_file_drop() - close it, and leave the old file; nothing if it has no stream */
void replaced_file_drop(struct replaced_file *file);

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
