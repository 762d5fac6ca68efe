/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a program had registered before it was refused, and the limit of locked memory for it. */
#ifndef LIB_TRACE_REPRODUCTION_EARLIER_H
#define LIB_TRACE_REPRODUCTION_EARLIER_H

#include <stdio.h>

#include "lib/trace/reproduction/reproduced.h"

/**
 * mr_earlier_matter() - whether what was registered before decides: memory is short, or a limit is reached
 *
 * Regions with on-demand paging alone pin nothing.
 */
bool mr_earlier_matter(const struct mr_reproduced *it);

/** mr_earlier_print() - lines that pin as much, in as many regions */
void mr_earlier_print(FILE *file, const struct mr_reproduced *it);

/** mr_earlier_are_beyond_limit() - whether more was pinned than the limit allows: it was raised then, or did not count */
bool mr_earlier_are_beyond_limit(const struct mr_look *look);

/**
 * mr_earlier_limit_differs() - whether the limit of the batch changes the answer
 *
 * It allows what was refused, or refuses what it was not that for.
 */
bool mr_earlier_limit_differs(const struct mr_reproduced *it);

/**
 * mr_earlier_limit() - the limit of locked memory to run a batch with, bytes
 * Return: that of the first refusal by a limit, or the first one that counted at all; UINT64_MAX: none did.
 */
uint64_t mr_earlier_limit(const struct mr_refusals *refusals);

#endif
