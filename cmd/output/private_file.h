/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files that a command writes beside its answer, which hold what only their owner is to read. */
#ifndef CMD_OUTPUT_PRIVATE_FILE_H
#define CMD_OUTPUT_PRIVATE_FILE_H

#include <stdbool.h>
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

/** private_file_link_flag() - O_NOFOLLOW; 0 for a link that stands for a descriptor of this process */
int private_file_link_flag(const char *path);

/**
 * private_file_close() - close it
 * Return: 0; or -errno with MR_ERROR_HOST where not all could be written.
 */
int private_file_close(FILE *file, const char *path, struct mr_error *err);

#endif
