/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A call that is seen, around the call of the real function.  Between call_begin() and the real function's return
 * the record is on the stack of the caller, so that calls cost no lock and no memory.
 */
#ifndef LIB_TRACE_AGENT_CALL_H
#define LIB_TRACE_AGENT_CALL_H

#include <infiniband/verbs.h>

#include "lib/trace/agent/state.h"
#include "lib/trace/wire/calls.h"
#include "lib/trace/wire/handover.h"

/** A call that is under way. */
struct call {
	int saved; /**< errno before it */
	struct mr_trace_record record;
};

#define CALL_PASTE__(a, b) a##b
#define CALL_PASTE_(a, b)  CALL_PASTE__(a, b)

/** WRAPPER() - the name of the function in the place of @name, and REAL() that of the variable of the real one */
#define WRAPPER(name) CALL_PASTE_(MR_TRACE_WRAPPER, name)
#define REAL(name)    CALL_PASTE_(MR_TRACE_REAL, name)

#define EXPORT        __attribute__((visibility("default")))

/**
 * TRACED() - define a wrapper: a variable for the real function, which the audit library sets, and the function
 * @type: of its result
 * @...:  parameters in parentheses
 */
#define TRACED(type, name, ...)                                                                    \
	EXPORT type(*REAL(name)) __VA_ARGS__;                                                      \
	EXPORT type WRAPPER(name) __VA_ARGS__;                                                     \
	EXPORT type WRAPPER(name) __VA_ARGS__

/** CALLER - where the wrapper is to return to */
#define CALLER (uintptr_t) __builtin_return_address(0)

/**
 * call_begin() - a wrapper was called
 * Return: false where the call is part of another one that is seen: libibverbs calls its own functions.
 */
bool call_begin(struct call *call, enum mr_traced_call number, uintptr_t caller);

/**
 * call_end() - the real function has returned, and the record says what it was about
 * @failed: whether it was refused
 * @result: what it returned, if that is an int
 *
 * errno is what the real function left.
 */
void call_end(struct call *call, bool failed, int result);

/** call_note_device() - note the name of a device, cut */
void call_note_device(struct call *call, const struct ibv_device *device);

/** call_note_context() - note the context, and the device's name */
void call_note_context(struct call *call, const struct ibv_context *context);

/** call_note_pd() - note a protection domain, and its context */
void call_note_pd(struct call *call, const struct ibv_pd *pd);

/** call_note_mr() - note a region's handle and keys, as the object; @mr: NULL: none */
void call_note_mr(struct call *call, const struct ibv_mr *mr);

/** call_note_range() - note a range of memory, and how it may be accessed */
void call_note_range(struct call *call, uint64_t addr, uint64_t length, uint32_t access);

/** call_put_within() - put a record of what libibverbs did within a call, with errno as it was */
void call_put_within(struct mr_trace_record *record);

#endif
