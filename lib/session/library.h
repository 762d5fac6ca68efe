/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The library's side of a session, for a process that runs many commands on it: the device is opened
 * or imported once.
 *
 * A private session is one that nobody else has: on a device of this process's own, with a table in
 * its own memory.  There the library's object of each region is kept as well, so that a region is
 * changed and deregistered by the very struct ibv_mr that registered it.
 */
#ifndef LIB_SESSION_LIBRARY_H
#define LIB_SESSION_LIBRARY_H

#include "lib/memory/dmabuf.h"
#include "lib/memory/mapping.h"
#include "lib/session/types.h"
#include "lib/verbs/device.h"

/** What regions of a private session lie on.  It stays as long as one of them. */
struct mr_backing {
	struct mr_session_library *library; /**< of that session */
	struct mr_memory memory;
	struct mr_dmabuf dmabuf;
	uint64_t users;
};

/** mr_backing_new() - with one user, its maker; nothing is in it yet.  Return: NULL without memory. */
struct mr_backing *mr_backing_new(struct mr_session *session);

/**
 * mr_backing_hand_over() - leave @memory and @dmabuf to the regions on them
 * @backing: gives its maker's use up; NULL: nothing stays on them, so give them back
 * @dmabuf:  or NULL
 */
void mr_backing_hand_over(struct mr_backing *backing, struct mr_memory *memory,
			  struct mr_dmabuf *dmabuf);

/** A region of a private session. */
struct mr_held {
	struct mr_region region;
	struct mr_backing *backing; /**< or NULL */
	bool broken; /**< by ibv_rereg_mr(3), and what it refused has not changed since */
};

struct mr_session_library {
	struct mr_device device;          /**< without PD; not open before the first use */
	struct ibv_pd *pds[MR_TABLE_PDS]; /**< by their place in the table, or NULL */
	struct mr_held *held;             /**< of a private session, by slot */
	uint32_t capacity;                /**< of those */
	struct mr_backing *spare;         /**< one that was given up, for the next; or NULL */
};

/** mr_session_keep_library() - from here on the device of a joined session is imported only once */
int mr_session_keep_library(struct mr_session *session, struct mr_error *err);

/**
 * mr_session_device() - the session's device and a protection domain of it, for calls of libibverbs
 * @place, @pd_handle: of the protection domain; MR_NO_HANDLE: none
 * @device:            set on success; mr_session_release_device() it
 *
 * Imported, where the session does not keep them.
 *
 * Return: as mr_device_import().
 */
int mr_session_device(struct mr_session *session, uint32_t place, uint32_t pd_handle,
		      struct mr_device *device, struct mr_error *err);
void mr_session_release_device(const struct mr_session *session, struct mr_device *device);

/** mr_session_held() - the object of a region of a private session, or NULL */
struct mr_held *mr_session_held(const struct mr_session *session, uint32_t slot);

/** mr_session_via() - the path by which a region is deregistered */
enum mr_via mr_session_via(const struct mr_session *session, uint32_t slot);

/* For the files of this folder: */

/** mr_session_close_library() - free what mr_session_open_private() or _keep_library() made */
void mr_session_close_library(struct mr_session *session);

/** mr_session_reserve_region() - make room for the object of that slot, of a private session */
int mr_session_reserve_region(struct mr_session *session, uint32_t slot, struct mr_error *err);

/** mr_session_keep_region() - keep a region of a private session; there is room, see above */
void mr_session_keep_region(struct mr_session *session, uint32_t slot,
			    const struct mr_region *region, struct mr_backing *backing);

/** mr_session_forget_region() - it has been deregistered: what it lay on goes with the last one */
void mr_session_forget_region(struct mr_session *session, uint32_t slot);

/** mr_held_move() - it lies on something else now */
void mr_held_move(struct mr_held *held, struct mr_backing *backing);

/** mr_held_query() - what this process knows of it, as the kernel would tell it */
void mr_held_query(const struct mr_held *held, struct mr_uverbs_mr *mr);

#endif
