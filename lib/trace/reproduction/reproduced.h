/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A kind of refusal, as lines of a batch are made of it. */
#ifndef LIB_TRACE_REPRODUCTION_REPRODUCED_H
#define LIB_TRACE_REPRODUCTION_REPRODUCED_H

#include <stdbool.h>

#include "lib/trace/refusals.h"
#include "lib/verbs/verbs.h"

struct mr_reproduced {
	const struct mr_refusal_kind *kind;
	const struct mr_trace_record *record;
	const struct mr_look *look; /**< or NULL */
	enum mr_region_call call;   /**< of a registration */
	bool registers;
	uint64_t
		limit; /**< of locked memory, bytes, with which the batch is to be run; UINT64_MAX: none */
};

/**
 * mr_reproduced_is_beyond_all() - whether the last page of a range is at the end of all addresses, or beyond it
 *
 * What is mapped does not matter then.
 */
bool mr_reproduced_is_beyond_all(const struct mr_traced_range *range);

/**
 * mr_reproduced_call_before() - the call that registered the region which is changed
 * Return: false where it is none that mrctl makes.
 */
bool mr_reproduced_call_before(const struct mr_reproduced *it, enum mr_region_call *call);

#endif
