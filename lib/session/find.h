/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The sessions of this machine that this user can see.
 *
 * Nothing keeps a list: a session is found by a process whose environment names its descriptor
 * (MRCTL_SESSION=fd:N), and known by the inode of that socket.
 */
#ifndef LIB_SESSION_FIND_H
#define LIB_SESSION_FIND_H

#include "lib/session/holder.h"
#include "lib/session/table/table.h"

struct mr_holder {
	pid_t pid;
	uid_t uid;
	enum mr_holder_role role;
	int fd; /**< its descriptor of the session, -1 of a command */
	char command[16];
};

struct mr_found_session {
	uint64_t socket; /**< inode of its descriptor */
	struct mr_holder *holders;
	size_t holder_count;
	pid_t pid;                     /**< by which it is joined, or whose it is */
	bool known;                    /**< its table was read: */
	struct mr_table_device device; /**< name and provider may be empty */
	uint64_t regions;              /**< in the table */
	uint64_t bytes;                /**< in them */
	dev_t table_dev;
	ino_t table_inode;
	bool joinable;
	struct mr_error refusal; /**< why it is not joinable */
};

struct mr_sessions {
	struct mr_found_session *list;
	size_t count;
	bool incomplete; /**< the time did not suffice for all processes */
};

/**
 * mr_sessions_find() - the sessions that this user can see
 * @ns: how long to look at most
 *
 * Processes whose environment this user cannot read are not seen.  This process is no holder where
 * there is another one.  Nothing in a session is changed, and its device is asked nothing.
 *
 * Return: 0 or -errno; mr_sessions_release() in both cases.
 */
int mr_sessions_find(uint64_t ns, struct mr_sessions *found, struct mr_error *err);
void mr_sessions_release(struct mr_sessions *found);

/** mr_sessions_by_fd() - that of which @fd is the descriptor; or NULL */
struct mr_found_session *mr_sessions_by_fd(const struct mr_sessions *found, int fd);

#endif
