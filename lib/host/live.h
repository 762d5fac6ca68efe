/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Facts of this machine, for lib/host/root.c.  Paths are absolute, and as the viewer sees them: another process may
 * have other mounts, another root, and another $SYSFS_PATH.
 */
#ifndef LIB_HOST_LIVE_H
#define LIB_HOST_LIVE_H

#include <limits.h>
#include <sys/stat.h>

#include "lib/host/names.h"
#include "lib/host/other_process.h"

/** mr_live_path() - where this process finds a file that the viewer sees.  Return: 0 or -errno. */
int mr_live_path(struct mr_viewer viewer, const char *path, char found[PATH_MAX]);

/** mr_live_open() - open a file to read it.  Return: a descriptor, or -errno; it is no FIFO, folder or device. */
int mr_live_open(struct mr_viewer viewer, const char *path);

/** mr_live_list() - the names in a folder.  Return: 0 or -errno. */
int mr_live_list(struct mr_viewer viewer, const char *path, struct mr_names *names);

/** mr_live_link() - what a symbolic link points to.  Return: 0 or -errno. */
int mr_live_link(struct mr_viewer viewer, const char *path, char target[PATH_MAX]);

/** mr_live_stat() - Return: 0 or -errno. */
int mr_live_stat(struct mr_viewer viewer, const char *path, struct stat *st);

/** mr_live_open_device() - mr_host_open_device() */
int mr_live_open_device(struct mr_viewer viewer, const char *path);

#endif
