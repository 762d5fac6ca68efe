/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The folder of a recorded host, whose layout lib/host/root.h describes.  @kind is the folder below "calls",
 * or NULL for a file at its own path.  Paths are absolute ones of the recorded host; whoever made the
 * recording may have written anything into it, so no path leads out of it.
 */
#ifndef LIB_HOST_RECORDING_H
#define LIB_HOST_RECORDING_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/base/error.h"

/** mr_recording_create() - make the folder of a new recording.  Return: 0, or -errno with MR_ERROR_HOST. */
int mr_recording_create(const char *folder, int *fd, struct mr_error *err);

/** mr_recording_put() - write a file, once; a second time is ignored.  Return: 0, or -errno. */
int mr_recording_put(int folder, const char *kind, const char *path, const char *text,
		     size_t length);

/** mr_recording_put_errno() - write "ok" for 0, else the name of -@error.  Return: 0, or -errno. */
int mr_recording_put_errno(int folder, const char *kind, const char *path, int error);

/** mr_recording_append() - add a line to a text that grows; free() it.  Return: 0, or -ENOMEM. */
int mr_recording_append(char **text, size_t *used, const char *line);

/** mr_recording_open() - open a file or folder of it.  Return: a descriptor, or -errno. */
int mr_recording_open(int folder, const char *kind, const char *path, int flags);

/** mr_recording_read() - read a file from its beginning, and end it with a NUL.  Return: bytes, or -errno. */
ssize_t mr_recording_read(int fd, char *text, size_t size);

/** mr_recording_get() - read a file, without the newline at its end.  Return: bytes, or -errno. */
ssize_t mr_recording_get(int folder, const char *kind, const char *path, char *text, size_t size);

/** mr_recording_get_errno() - the errno that was recorded, negative; -ENOENT where none was */
int mr_recording_get_errno(int folder, const char *kind, const char *path);

/** mr_recording_list() - call @take for each name that calls/list has.  Return: how many, or -errno. */
int mr_recording_list(int folder, const char *path, void (*take)(const char *name, void *data),
		      void *data);

/** mr_recording_stat() - the type of a file that stands at its own path.  Return: 0, or -errno. */
int mr_recording_stat(int folder, const char *path, uint32_t *mode);

#endif
