// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <execinfo.h>
#include <string.h>

#include "lib/trace/agent/call.h"
#include "lib/trace/agent/channel.h"
#include "lib/trace/agent/devx.h"
#include "lib/trace/agent/ring.h"
#include "lib/trace/agent/system.h"
#include "lib/trace/wire/likeness.h"

/* lib/sim/preload: bytes that simulated devices have pinned, which no file of /proc tells; NULL without them */
extern uint64_t mrctl_sim_pinned(void) __attribute__((weak));

enum {
	OWN_FRAMES = 6,             /* of the agent, at most, on top of a backtrace */
	LOOKS_OF_KIND = 3,          /* refusals that are alike and that mrctl looks at */
	LOOKS_OF_OTHER_RANGES = 16, /* more of them, each of another range */
};

bool call_begin(struct call *call, enum mr_traced_call number, uintptr_t caller)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	/*
	 * The stack grows down: an outer call that lies below has been left by siglongjmp() or an exception.
	 */
	if (agent_thread.outermost && here < agent_thread.outermost)
		return false;
	agent_thread.outermost = here;
	agent_thread.kernel_calls = 0;
	agent_thread.kernel_errnum = 0;
	memset(&call->record, 0, sizeof(call->record));
	call->record.call = number;
	call->record.caller = caller;
	call->saved = errno;
	errno = 0;
	call->record.begin_ns = system_now();
	return true;
}

/* 0: not known */
static uint32_t own_tid(void)
{
	if (agent_thread.pid != agent_process->pid && !agent_is_filtered) {
		agent_thread.pid = agent_process->pid;
		agent_thread.tid = (pid_t)SYSTEM(SYS_gettid);
	}
	return (uint32_t)agent_thread.tid;
}

/* The refusals of a kind; NULL: there are too many kinds. */
static struct agent_refusal *refusals_of(uint64_t kind)
{
	for (uint64_t i = 0; i < AGENT_REFUSALS; i++) {
		struct agent_refusal *refusal =
			&agent_process->refusals[(kind + i) % AGENT_REFUSALS];
		uint64_t found = 0;

		if (atomic_compare_exchange_strong(&refusal->kind, &found, kind) || found == kind)
			return refusal;
	}
	return NULL;
}

/* Whether mrctl has not looked at so many refusals of a kind yet; one more counts as looked at. */
static bool take_look(struct agent_refusal *refusal, uint32_t most)
{
	return refusal && atomic_load(&refusal->looks) < most &&
	       atomic_fetch_add(&refusal->looks, 1) < most;
}

/*
 * A program's library makes all its calls in one place, and asks for the same access to any memory: so other memory is
 * looked at, too, which may be refused for another reason.
 */
static bool is_worth_a_look(const struct mr_trace_record *record)
{
	uint64_t alike;
	struct agent_refusal *like, *others;
	bool first;

	if (!record->errnum)
		return false;
	alike = mr_trace_mix(mr_trace_likeness(record), record->caller);
	like = refusals_of(alike);
	if (!like)
		return false;
	first = take_look(like, LOOKS_OF_KIND);
	others = refusals_of(mr_trace_mix(alike, 0));
	if (!first && (!others || atomic_load(&others->looks) >= LOOKS_OF_OTHER_RANGES))
		return false;
	if (!take_look(refusals_of(mr_trace_range_likeness(record, alike)), 1))
		return first;
	return first || take_look(others, LOOKS_OF_OTHER_RANGES);
}

/* Return addresses from the caller's on; their number. */
static uint32_t backtrace_from(uint64_t caller, void **frames, void **first[])
{
	int count = backtrace(frames, MR_TRACE_FRAMES + OWN_FRAMES), skipped = 0;

	while (skipped < count && skipped < OWN_FRAMES && (uintptr_t)frames[skipped] != caller)
		skipped++;
	if (skipped == count || skipped == OWN_FRAMES)
		return 0;
	*first = frames + skipped;
	count -= skipped;
	return (uint32_t)count < agent_process->frames ? (uint32_t)count : agent_process->frames;
}

/* That reads /proc, so only where mrctl looks. */
static void note_pinned(struct mr_trace_record *record)
{
	if (!mrctl_sim_pinned)
		return;
	record->pinned = mrctl_sim_pinned();
	record->flags |= MR_TRACE_HAS_PINNED;
}

static void put(struct mr_trace_record *record)
{
	struct mr_trace_ring *ring = ring_of_process();
	void *frames[MR_TRACE_FRAMES + OWN_FRAMES], **first = frames;

	if (!ring)
		return;
	record->tid = own_tid();
	record->flags |= (agent_kernel_seen ? (uint32_t)MR_TRACE_KERNEL_SEEN : 0) |
			 (agent_fork_safe ? (uint32_t)MR_TRACE_FORK_SAFE : 0);
	if (agent_process->frames)
		record->frame_count = backtrace_from(record->caller, frames, &first);
	if (is_worth_a_look(record)) {
		record->flags |= MR_TRACE_LOOKED_AT;
		note_pinned(record);
		devx_note(record);
	}
	ring_put(ring, record, first);
}

void call_end(struct call *call, bool failed, int result)
{
	struct mr_trace_record *record = &call->record;
	int left = errno;

	record->elapsed_ns = system_now() - record->begin_ns;
	record->result = result;
	if (failed)
		record->errnum = result > 0 ? result : left ? left : MR_TRACE_NO_ERRNO;
	record->kernel_calls = agent_thread.kernel_calls;
	record->kernel_errnum = agent_thread.kernel_errnum;
	put(record);
	agent_thread.outermost = 0;
	errno = left ? left : call->saved;
}

void call_put_within(struct mr_trace_record *record)
{
	int saved = errno;

	put(record);
	errno = saved;
}

void call_note_device(struct call *call, const struct ibv_device *device)
{
	char *to = call->record.device;

	for (size_t i = 0; i < sizeof(call->record.device) - 1 && device->name[i]; i++)
		to[i] = device->name[i];
}

void call_note_context(struct call *call, const struct ibv_context *context)
{
	call->record.context = (uintptr_t)context;
	if (context)
		call_note_device(call, context->device);
}

void call_note_pd(struct call *call, const struct ibv_pd *pd)
{
	call->record.pd = (uintptr_t)pd;
	if (!pd)
		return;
	call->record.pd_handle = pd->handle;
	call_note_context(call, pd->context);
}

void call_note_mr(struct call *call, const struct ibv_mr *mr)
{
	call->record.object = (uintptr_t)mr;
	if (!mr)
		return;
	call->record.lkey = mr->lkey;
	call->record.rkey = mr->rkey;
	call->record.handle = mr->handle;
}

void call_note_range(struct call *call, uint64_t addr, uint64_t length, uint32_t access)
{
	call->record.addr = addr;
	call->record.length = length;
	call->record.access = access;
}
