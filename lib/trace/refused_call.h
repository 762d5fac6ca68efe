/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A refused call of a traced process, as the diagnosis takes it: all that its record tells. */
#ifndef LIB_TRACE_REFUSED_CALL_H
#define LIB_TRACE_REFUSED_CALL_H

#include "lib/diagnose/causes/refusal.h"
#include "lib/trace/wire/calls.h"
#include "lib/trace/wire/wire.h"

/** A region or another object as it was before the call: what the calls that made and changed it have told. */
struct mr_look_region {
	enum mr_traced_call call;   /**< that registered it */
	uint32_t flags, call_flags; /**< of the record of that call */
	uint64_t addr, length;      /**< as it is now */
	uint64_t iova;
	uint32_t access;
	struct mr_opt_u64 pinned_access; /**< with which its pages were pinned last */
	uint32_t handle;
};

/** What the tracer knows from the calls of the process before this one. */
struct mr_look_context {
	uint64_t registered_bytes; /**< of what is registered now */
	uint64_t registered_count;
	uint64_t most_bytes; /**< that were registered at once */
	const struct mr_look_region *
		region; /**< of a change, deregistration or advice; NULL: its registration was not seen */
	struct mr_opt_u64 dm_length; /**< bytes of the memory on the device that the call is on */
	struct mr_opt_u64 users; /**< of freeing: regions that are in the PD, or on the memory */
	bool has_gone_on;        /**< the process does not wait: it may have changed since */
};

/** What the refusal points to is in here: so it stays where it is. */
struct mr_refused_call {
	struct mr_refusal refusal;
	enum mr_operation operation;
	struct mr_region_request request;
	struct mr_rereg_request rereg;
	struct mr_rereg_failure failure;
	struct mr_advice advice;
	struct mr_advice_range advised;
};

/**
 * mr_refused_call_read() - take a call from its record
 *
 * What is to be found out of the process and its device is left out.
 */
void mr_refused_call_read(const struct mr_trace_record *record,
			  const struct mr_look_context *context, struct mr_refused_call *call);

/** mr_refused_call_complete() - add what the device tells of the call, where it is open in call->refusal.uverbs */
void mr_refused_call_complete(struct mr_refused_call *call);

/** mr_traced_unknown_attributes() - bits of the comp_mask that libibverbs and libmlx5 did not know when mrctl was written */
uint64_t mr_traced_unknown_attributes(const struct mr_trace_record *record);

/**
 * mr_traced_region_call() - the call that registers, as mrctl makes it
 * @flags:      enum mr_trace_flags of the record
 * @call_flags: of the record
 * @same_iova:  the IOVA is the address
 * @call:       set
 *
 * Return: false where the call registers nothing that mrctl could.
 */
bool mr_traced_region_call(enum mr_traced_call traced, uint32_t flags, uint32_t call_flags,
			   bool same_iova, enum mr_region_call *call);

#endif
