/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The message in the queue of a session's socket: it carries the device's descriptor and the table's. */
#ifndef LIB_SESSION_MESSAGE_H
#define LIB_SESSION_MESSAGE_H

#include "lib/base/base.h"

/** mr_session_send() - put the message into the queue of @socket's peer.  Return: 0 or -errno. */
int mr_session_send(int socket, int device, int table, struct mr_error *err);

/**
 * mr_session_receive() - get duplicates of the descriptors that the message carries; it stays in the queue
 * @fd:  descriptor of the session
 * @fds: set to those of the device and of the table, which are neither checked nor trusted
 *
 * Return: 0, or -errno: -ENOTCONN where @fd is no session.
 */
int mr_session_receive(int fd, int fds[2], struct mr_error *err);

#endif
