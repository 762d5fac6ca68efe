/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The sessions of this machine that this user can see.
 *
 * No list of them is kept.  A session is found by a process whose environment names its descriptor
 * (MRCTL_SESSION=fd:N), and is identified by the inode of that socket.
 */
#ifndef LIB_SESSION_FIND_H
#define LIB_SESSION_FIND_H

#include "lib/session/holder.h"
#include "lib/session/table/table.h"

/** A process that holds a session. */
struct mr_holder {
	pid_t pid;
	uid_t uid;
	enum mr_holder_role role;
	int fd; /**< its descriptor of the session; -1 of a command, which has only the table */
	char command[16];
};

/** A session that was found. */
struct mr_found_session {
	uint64_t socket; /**< inode of its descriptor */
	struct mr_holder *holders;
	size_t holder_count;
	pid_t pid;  /**< the holder by which it was joined; or the first one, where none was */
	bool known; /**< its table was read, so that the members up to @table_inode are set */
	struct mr_table_device device; /**< name and provider may be empty */
	uint64_t regions;              /**< how many are in the table */
	uint64_t bytes;                /**< their lengths together; null MRs have none */
	dev_t table_dev;
	ino_t table_inode;
	bool joinable;
	struct mr_error refusal; /**< why it is not joinable */
};

struct mr_sessions {
	struct mr_found_session *list;
	size_t count;
	bool incomplete; /**< the time was over before all processes were searched */
};

/**
 * mr_sessions_find() - find the sessions that this user can see
 * @ns:    nanoseconds after which the search ends
 * @found: set; mr_sessions_release() it, also after a failure
 *
 * Processes whose environment this user cannot read are not seen.  This process counts as a holder only where
 * it is the only one.  Nothing in a session is changed, and no call is made on its device.
 *
 * Return: 0 or -errno.
 */
int mr_sessions_find(uint64_t ns, struct mr_sessions *found, struct mr_error *err);

/**
 * mr_sessions_visit() - the same, and call @visit with each region of each session that is found
 * @visit: the session's socket, device and pid are known; the other members are not set yet
 *
 * What an entry says another holder can have written.
 */
int mr_sessions_visit(uint64_t ns, struct mr_sessions *found,
		      void (*visit)(const struct mr_found_session *session,
				    const struct mr_entry *entry, void *data),
		      void *data, struct mr_error *err);

/** mr_sessions_release() - free the list */
void mr_sessions_release(struct mr_sessions *found);

/** mr_sessions_by_fd() - the session of which @fd is the descriptor; or NULL */
struct mr_found_session *mr_sessions_by_fd(const struct mr_sessions *found, int fd);

#endif
