/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A file that is created for a region, and is removed again where registering the region fails. */
#ifndef LIB_MEMORY_UNFINISHED_H
#define LIB_MEMORY_UNFINISHED_H

#include <sys/types.h>

/** The file, known by device and inode.  All zeros: none. */
struct mr_unfinished {
	const char *path; /**< or NULL */
	dev_t device;
	ino_t inode;
};

/**
 * mr_unfinished_create() - create a file, with mode 0600
 * @file: set on success; mr_unfinished_keep() or mr_unfinished_remove() it
 * @path: where no file exists yet; must outlive @file
 *
 * SIGINT, SIGTERM and SIGHUP remove it, too, where they are not blocked and end the process.  That works
 * for one file at a time: the last one that was created.
 *
 * Return: its descriptor, open for reading and writing; or -1 with errno.
 */
int mr_unfinished_create(struct mr_unfinished *file, const char *path);

/** mr_unfinished_keep() - keep the file: from here on nothing removes it */
void mr_unfinished_keep(struct mr_unfinished *file);

/** mr_unfinished_remove() - remove the file, unless its path names another file by now */
void mr_unfinished_remove(struct mr_unfinished *file);

#endif
