/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A file that is made for a region, and is removed again unless the region comes about. */
#ifndef LIB_MEMORY_UNFINISHED_H
#define LIB_MEMORY_UNFINISHED_H

#include <sys/types.h>

/** All zeros: none. */
struct mr_unfinished {
	const char *path; /**< or NULL */
	dev_t device;
	ino_t inode;
};

/**
 * mr_unfinished_create() - make a file, with mode 0600
 * @file: set on success; mr_unfinished_keep() or mr_unfinished_remove() it
 * @path: of no file that exists; must outlive @file
 *
 * SIGINT, SIGTERM and SIGHUP remove it, too, where they end the process and are not blocked: one
 * such file at a time.
 *
 * Return: its descriptor, to be read and written, or -1 with errno.
 */
int mr_unfinished_create(struct mr_unfinished *file, const char *path);

/** mr_unfinished_keep() - the file stays */
void mr_unfinished_keep(struct mr_unfinished *file);

/** mr_unfinished_remove() - the file goes, unless its name has become another one's */
void mr_unfinished_remove(struct mr_unfinished *file);

#endif
