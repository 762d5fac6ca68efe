// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The ring of a traced process: its threads put records, mrctl takes them.
 *
 * Record i is in slot i % MR_TRACE_SLOTS.  Three numbers decide who may touch it; none of them ever falls:
 * - head: records that were begun.  A thread owns record i once it has raised head from i to i + 1, which it does only
 *   where tail >= i + 1 - MR_TRACE_SLOTS: the record before in that slot was taken, and mrctl does not read it again.
 * - ready, of each slot: i + 1 once record i is complete.  Its thread stores it last, with release, and mrctl loads it
 *   with acquire: so mrctl copies a whole record.  An earlier round leaves another number there.
 * - tail: records that mrctl is done with.  mrctl stores it with release after its copy, a thread loads it with acquire
 *   before it writes: so a slot is not written while it is read.  It is stored when mrctl asks for the next record, so
 *   that a thread whose refused call is looked at waits until mrctl has seen to it.
 *
 * A thread may come with a head that is long out of date, and tail may be ahead of it: what is compared is the signed
 * difference.  A process that was killed may leave a record that is begun and never complete; mrctl skips it once the
 * process has ended.  mrctl believes nothing that is in the ring: it knows its size, and counts by itself.
 */
#include <stddef.h>
#include <string.h>

#include "lib/trace/wire/wire.h"

static struct mr_trace_record *record_at(const struct mr_ring *ring, uint64_t index)
{
	return (void *)((char *)(ring->shared + 1) +
			(index % MR_TRACE_SLOTS) * mr_trace_record_size(ring->frames));
}

/*
 * Whether mrctl has taken so many records.  tail is read only where there seem to be fewer: mrctl writes it from another
 * CPU, again and again.
 */
static bool has_taken(struct mr_ring *ring, uint64_t count)
{
	uint64_t taken = atomic_load_explicit(&ring->taken, memory_order_acquire);

	if ((int64_t)(taken - count) >= 0)
		return true;
	taken = atomic_load_explicit(&ring->shared->tail, memory_order_acquire);
	atomic_store_explicit(&ring->taken, taken, memory_order_release);
	if ((int64_t)(taken - count) < 0)
		return false;
	atomic_store(&ring->is_left, false);
	return true;
}

static bool wait_until_taken(struct mr_ring *ring, uint64_t count, mr_ring_pause *pause)
{
	uint64_t begin = 0;

	while (!has_taken(ring, count)) {
		if (atomic_load(&ring->is_left))
			return false;
		if (!pause(&begin))
			atomic_store(&ring->is_left, true);
	}
	return true;
}

bool mr_ring_put(struct mr_ring *ring, const struct mr_traced_record *record, mr_ring_pause *pause)
{
	const size_t skip = offsetof(struct mr_trace_record, begin_ns);
	uint64_t head = atomic_load_explicit(&ring->shared->head, memory_order_relaxed);
	struct mr_trace_record *slot;

	do {
		if (!wait_until_taken(ring, head + 1 - MR_TRACE_SLOTS, pause)) {
			atomic_fetch_add(&ring->shared->lost, 1);
			return false;
		}
	} while (!atomic_compare_exchange_weak(&ring->shared->head, &head, head + 1));
	slot = record_at(ring, head);
	memcpy((char *)slot + skip, (const char *)record + skip,
	       sizeof(*slot) + record->call.frame_count * sizeof(uint64_t) - skip);
	atomic_store_explicit(&slot->ready, head + 1, memory_order_release);
	return !(record->call.flags & MR_TRACE_LOOKED_AT) ||
	       wait_until_taken(ring, head + 1, pause);
}

static bool is_complete(const struct mr_ring *ring, uint64_t index)
{
	return atomic_load_explicit(&record_at(ring, index)->ready, memory_order_acquire) ==
	       index + 1;
}

/* Skips records that are not complete; false: no later one is. */
static bool skip_incomplete(struct mr_ring *ring)
{
	for (uint64_t i = 1; i < MR_TRACE_SLOTS; i++) {
		if (!is_complete(ring, ring->taken + i))
			continue;
		ring->taken += i;
		return true;
	}
	return false;
}

bool mr_ring_take(struct mr_ring *ring, bool is_last, struct mr_traced_record *record)
{
	size_t frames;

	if (!ring->shared)
		return false;
	atomic_store_explicit(&ring->shared->tail, ring->taken, memory_order_release);
	if (!is_complete(ring, ring->taken) && (!is_last || !skip_incomplete(ring)))
		return false;
	memcpy(record, record_at(ring, ring->taken),
	       sizeof(record->call) + ring->frames * sizeof(uint64_t));
	ring->taken++;
	frames = record->call.frame_count;
	record->call.frame_count = frames < ring->frames ? (uint32_t)frames : ring->frames;
	record->call.device[sizeof(record->call.device) - 1] = '\0';
	return true;
}

uint64_t mr_ring_lost(const struct mr_ring *ring)
{
	return ring->shared ? atomic_load_explicit(&ring->shared->lost, memory_order_relaxed) : 0;
}
