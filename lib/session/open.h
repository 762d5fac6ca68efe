/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Opening a new session, joining and leaving one. */
#ifndef LIB_SESSION_OPEN_H
#define LIB_SESSION_OPEN_H

#include "lib/session/types.h"

struct mr_device;
struct mr_environment;

/** mr_session_describe() - fill in what the table notes of a device; @device->pid_namespace becomes 0 */
void mr_session_describe(const struct mr_environment *environment, struct mr_table_device *device);

/**
 * mr_session_create() - open a session on an open device
 * @device: its context's descriptor and PD become the session's
 * @fd:     set to the session's descriptor: 100 or above, inherited by programs
 *
 * Return: 0 or -errno.
 */
int mr_session_create(const struct mr_device *device, const struct mr_environment *environment,
		      int *fd, struct mr_error *err);

/**
 * mr_session_open_private() - open a device as a session of this process alone, as a batch does
 * @name:        the device, or NULL for the only one there is
 * @environment: filled as by mr_device_open()
 *
 * Return: 0 or -errno.
 */
int mr_session_open_private(const char *name, struct mr_session *session,
			    struct mr_environment *environment, struct mr_error *err);

/**
 * mr_session_open() - join a session
 * @where: "fd:N" or "N", an inherited descriptor; "pid:N", one that process N holds
 *
 * What the session holds is not trusted: its descriptors are checked to be those of a device and a table.
 *
 * Return: 0, or -errno: MR_ERROR_ABSENT where there is no session, MR_ERROR_USAGE for a malformed
 * @where.
 */
int mr_session_open(const char *where, struct mr_session *session, struct mr_error *err);

/** mr_session_close() - leave a session: its regions stay; a private session ends, and its regions with it */
void mr_session_close(struct mr_session *session);

/**
 * mr_session_peek() - join the session of a descriptor, but leave its device unchecked
 *
 * The table is checked.  The device must not be used before mr_session_check_device().
 *
 * Return: 0, or -errno: -ENOTCONN where the descriptor is no session.
 */
int mr_session_peek(int fd, struct mr_session *session, struct mr_error *err);

/**
 * mr_session_check_device() - check that the session's device is an RDMA device that this process can use
 *
 * Whoever opened the session can have put any descriptor there.  No ioctl may be sent to one that is not of a
 * uverbs device: to another driver its number could mean anything.
 *
 * Return: 0, or -errno with MR_ERROR_ABSENT where it is none.
 */
int mr_session_check_device(const struct mr_session *session, struct mr_error *err);

/** mr_session_environment() - fill in kernel, rdma-core, and the device as the session knows it */
void mr_session_environment(const struct mr_session *session, struct mr_environment *environment);

/**
 * mr_session_allow_joining() - let processes of the same user take descriptors out of this process
 *
 * Yama allows that to ancestors of this process alone otherwise (kernel.yama.ptrace_scope).
 *
 * Return: 0 or -errno.
 */
int mr_session_allow_joining(struct mr_error *err);

#endif
