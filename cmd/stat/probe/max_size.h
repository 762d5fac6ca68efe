/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CMD_STAT_PROBE_MAX_SIZE_H
#define CMD_STAT_PROBE_MAX_SIZE_H

#include "cmd/region/region.h"
#include "lib/probe/probe.h"

/**
 * probe_max_size() - find the largest registration that works, showing progress
 * @cap: as of mr_max_size_find()
 *
 * Return: 0, or -errno as mr_max_size_find().
 */
int probe_max_size(struct answer *answer, struct mr_probe *probe, struct mr_opt_u64 cap,
		   struct mr_max_size *found, struct mr_error *err);

/**
 * probe_max_size_print() - print what was found as an object of the document, or as lines
 * @found: NULL: nothing could be tried
 */
void probe_max_size_print(struct answer *answer, const struct mr_max_size *found);

#endif
