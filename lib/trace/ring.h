/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The ring of a traced process, as mrctl empties it.  The process may write anything there: each record is copied
 * before it is looked at, and nothing but a record is believed.
 */
#ifndef LIB_TRACE_RING_H
#define LIB_TRACE_RING_H

#include <stdbool.h>

#include "lib/base/base.h"
#include "lib/trace/wire/wire.h"

/** A ring. */
struct mr_ring {
	struct mr_trace_ring *shared;
	size_t size; /**< bytes of @shared */
	uint32_t record_size, frames;
	uint64_t
		taken; /**< records that were taken; what the process has in its place does not count */
};

/** A record with its return addresses. */
struct mr_traced_record {
	struct mr_trace_record call;
	uint64_t frames[MR_TRACE_FRAMES];
};

/**
 * mr_ring_create() - make a ring
 * @frames: return addresses of each record, at most MR_TRACE_FRAMES
 * @fd:     set to its descriptor, for the process; its size is sealed
 *
 * Return: 0, or -errno with MR_ERROR_HOST.
 */
int mr_ring_create(struct mr_ring *ring, uint32_t frames, int *fd, struct mr_error *err);

/**
 * mr_ring_take() - take the next record; the process may go on after the one before
 * @is_last: the process has ended: records that it did not complete are skipped
 *
 * Return: false where there is none yet.
 */
bool mr_ring_take(struct mr_ring *ring, bool is_last, struct mr_traced_record *record);

/** mr_ring_lost() - calls that the process made while mrctl did not answer */
uint64_t mr_ring_lost(const struct mr_ring *ring);

/** mr_ring_release() - unmap it, or do nothing where it was released */
void mr_ring_release(struct mr_ring *ring);

#endif
