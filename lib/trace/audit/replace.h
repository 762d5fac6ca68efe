/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Putting the agent's wrappers in the place of functions: an object gets a changed copy of its symbol table, before
 * anything is bound to it.  So each way to bind finds the wrapper: PLT, GOT (-fno-plt, address taken), dlsym(),
 * dlvsym(), RTLD_DEEPBIND.  Which object a name is found in, and whether it is found, stays as it is.
 */
#ifndef LIB_TRACE_AUDIT_REPLACE_H
#define LIB_TRACE_AUDIT_REPLACE_H

#include "lib/trace/audit/object.h"

/** An object, while wrappers are put in the place of its functions. */
struct replacement {
	const struct object *agent;
	struct object object;
	const uintptr_t *cookie; /**< of the object */
	size_t strings_used;     /**< bytes of its copied strings */
	bool copied;             /**< it has a symbol table of its own */
	bool failed;             /**< there is no room for one */
};

/**
 * replace_functions() - give functions that an object defines the addresses of the agent's wrappers
 * @which: that are replaced: those whose names begin with one of these words; NULL at the end
 *
 * A wrapper serves one object at a time: a second copy of a library in the same process keeps its functions.
 */
void replace_functions(struct replacement *replacement, const char *const *which);

/** replace_references() - let what an object calls of libc, and the agent has wrappers for, be these wrappers */
void replace_references(struct replacement *replacement);

/** replace_forget() - an object is about to be unloaded: its wrappers are free for the next copy */
void replace_forget(const struct object *agent, const uintptr_t *cookie);

#endif
