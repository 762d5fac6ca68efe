/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which MRs are regions of a session that this user can see. */
#ifndef CMD_STAT_SYSTEM_SESSIONS_H
#define CMD_STAT_SYSTEM_SESSIONS_H

#include "lib/nldev/nldev.h"
#include "lib/session/session.h"

/** A region of a session. */
struct session_region {
	uint64_t length;
	uint32_t lkey, rkey;
	uint32_t session; /**< place of its session in the list, from 1 */
};

/** A session, as mrctl --session takes it. */
struct session_place {
	uint64_t socket;
	char text[32]; /**< "pid:123" */
	char device[64];
};

struct session_regions {
	struct session_region *list; /**< in the order of lkey */
	size_t count, room;
	struct session_place *places;
	size_t place_count;
	size_t last;     /**< the region that was found last: mostly the next one follows it */
	bool incomplete; /**< there was not enough time, or memory, to see all */
};

/**
 * session_regions_find() - find the regions of all sessions that this user can see
 *
 * Regions on simulated devices are left out.  session_regions_release() it in any case.
 *
 * Return: 0 or -errno.
 */
int session_regions_find(struct session_regions *regions, struct mr_error *err);
void session_regions_release(struct session_regions *regions);

/**
 * session_regions_place() - the session whose region an MR is
 *
 * A device gives an lkey to one MR at a time.  So an MR is a region of a session where device, lkey, rkey and
 * length are the same.
 *
 * Return: its place, from 1; 0: of none, or the MR's keys are not known.
 */
uint32_t session_regions_place(struct session_regions *regions, const char *device,
			       const struct mr_nldev_mr *mr);

#endif
