/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Making, joining and leaving a session. */
#ifndef LIB_SESSION_OPEN_H
#define LIB_SESSION_OPEN_H

#include "lib/session/types.h"

struct mr_device;
struct mr_environment;

/** mr_session_describe() - what the table notes of a device */
void mr_session_describe(const struct mr_environment *environment, struct mr_table_device *device);

/**
 * mr_session_create() - make a session of an open device
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
 */
int mr_session_open_private(const char *name, struct mr_session *session,
			    struct mr_environment *environment, struct mr_error *err);

/**
 * mr_session_open() - join a session
 * @where: "fd:N" or "N", an inherited descriptor; "pid:N", one that process N holds
 *
 * Nothing that comes out of it is trusted: the descriptors are checked for what they are.
 *
 * Return: 0, or -errno: MR_ERROR_ABSENT where there is no session, MR_ERROR_USAGE for a malformed
 * @where.
 */
int mr_session_open(const char *where, struct mr_session *session, struct mr_error *err);

/** mr_session_close() - leave it; regions stay, but for a private session, which ends */
void mr_session_close(struct mr_session *session);

/**
 * mr_session_peek() - join the session of a descriptor, without a look at its device
 *
 * The table is checked.  The device must not be used before mr_session_check_device().
 *
 * Return: 0, or -errno: -ENOTCONN where the descriptor is no session.
 */
int mr_session_peek(int fd, struct mr_session *session, struct mr_error *err);

/**
 * mr_session_check_device() - whether it is an RDMA device, and can be used by this process
 *
 * The descriptor comes from whoever made the session: no ioctl may be sent to what is no uverbs device.
 */
int mr_session_check_device(const struct mr_session *session, struct mr_error *err);

/** mr_session_environment() - fill in kernel, rdma-core, and the device as the session knows it */
void mr_session_environment(const struct mr_session *session, struct mr_environment *environment);

/**
 * mr_session_allow_joining() - let processes of the same user take descriptors out of this one
 *
 * Without it Yama allows that to its ancestors alone (kernel.yama.ptrace_scope).
 */
int mr_session_allow_joining(struct mr_error *err);

#endif
