/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reading the folder of a recorded host, whose layout lib/host/root.h describes.  @kind is the kind of a call,
 * such as "list".  Paths are absolute ones of the recorded host, without "..".  Whoever made the recording may
 * have put anything there: links are not followed, and only regular files are opened.
 */
#ifndef LIB_HOST_RECORDING_H
#define LIB_HOST_RECORDING_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/host/names.h"

/**
 * mr_recording_name() - where something stands, below the folder
 * @kind:   NULL for the file of the recorded host itself
 * @failed: of the errno with which the call failed
 *
 * Return: 0 or -ENAMETOOLONG.
 */
int mr_recording_name(char below[PATH_MAX], const char *path, const char *kind, bool failed);

/**
 * mr_recording_parent() - open the folder that has a file, without following a link
 * @below: as of mr_recording_name()
 * @make:  whether folders that are missing are made
 * @last:  set to the file's name in that folder
 *
 * Return: a descriptor, or -errno.
 */
int mr_recording_parent(int folder, const char *below, bool make, const char **last);

/** mr_recording_read_fd() - read at most @size - 1 bytes, and end them with a NUL.  Return: bytes, or -errno. */
ssize_t mr_recording_read_fd(int fd, char *text, size_t size);

/** mr_recording_open() - open a file of the recorded host to read it.  Return: a descriptor, or -errno. */
int mr_recording_open(int folder, const char *path);

/** mr_recording_error() - the errno with which a call failed, negative; 0 where none was recorded */
int mr_recording_error(int folder, const char *kind, const char *path);

/**
 * mr_recording_get() - read the answer of a call, without the newline at its end, cut where it does not fit
 * Return: bytes; or -errno: the one that was recorded, or -ENOENT where nothing was.
 */
ssize_t mr_recording_get(int folder, const char *kind, const char *path, char *text, size_t size);

/** mr_recording_list() - the names of a folder; those of the folder itself where none were recorded: 0 or -errno */
int mr_recording_list(int folder, const char *path, struct mr_names *names);

/** mr_recording_mode() - the type and permission of what stands at its own path.  Return: 0, or -errno. */
int mr_recording_mode(int folder, const char *path, uint32_t *mode);

/**
 * mr_recording_write() - write a file of the recording and @end after it, unless it exists
 * @below: as of mr_recording_name()
 *
 * Return: 0 or -errno.
 */
int mr_recording_write(int folder, const char *below, const char *text, size_t length,
		       const char *end);

#endif
