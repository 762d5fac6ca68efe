/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of addresses in programs, by libdw of elfutils: function, and file and line where there is debugging
 * information.  The library is loaded when the first name is asked for, as no other command needs it.
 */
#ifndef LIB_TRACE_PLACES_H
#define LIB_TRACE_PLACES_H

#include "lib/trace/modules.h"

/** What names the addresses of one process. */
struct mr_places;

/**
 * mr_places_new() - get ready to name addresses of a process, which may have ended
 * Return: NULL where memory is short, or libdw is not installed: then a name is that of the file.
 */
struct mr_places *mr_places_new(const struct mr_modules *modules);

/**
 * mr_places_name() - the name of the place that a call was made from
 * @places: or NULL
 * @caller: return address of the call
 *
 * Return: "function (file.c:12)", "function+0x1a (libfoo.so.1)", "libfoo.so.1+0x121a", or the address, to be freed; NULL where
 * memory is short.
 */
char *mr_places_name(struct mr_places *places, const struct mr_modules *modules, uint64_t caller);

void mr_places_free(struct mr_places *places);

/** mr_places_package() - "libdw1", where that is missing; NULL: it is there */
const char *mr_places_package(void);

/** mr_places_is_header() - whether a caller is in a function of a header of rdma-core that is not part of another one */
bool mr_places_is_header(struct mr_places *places, uint64_t caller);

#endif
