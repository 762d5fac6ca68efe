/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files for people, which are written whole or not at all. */
#ifndef CMD_OUTPUT_REPLACED_FILE_H
#define CMD_OUTPUT_REPLACED_FILE_H

#include <limits.h>
#include <stdio.h>

#include "lib/base/base.h"

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

#endif
