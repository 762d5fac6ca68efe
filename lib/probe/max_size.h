/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The largest registration that works, found by trying sizes. */
#ifndef LIB_PROBE_MAX_SIZE_H
#define LIB_PROBE_MAX_SIZE_H

#include <stdint.h>

#include "lib/base/base.h"
#include "lib/probe/context.h"

/** What was found.  Sizes are bytes. */
struct mr_max_size {
	uint64_t cap; /**< no larger size was tried */
	const char
		*cap_by; /**< what the cap was derived from: "MemAvailable"; NULL: it was given */
	struct mr_opt_u64 size;    /**< the largest that worked */
	struct mr_opt_u64 refused; /**< the smallest that was refused; not known: none was */
	struct mr_error err;       /**< what ended the search, with its call and errno */
	const char *limit; /**< that was exceeded, by its figure: "RLIMIT_MEMLOCK"; or NULL */
	uint64_t tries;
	uint64_t elapsed_ns; /**< in all */
};

/**
 * mr_max_size_find() - find the largest region of ordinary memory that can be registered
 * @cap: bytes, of which 15/16 of what is available are used at most (mr_available_read()); not known: half of it
 * @step: called before each try with the bytes it takes, to show progress
 *
 * The search ends early where a region cannot be deregistered, because its pages stay pinned until the device is
 * closed, and where the device fails (EIO) or has gone (ENODEV), which tells nothing of a size.
 *
 * Sizes are doubled from a page on, up to one that is refused or the cap.  Then the gap is halved until it is
 * a page, or 1/1024 of the size.  Each try maps new memory, registers, deregisters and unmaps it.
 *
 * Return: 0; -errno with MR_ERROR_HOST where no cap can be derived.
 */
int mr_max_size_find(struct mr_probe *probe, struct mr_opt_u64 cap,
		     void (*step)(uint64_t bytes, void *data), void *data,
		     struct mr_max_size *found, struct mr_error *err);

#endif
