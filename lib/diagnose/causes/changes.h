/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What causes ask of the change of a region. */
#ifndef LIB_DIAGNOSE_CAUSES_CHANGES_H
#define LIB_DIAGNOSE_CAUSES_CHANGES_H

#include <string.h>

#include "lib/diagnose/causes/inquiry.h"

/** mr_change_reached_kernel() - whether the errno is that of the kernel: no code of libibverbs tells otherwise */
static inline bool mr_change_reached_kernel(const struct mr_inquiry *inquiry)
{
	const struct mr_rereg_failure *failure = inquiry->refusal->rereg_failure;

	return !failure || !failure->code || !strcmp(failure->code, "IBV_REREG_MR_ERR_CMD");
}

/** mr_changes_memory() - whether the region is to have other memory */
static inline bool mr_changes_memory(const struct mr_rereg_request *rereg)
{
	return rereg->changes & MR_CHANGE_TRANSLATION;
}

#endif
