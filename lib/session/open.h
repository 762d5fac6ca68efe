/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A session is made, joined and left. */
#ifndef LIB_SESSION_OPEN_H
#define LIB_SESSION_OPEN_H

#include "lib/session/types.h"

struct mr_device;
struct mr_environment;

/** mr_session_describe() - what a table is to know of a device */
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
 * mr_session_open_private() - a private session
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

void mr_session_close(struct mr_session *session);

/**
 * mr_session_peek() - what mr_session_open() does with a descriptor, but for the device
 *
 * The table is checked.  Of the device nothing may be asked before mr_session_check_device().
 *
 * Return: 0, or -errno: -ENOTCONN where the descriptor is no session.
 */
int mr_session_peek(int fd, struct mr_session *session, struct mr_error *err);

/**
 * mr_session_check_device() - whether it is an RDMA device, and can be used by this process
 *
 * Whoever made the session chose its descriptor: before any ioctl it must prove to be a uverbs device.
 */
int mr_session_check_device(const struct mr_session *session, struct mr_error *err);

/** mr_session_environment() - kernel, rdma-core and what the session knows of its device */
void mr_session_environment(const struct mr_session *session, struct mr_environment *environment);

/** mr_session_allow_joining() - let same-user processes take the descriptor (Yama) after exec */
int mr_session_allow_joining(struct mr_error *err);

#endif
