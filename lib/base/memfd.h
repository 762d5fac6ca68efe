/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_BASE_MEMFD_H
#define LIB_BASE_MEMFD_H

#include <stdbool.h>

/**
 * mr_memfd_create() - memfd_create(2) with MFD_NOEXEC_SEAL where the kernel knows that flag
 * @flags: MFD_CLOEXEC, MFD_ALLOW_SEALING
 *
 * Linux 6.3 introduced the flag.  Without the flag a newer kernel logs a warning, or refuses
 * (vm.memfd_noexec=2); with it an older kernel answers EINVAL.
 *
 * Return: the descriptor, or -1 with errno.
 */
int mr_memfd_create(const char *name, unsigned int flags);

/**
 * mr_overlay_has_tmpfs() - whether a file of an overlay that can be written is on a tmpfs
 *
 * The path of the upper layer in /proc/PID/mountinfo is mostly one of another mount namespace.  So the file is asked:
 * the overlay hands ioctls on, and tmpfs has attributes (since Linux 6.0) but no map of extents.
 *
 * Return: false also where the file cannot be opened.
 */
bool mr_overlay_has_tmpfs(const char *path);

#endif
