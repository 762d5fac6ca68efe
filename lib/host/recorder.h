/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writing the folder of a recorded host, whose layout lib/host/root.h describes.  What was read first of a
 * file, or answered first by a call, is what stays.  Without a recorder, NULL, nothing happens.  The first
 * error is returned at the end, so that a fact is found whether it can be recorded or not.
 */
#ifndef LIB_HOST_RECORDER_H
#define LIB_HOST_RECORDER_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/base.h"
#include "lib/host/names.h"

struct mr_recorder;

/**
 * mr_recorder_create() - begin a recording
 * @folder: is made; one that exists must be empty
 *
 * Return: 0, or -errno with MR_ERROR_HOST.
 */
int mr_recorder_create(const char *folder, struct mr_recorder **recorder, struct mr_error *err);

/** mr_recorder_close() - finish it, and free the recorder.  Return: 0, or the first -errno. */
int mr_recorder_close(struct mr_recorder *recorder);

/** mr_recorder_file() - record the content of a file */
void mr_recorder_file(struct mr_recorder *recorder, const char *path, const char *text,
		      size_t length);

/**
 * mr_recorder_line() - record one line of a file
 * @number: of the line, from 1: where a file is read again, lines are added in its order
 */
void mr_recorder_line(struct mr_recorder *recorder, const char *path, uint64_t number,
		      const char *line);

/** mr_recorder_lines_end() - record that a file was read line by line.  @error: 0, or -errno */
void mr_recorder_lines_end(struct mr_recorder *recorder, const char *path, int error);

/** mr_recorder_answer() - record what a call answered.  @kind: such as "list" */
void mr_recorder_answer(struct mr_recorder *recorder, const char *kind, const char *path,
			const char *text);

/** mr_recorder_names() - record the names in a folder */
void mr_recorder_names(struct mr_recorder *recorder, const char *path,
		       const struct mr_names *names);

/**
 * mr_recorder_error() - record that a call failed
 * @error: -errno; -ENOENT needs no record, and where memory or descriptors are short the recording is incomplete
 */
void mr_recorder_error(struct mr_recorder *recorder, const char *kind, const char *path, int error);

/** mr_recorder_note() - record -errno of recording itself; 0 is ignored */
void mr_recorder_note(struct mr_recorder *recorder, int error);

#endif
