/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A refused call of a traced process, as the diagnosis takes it: all that its record tells. */
#ifndef LIB_TRACE_REFUSED_CALL_H
#define LIB_TRACE_REFUSED_CALL_H

#include "lib/diagnose/causes/refusal.h"
#include "lib/trace/look.h"

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

/**
 * mr_traced_region_call() - the call that registers, as mrctl makes it
 * @flags:      enum mr_trace_flags of the record
 * @call_flags: of the record
 * @same_iova:  the IOVA is the address
 * @request:    set
 *
 * Return: false where the call registers nothing that mrctl could.
 */
bool mr_traced_region_call(enum mr_traced_call traced, uint32_t flags, uint32_t call_flags,
			   bool same_iova, enum mr_region_call *call);

#endif
