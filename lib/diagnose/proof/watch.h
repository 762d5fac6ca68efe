/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Watching what functions of the kernel return to this thread.
 *
 * Each function has a return probe of perf_event_open(2) (the PMU "kprobe").  Such a probe belongs to its
 * descriptor: it sees this thread only, has no name that others could see or meet, and is gone with the process,
 * however that ends.  So nothing of tracefs, which all users share, is touched.
 */
#ifndef LIB_DIAGNOSE_PROOF_WATCH_H
#define LIB_DIAGNOSE_PROOF_WATCH_H

#include <stddef.h>

#include "lib/base/base.h"
#include "lib/diagnose/proof/functions.h"

/** A function that has returned. */
struct mr_return {
	unsigned int function; /**< index in mr_kernel_functions */
	uint64_t value;        /**< the register of return values */
	uint64_t stack; /**< the stack pointer of the caller: of callers further out it is higher */
};

/** A probe of one function. */
struct mr_kprobe {
	const char *function;
	bool at_entry; /**< of its entry; else of its return */
	/** A BPF program takes what it sees, of all processes on all processors; else it records calls of this thread. */
	bool by_program;
};

/**
 * mr_kprobe_type() - find the PMU of probes, and see whether they work
 * @type: set, for mr_kprobe_open()
 *
 * Return: 0, or -errno with MR_ERROR_HOST and a hint: only root may, the kernel has no such probes or does not
 * allow them, or they do not record.
 */
int mr_kprobe_type(uint64_t *type, struct mr_error *err);

/** mr_kprobe_open() - put up a probe.  Return: its descriptor; -1 with errno, ENOENT: there is no such function. */
int mr_kprobe_open(uint64_t type, const struct mr_kprobe *probe);

/** mr_kprobe_fail() - explain why no probe at all could be put up.  Return: -@errnum. */
int mr_kprobe_fail(int errnum, struct mr_error *err);

/** The probes.  All zero: none stands. */
struct mr_watch {
	int probes
		[MR_KERNEL_FUNCTIONS_MAX]; /**< descriptors; -1: the kernel has no such function */
	uint64_t ids[MR_KERNEL_FUNCTIONS_MAX];
	void *buffer;  /**< shared with the kernel; NULL: no probe stands */
	uint64_t mark; /**< where the records of the current call begin */
};

/** mr_watch_begin() - put up probes of functions that the kernel has.  Return: as of mr_kprobe_type(). */
int mr_watch_begin(struct mr_watch *watch, struct mr_error *err);

/** mr_watch_end() - remove the probes, where some stand */
void mr_watch_end(struct mr_watch *watch);

/** mr_watch_mark() - forget what has returned so far */
void mr_watch_mark(struct mr_watch *watch);

/**
 * mr_watch_read() - what has returned since the mark
 * @returns: set to the last ones, the newest first
 *
 * Return: how many there are, at most @max.
 */
size_t mr_watch_read(const struct mr_watch *watch, struct mr_return *returns, size_t max);

/** mr_watch_has() - whether a function, by its index, is watched */
static inline bool mr_watch_has(const struct mr_watch *watch, unsigned int function)
{
	return watch->buffer && watch->probes[function] >= 0;
}

#endif
