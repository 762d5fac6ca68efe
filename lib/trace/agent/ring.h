/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ring of this process. */
#ifndef LIB_TRACE_AGENT_RING_H
#define LIB_TRACE_AGENT_RING_H

#include "lib/trace/agent/state.h"

/** ring_of_process() - the ring; joins where that has not happened yet; NULL: the process is not traced */
struct mr_trace_ring *ring_of_process(void);

/**
 * ring_put() - add a record; waits while the ring is full, and after MR_TRACE_LOOKED_AT until mrctl has taken it
 * @frames: return addresses, of which there are record->frame_count
 *
 * Where mrctl does not empty the ring, the record counts as lost.
 */
void ring_put(struct mr_trace_ring *ring, const struct mr_trace_record *record,
	      void *const *frames);

#endif
