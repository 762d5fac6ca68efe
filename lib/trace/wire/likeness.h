/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which refusals are alike: those of calls that asked for the same, but for the range and the objects. */
#ifndef LIB_TRACE_WIRE_LIKENESS_H
#define LIB_TRACE_WIRE_LIKENESS_H

#include "lib/trace/wire/wire.h"

/** mr_trace_mix() - a number that hardly another pair of numbers has, and that is not 0 */
static inline uint64_t mr_trace_mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	hash ^= hash >> 32;
	return hash ? hash : 1;
}

/** mr_trace_likeness() - a number that is equal for refusals that are alike */
static inline uint64_t mr_trace_likeness(const struct mr_trace_record *call)
{
	const uint32_t request =
		MR_TRACE_HAS_IOVA | MR_TRACE_HAS_PAGE_SIZES | MR_TRACE_HAS_DMAH | MR_TRACE_HAS_FD;
	/* No other length or range is refused for itself. */
	const uint32_t odd = call->length ? call->addr + call->length < call->addr : 2;
	uint64_t hash = mr_trace_mix(call->call, (uint32_t)call->errnum);

	hash = mr_trace_mix(hash, call->access);
	hash = mr_trace_mix(hash, call->call_flags);
	hash = mr_trace_mix(hash, call->flags & request);
	hash = mr_trace_mix(hash, call->page_sizes);
	return mr_trace_mix(hash, odd);
}

/** mr_trace_range_likeness() - the same for refusals of one range: where @likeness is equal, and the range as well */
static inline uint64_t mr_trace_range_likeness(const struct mr_trace_record *call,
					       uint64_t likeness)
{
	return mr_trace_mix(mr_trace_mix(likeness, call->addr), call->length);
}

#endif
