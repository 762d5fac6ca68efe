/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the audit library does for the agent (lib/trace/audit, lib/trace/agent).
 *
 * The agent exports each wrapper by the name of the function with a prefix, and a variable for the address of the
 * function in whose place it stands.  The audit library finds both in the agent's symbol table: no relocation of
 * the agent is needed, so that it also works for what is bound before the agent is relocated.
 */
#ifndef LIB_TRACE_WIRE_HANDOVER_H
#define LIB_TRACE_WIRE_HANDOVER_H

#include <stdint.h>

#define MR_TRACE_AGENT "libmrctl-trace.so"
#define MR_TRACE_AUDIT "libmrctl-trace-audit.so"

/** In ASAN_OPTIONS: AddressSanitizer's library ends a program where another one is loaded before it */
#define MR_TRACE_ASAN_OPTION "verify_asan_link_order=0"

/**
 * In GLIBC_TUNABLES: with LD_AUDIT ld.so lays out thread-local storage before it has loaded the program's libraries
 * (elf/rtld.c: init_tls()), so that those of the initial-exec model, as jemalloc's, must fit into what is to spare.
 * It comes out of each thread's stack: this much leaves enough of one of PTHREAD_STACK_MIN bytes.
 */
#define MR_TRACE_TUNABLE_NAME "glibc.rtld.optional_static_tls"
#define MR_TRACE_TUNABLE      MR_TRACE_TUNABLE_NAME "=4096"

/** Before the name of a function that libibverbs, a provider or libc defines: in its place for all that bind to it */
#define MR_TRACE_WRAPPER mr_traced_
/** Before the name of the variable with that function's address */
#define MR_TRACE_REAL mr_real_
/** Before the name of a function that libibverbs and its providers call: in its place for these alone */
#define MR_TRACE_LIBRARY   mr_library_

#define MR_TRACE_QUOTE_(x) #x
/** MR_TRACE_QUOTE() - the text of a prefix */
#define MR_TRACE_QUOTE(x) MR_TRACE_QUOTE_(x)

enum {
	MR_TRACE_ROOMS = 16,
	MR_TRACE_ROOM_BYTES = 1 << 16,
};

/** Memory of the agent, in which the audit library keeps copies of symbol tables.  It has no libc to ask for any. */
struct mr_trace_rooms {
	_Alignas(64) unsigned char bytes[MR_TRACE_ROOMS][MR_TRACE_ROOM_BYTES];
};

/** The agent's function that is told an address of a library which dlclose(3) is about to unmap */
#define MR_TRACE_CLOSING_NAME mr_trace_closing

/** The agent's variable of that type */
#define MR_TRACE_ROOMS_NAME mr_trace_rooms

#endif
