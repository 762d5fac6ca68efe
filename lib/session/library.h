/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What libibverbs has of a session: its device, its PDs and, of a private session, its regions.
 *
 * A process that runs many commands on a session imports the device once, and keeps it here.
 *
 * A private session is that of a batch outside of a session: on a device that this process has opened,
 * with a table that no other process has.  The struct ibv_mr of each of its regions is kept as well, as a
 * region must be changed and deregistered by the one that registered it.
 */
#ifndef LIB_SESSION_LIBRARY_H
#define LIB_SESSION_LIBRARY_H

#include "lib/memory/memory.h"
#include "lib/session/types.h"
#include "lib/verbs/device.h"
#include "lib/verbs/verbs.h"

/** What regions of a private session are on, and use.  It stays as long as one of them exists. */
struct mr_backing {
	struct mr_session_library *library; /**< of that session */
	struct mr_memory memory;
	struct mr_dmabuf dmabuf;
	struct mr_dmah dmah; /**< DMA handle, or none */
	uint64_t users; /**< regions on it; and whoever has made it, until mr_backing_hand_over() */
};

/** mr_backing_new() - an empty backing, whose only user is the caller.  Return: NULL where memory is short. */
struct mr_backing *mr_backing_new(struct mr_session *session);

/**
 * mr_backing_hand_over() - leave @memory and @dmabuf to the regions on them
 * @backing: the caller no longer uses it; NULL: no region stays on them, so they are unmapped and closed
 * @dmabuf:  or NULL
 */
void mr_backing_hand_over(struct mr_backing *backing, struct mr_memory *memory,
			  struct mr_dmabuf *dmabuf);

/** mr_backing_keep_dmah() - leave a DMA handle to the regions that use it; @dmah: becomes none */
void mr_backing_keep_dmah(struct mr_backing *backing, struct mr_session *session,
			  struct mr_dmah *dmah);

/** A region of a private session. */
struct mr_held {
	struct mr_region region;
	struct mr_backing *backing; /**< or NULL */
	bool broken; /**< ibv_rereg_mr(3) has left it unusable, and no later change has mended that */
};

struct mr_session_library {
	struct mr_device device;          /**< without PD; not open before the first use */
	struct ibv_pd *pds[MR_TABLE_PDS]; /**< by their slot in the table, or NULL */
	struct mr_held *held;             /**< of a private session, by slot */
	uint32_t capacity;                /**< slots that @held has room for */
	struct mr_backing *spare;         /**< one without users, for mr_backing_new(); or NULL */
};

/** mr_session_keep_library() - keep the device and the PDs that are imported from here on.  Return: 0 or -errno. */
int mr_session_keep_library(struct mr_session *session, struct mr_error *err);

/**
 * mr_session_device() - get the session's device and a protection domain of it, for calls of libibverbs
 * @pd_slot, @pd_handle: of the protection domain; MR_NO_HANDLE: none is wanted
 * @device:              set on success; mr_session_release_device() it
 *
 * They are imported, unless the session keeps them already.
 *
 * Return: as mr_device_import().
 */
int mr_session_device(struct mr_session *session, uint32_t pd_slot, uint32_t pd_handle,
		      struct mr_device *device, struct mr_error *err);

/** mr_session_release_device() - close it, unless the session keeps it */
void mr_session_release_device(const struct mr_session *session, struct mr_device *device);

/** mr_session_held() - what is kept of the region in that slot; NULL where the session is not private */
struct mr_held *mr_session_held(const struct mr_session *session, uint32_t slot);

/** mr_session_via() - the path by which this process deregisters a region */
enum mr_via mr_session_via(const struct mr_session *session, uint32_t slot);

/* For the files of this folder: */

/** mr_session_close_library() - close the device and all that was kept */
void mr_session_close_library(struct mr_session *session);

/**
 * mr_session_reserve_region() - make room for the region of that slot
 *
 * Nothing happens where the session is not private.
 *
 * Return: 0 or -ENOMEM.
 */
int mr_session_reserve_region(struct mr_session *session, uint32_t slot, struct mr_error *err);

/**
 * mr_session_keep_region() - keep a region of a private session
 *
 * mr_session_reserve_region() has made room for it.
 */
void mr_session_keep_region(struct mr_session *session, uint32_t slot,
			    const struct mr_region *region, struct mr_backing *backing);

/** mr_session_forget_region() - a region is deregistered; its memory is unmapped with the last region on it */
void mr_session_forget_region(struct mr_session *session, uint32_t slot);

/** mr_held_move() - a region is on other memory now; @backing: or NULL */
void mr_held_move(struct mr_held *held, struct mr_backing *backing);

/** mr_held_query() - fill in @mr as QUERY_MR would, from what this process knows */
void mr_held_query(const struct mr_held *held, struct mr_uverbs_mr *mr);

#endif
