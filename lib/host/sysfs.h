/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files of sysfs, below the folder that libibverbs searches for devices: $SYSFS_PATH, or /sys. */
#ifndef LIB_HOST_SYSFS_H
#define LIB_HOST_SYSFS_H

#include <stdbool.h>
#include <stddef.h>

/**
 * mr_sysfs_path() - write the path of a file in sysfs
 * @path: set, @size bytes long
 * @fmt:  the file's path below the folder: "class/infiniband/%s"
 *
 * Return: false where the path does not fit; it is cut then.
 */
bool mr_sysfs_path(char *path, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** mr_read_line() - read the first line of a file, without its newline; false where there is none */
bool mr_read_line(const char *path, char *line, size_t size);

#endif
