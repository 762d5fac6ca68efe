/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* All files of a recorded host's folder, whose layout lib/host/root.h describes: to pack it, and to unpack it. */
#ifndef LIB_HOST_RECORDING_FILES_H
#define LIB_HOST_RECORDING_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/base.h"

/** The most files, bytes of a file, and bytes of all files that are packed. */
#define MR_RECORDING_FILES_MAX 4000
#define MR_RECORDING_FILE_MAX  (UINT64_C(1) << 20)
#define MR_RECORDING_BYTES_MAX (UINT64_C(16) << 20)

/** What was packed or unpacked. */
struct mr_recording_tally {
	uint64_t files, bytes;
	uint64_t left_out; /**< files beyond the limits, or that cannot be read or made */
};

/**
 * mr_recording_pack() - call @take with each file of a recording, in the order of strcmp()
 * @folder: of the recording.  Links are not followed, and only regular files are read
 * @take:   called with the path in the recording, "/proc/self/limits", and the text up to the first NUL; returns 0,
 *          or -errno to end it
 *
 * Return: 0 or -errno with MR_ERROR_HOST.
 */
int mr_recording_pack(const char *folder,
		      int (*take)(void *data, const char *path, const char *text), void *data,
		      struct mr_recording_tally *tally, struct mr_error *err);

/**
 * mr_recording_unpack() - write a file of a recording
 * @folder: descriptor of its folder, which is this process's own
 * @path:   in the recording, from anywhere.  One that leaves the folder, or that cannot be made beside those which
 *          are there, is left out
 *
 * Return: 0 or -errno, where nothing more can be written.
 */
int mr_recording_unpack(int folder, const char *path, const char *text,
			struct mr_recording_tally *tally);

#endif
