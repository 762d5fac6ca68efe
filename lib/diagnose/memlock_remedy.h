/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who set the limit of locked memory, and where it is raised. */
#ifndef LIB_DIAGNOSE_MEMLOCK_REMEDY_H
#define LIB_DIAGNOSE_MEMLOCK_REMEDY_H

#include "lib/diagnose/finding.h"
#include "lib/host/processes.h"

/**
 * mr_memlock_explain() - say in a finding where a limit that is too low came from, and what to do
 * @needed: bytes that would be enough
 */
void mr_memlock_explain(struct mr_host *host, const struct mr_memlock *limit, uint64_t needed,
			struct mr_finding *finding);

#endif
