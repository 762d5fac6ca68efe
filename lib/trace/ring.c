// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/trace/ring.h"

int mr_ring_create(struct mr_ring *ring, uint32_t frames, int *fd, struct mr_error *err)
{
	mr_auto_fd int made = mr_memfd_create("mrctl-trace", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	*ring = (struct mr_ring){ .record_size = mr_trace_record_size(frames), .frames = frames };
	ring->size = sizeof(struct mr_trace_ring) + (size_t)MR_TRACE_SLOTS * ring->record_size;
	if (made < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "memfd_create", NULL);
	if (ftruncate(made, (off_t)ring->size))
		return mr_fail(err, MR_ERROR_HOST, errno, "ftruncate", NULL);
	if (fcntl(made, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return mr_fail(err, MR_ERROR_HOST, errno, "fcntl", NULL);
	ring->shared = mmap(NULL, ring->size, PROT_READ | PROT_WRITE, MAP_SHARED, made, 0);
	if (ring->shared == MAP_FAILED) {
		ring->shared = NULL;
		return mr_fail(err, MR_ERROR_HOST, errno, "mmap", NULL);
	}
	ring->shared->version = MR_TRACE_VERSION;
	ring->shared->slots = MR_TRACE_SLOTS;
	ring->shared->record_size = ring->record_size;
	ring->shared->frames = frames;
	ring->shared->magic = MR_TRACE_MAGIC;
	*fd = mr_steal_fd(&made);
	return 0;
}

static struct mr_trace_record *record_at(const struct mr_ring *ring, uint64_t index)
{
	const size_t slot = (size_t)(index % MR_TRACE_SLOTS);

	return (struct mr_trace_record *)((char *)(ring->shared + 1) + slot * ring->record_size);
}

static bool is_complete(const struct mr_ring *ring, uint64_t index)
{
	return atomic_load_explicit(&record_at(ring, index)->ready, memory_order_acquire) ==
	       index + 1;
}

/*
 * A process that was killed may have begun a record and not completed it, and others after it.
 * Return: whether one of those is complete; then the ones before it are skipped.
 */
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

void mr_ring_release(struct mr_ring *ring)
{
	if (ring->shared)
		munmap(ring->shared, ring->size);
	ring->shared = NULL;
}
