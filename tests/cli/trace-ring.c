// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * 64 threads fill a ring that another one empties: each record arrives once, whole, and those of a thread in their order.
 * For ThreadSanitizer, with lib/trace/wire/ring.c.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/trace/wire/wire.h"

enum { THREADS = 64, EACH = 4000, FRAMES = 3 };

static struct mr_ring ring = { .frames = FRAMES };
static _Atomic unsigned int ended;

static bool yield(uint64_t *begin)
{
	(void)begin;
	sched_yield();
	return true;
}

static void *put_all(void *data)
{
	struct mr_traced_record record = { .call = { .frame_count = FRAMES } };

	record.call.tid = (uint32_t)(uintptr_t)data;
	for (uint64_t i = 1; i <= EACH; i++) {
		record.call.object = record.frames[0] = record.frames[FRAMES - 1] = i;
		record.call.flags = i % 100 ? 0 : MR_TRACE_LOOKED_AT;
		if (!mr_ring_put(&ring, &record, yield))
			abort();
	}
	ended++;
	return NULL;
}

int main(void)
{
	static uint64_t last[THREADS];
	struct mr_ring reader = { .frames = FRAMES };
	struct mr_traced_record record;
	pthread_t threads[THREADS];
	uint64_t count = 0;

	ring.shared = reader.shared = aligned_alloc(64, mr_trace_ring_size(FRAMES));
	if (!ring.shared)
		return 1;
	*ring.shared = (struct mr_trace_ring){ .head = 0 };
	for (uint64_t i = 0; i < MR_TRACE_SLOTS; i++)
		((struct mr_trace_record *)((char *)(ring.shared + 1) +
					    i * mr_trace_record_size(FRAMES)))
			->ready = 0;
	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, put_all, (void *)i))
			return 1;
	while (count < (uint64_t)THREADS * EACH) {
		if (!mr_ring_take(&reader, false, &record)) {
			sched_yield();
			continue;
		}
		count++;
		if (record.call.object != ++last[record.call.tid] ||
		    record.frames[0] != record.call.object ||
		    record.frames[FRAMES - 1] != record.call.object) {
			fprintf(stderr, "record %lu of thread %u: %lu\n",
				(unsigned long)last[record.call.tid], record.call.tid,
				(unsigned long)record.call.object);
			return 1;
		}
	}
	/* The last record may be one that its thread waits for. */
	if (mr_ring_take(&reader, true, &record))
		return 1;
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return mr_ring_lost(&reader) || ended != THREADS;
}
