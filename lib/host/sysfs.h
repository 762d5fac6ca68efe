/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files of sysfs, below the folder in which libibverbs looks for devices: $SYSFS_PATH, or /sys. */
#ifndef LIB_HOST_SYSFS_H
#define LIB_HOST_SYSFS_H

#include <stdbool.h>
#include <stddef.h>

/**
 * mr_sysfs_path() - the path of a file in sysfs
 * @fmt: its path below the folder: "class/infiniband/%s"
 *
 * Return: false where it does not fit; @path is cut then.
 */
bool mr_sysfs_path(char *path, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** mr_read_line() - the first line of a file, without its newline; false where there is none */
bool mr_read_line(const char *path, char *line, size_t size);

#endif
