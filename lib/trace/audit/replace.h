/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Putting the agent's wrappers in the place of functions. */
#ifndef LIB_TRACE_AUDIT_REPLACE_H
#define LIB_TRACE_AUDIT_REPLACE_H

#include "lib/trace/audit/object.h"

/**
 * replace_symbols() - give an object's functions, for which the agent has wrappers, the addresses of these
 * @which:  that are replaced: those whose names begin with one of these words; NULL at the end
 * @cookie: of the object, by which replace_forget() finds it
 *
 * The object gets a changed copy of its symbol table, before anything is bound to it.  So each way to bind finds
 * the wrapper: PLT, GOT (-fno-plt, address taken), dlsym(), dlvsym(), RTLD_DEEPBIND.  Which object a name is found
 * in, and whether it is found, stays as it is.  A wrapper serves one object at a time: a second copy of a library
 * in the same process keeps its functions.
 */
void replace_symbols(const struct object *agent, const struct object *object,
		     const char *const *which, const uintptr_t *cookie);

/** replace_forget() - an object is about to be unloaded: its wrappers are free for the next copy */
void replace_forget(const struct object *agent, const uintptr_t *cookie);

/**
 * replace_binding() - what libibverbs or a provider is to call in place of @address
 *
 * Return: a wrapper's address, or @address.
 */
uintptr_t replace_binding(const struct object *agent, const char *name, uintptr_t address);

#endif
