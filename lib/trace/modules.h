/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The files that a process has mapped to run them, kept for the time after its end. */
#ifndef LIB_TRACE_MODULES_H
#define LIB_TRACE_MODULES_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/host/processes.h"

enum { MR_MODULE_MAPPINGS = 65536 /**< mappings of files that are kept at most */ };

struct mr_modules {
	struct mr_mapping *mappings; /**< of files, by ascending address */
	size_t count, capacity;
	bool is_elsewhere; /**< the process may have other files at these paths: its root or mounts are others */
	bool is_stale;      /**< one of them was unmapped: another one may be in its place */
	unsigned int reads; /**< how often they were read: others have come and gone since */
};

/** mr_modules_read() - read them anew; where that fails, the old ones stay */
void mr_modules_read(struct mr_modules *modules, pid_t pid);

/** mr_modules_find() - the mapping that has an address, or NULL */
const struct mr_mapping *mr_modules_find(const struct mr_modules *modules, uint64_t addr);

/** mr_modules_base() - address at which the file of @mapping begins */
uint64_t mr_modules_base(const struct mr_modules *modules, const struct mr_mapping *mapping);

/** mr_modules_print() - write those whose files are at their paths here, too, in the format of /proc/PID/maps */
void mr_modules_print(const struct mr_modules *modules, FILE *stream);

void mr_modules_release(struct mr_modules *modules);

#endif
