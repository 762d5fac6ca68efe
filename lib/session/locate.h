/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finding the descriptor of a session. */
#ifndef LIB_SESSION_LOCATE_H
#define LIB_SESSION_LOCATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/base/base.h"

/** Where a session is. */
struct mr_session_location {
	bool is_process; /**< it is the session of a process; else an inherited descriptor */
	uint64_t number; /**< of the process or descriptor */
};

/** mr_session_parse_location() - parse "fd:N", "N" or "pid:N".  Return: 0 or -errno. */
int mr_session_parse_location(const char *where, struct mr_session_location *location,
			      struct mr_error *err);

/** Bytes of a value of MRCTL_SESSION, its end included: more than any location has. */
#define MR_LOCATION_SIZE 512

/**
 * mr_session_find_variable() - MRCTL_SESSION in the environment of a process
 * @environment: /proc/PID/environ, of which no more is read than exec(2) lets an environment have
 * @value:       set where the variable has a value; one that is too long is cut
 * @any:         set to whether there was an environment at all
 *
 * Return: false with errno, which is 0 where the variable is not set or empty.
 */
bool mr_session_find_variable(FILE *environment, char value[MR_LOCATION_SIZE], bool *any);

/**
 * mr_session_locate() - find the descriptor of the session that a user names
 * @where:    "fd:N" or "N", inherited by this process; "pid:N", held by process N, or by the one
 *            that N has joined in turn
 * @fd:       set to the descriptor
 * @borrowed: set to the same where it is a duplicate of another process's descriptor: the caller closes it
 *
 * Return: 0, or -errno: MR_ERROR_USAGE for a malformed word, MR_ERROR_ABSENT where there is no
 * such descriptor or process, MR_ERROR_HOST where taking it is not allowed.
 */
int mr_session_locate(const char *where, int *fd, int *borrowed, struct mr_error *err);

/**
 * mr_session_take_descriptor() - get a duplicate of a descriptor of another process
 * @process: pidfd of the process
 * @pid:     pid of the process, for messages
 * @number:  of the descriptor there
 * @fd:      set to the duplicate
 *
 * Return: 0, or -errno: MR_ERROR_ABSENT where it has no such descriptor, MR_ERROR_HOST where taking it
 * is not allowed.
 */
int mr_session_take_descriptor(int process, uint64_t pid, uint64_t number, int *fd,
			       struct mr_error *err);

#endif
