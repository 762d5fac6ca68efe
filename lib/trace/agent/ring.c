// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/trace/agent/channel.h"
#include "lib/trace/agent/ring.h"
#include "lib/trace/agent/system.h"

struct agent_process *agent_process;
_Atomic uint32_t agent_fork_safe;
_Atomic uint32_t agent_kernel_seen;
_Thread_local struct agent_thread agent_thread;

static uint64_t ms(uint64_t count)
{
	return count * UINT64_C(1000000);
}

/* Other threads may be joining just now: wait for them. */
static uint32_t joined_phase(struct agent_process *process)
{
	uint64_t begin = system_now();
	uint32_t phase = atomic_load(&process->phase);

	while (phase == AGENT_JOINING && system_now() - begin < ms(MR_TRACE_PATIENCE_MS)) {
		system_pause();
		phase = atomic_load(&process->phase);
	}
	return phase;
}

struct mr_trace_ring *ring_of_process(void)
{
	struct agent_process *process = agent_process;
	uint32_t phase;

	if (!process)
		return NULL;
	phase = atomic_load_explicit(&process->phase, memory_order_acquire);
	if (phase == AGENT_NEW &&
	    atomic_compare_exchange_strong(&process->phase, &phase, AGENT_JOINING)) {
		phase = !agent_is_filtered && channel_join(process) ? AGENT_JOINED : AGENT_ALONE;
		atomic_store(&process->phase, phase);
	} else if (phase == AGENT_JOINING) {
		phase = joined_phase(process);
	}
	return phase == AGENT_JOINED ? process->ring : NULL;
}

/*
 * Whether mrctl has taken so many records.  What it has taken is read only where there seem to be fewer: it writes that
 * from another CPU, again and again.  Where another thread has gone on since, the count may be far behind.
 */
static bool has_taken(struct mr_trace_ring *ring, uint64_t count)
{
	uint64_t taken = atomic_load_explicit(&agent_process->taken, memory_order_acquire);

	if ((int64_t)(taken - count) >= 0)
		return true;
	taken = atomic_load_explicit(&ring->tail, memory_order_acquire);
	atomic_store_explicit(&agent_process->taken, taken, memory_order_release);
	if ((int64_t)(taken - count) < 0)
		return false;
	atomic_store(&agent_process->gone, 0);
	return true;
}

/* Wait while there is hope.  Who listens is asked seldom: that takes system calls that the program may do without. */
static bool wait_until_taken(struct mr_trace_ring *ring, uint64_t count)
{
	uint64_t begin = system_now(), asked = begin, now;

	while (!has_taken(ring, count)) {
		if (atomic_load(&agent_process->gone))
			return false;
		system_pause();
		now = system_now();
		if (now - begin > ms(MR_TRACE_PATIENCE_MS) ||
		    (now - asked > ms(200) && (asked = now, channel_is_refused())))
			atomic_store(&agent_process->gone, 1);
	}
	return true;
}

void ring_put(struct mr_trace_ring *ring, const struct mr_trace_record *record, void *const *frames)
{
	const size_t skip = offsetof(struct mr_trace_record, begin_ns);
	uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
	struct mr_trace_record *slot;

	do {
		if (!wait_until_taken(ring, head + 1 - MR_TRACE_SLOTS)) {
			atomic_fetch_add(&ring->lost, 1);
			return;
		}
	} while (!atomic_compare_exchange_weak(&ring->head, &head, head + 1));
	slot = (void *)((char *)(ring + 1) + (head % MR_TRACE_SLOTS) * agent_process->record_size);
	memcpy((char *)slot + skip, (const char *)record + skip, sizeof(*record) - skip);
	for (uint32_t i = 0; i < record->frame_count; i++)
		((uint64_t *)(slot + 1))[i] = (uintptr_t)frames[i];
	atomic_store_explicit(&slot->ready, head + 1, memory_order_release);
	if (record->flags & MR_TRACE_LOOKED_AT)
		wait_until_taken(ring, head + 1);
}
