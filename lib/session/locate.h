/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finding the descriptor of a session. */
#ifndef LIB_SESSION_LOCATE_H
#define LIB_SESSION_LOCATE_H

#include <stdint.h>

#include "lib/base/error.h"

/**
 * mr_session_locate() - the descriptor that a user's word for a session means
 * @where:    "fd:N" or "N", inherited by this process; "pid:N", held by process N, or by the one
 *            that N has joined in turn
 * @fd:       set to the descriptor
 * @borrowed: set to the same when it came out of another process: close it
 *
 * Return: 0, or -errno: MR_ERROR_USAGE for a malformed word, MR_ERROR_ABSENT where there is no
 * such descriptor or process, MR_ERROR_HOST where taking it is not allowed.
 */
int mr_session_locate(const char *where, int *fd, int *borrowed, struct mr_error *err);

/**
 * mr_session_take_descriptor() - a duplicate of a descriptor of another process
 * @process: its pidfd
 * @pid:     its number, for the message
 *
 * Return: 0, or -errno: MR_ERROR_ABSENT where it has no such descriptor, MR_ERROR_HOST where taking it
 * is not allowed.
 */
int mr_session_take_descriptor(int process, uint64_t pid, uint64_t number, int *fd,
			       struct mr_error *err);

#endif
