/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A folder of this process below $TMPDIR, or /tmp.  The process holds a lock on it (flock(2)), so that one which was
 * killed before it could remove its folder is told from one that is at work: the next one to make a folder removes
 * what the former has left.
 */
#ifndef LIB_HOST_TEMPORARY_FOLDER_H
#define LIB_HOST_TEMPORARY_FOLDER_H

#include <limits.h>

#include "lib/base/base.h"

struct mr_temporary_folder {
	char path[PATH_MAX]; /**< empty: there is none */
	int fd;              /**< of the folder, with the lock */
};

/** mr_temporary_folder_make() - Return: 0 or -errno with MR_ERROR_HOST. */
int mr_temporary_folder_make(struct mr_temporary_folder *folder, struct mr_error *err);

/** mr_temporary_folder_remove() - remove it with all that it holds, or do nothing where there is none */
void mr_temporary_folder_remove(struct mr_temporary_folder *folder);

#endif
