/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What tries of a refused call tell of its causes. */
#ifndef LIB_DIAGNOSE_CAUSES_WEIGH_H
#define LIB_DIAGNOSE_CAUSES_WEIGH_H

#include "lib/diagnose/causes/cause.h"
#include "lib/diagnose/causes/tries.h"

/**
 * mr_tries_weigh() - let tries speak for a cause, or against it
 *
 * A cause is likely where a change that cures it passes.  It is ruled out where all such changes are refused as
 * before, unless it is certain: a call can be refused for two reasons at once.  Where the same call passes now,
 * nothing is more than possible.
 */
void mr_tries_weigh(const struct mr_tries *tries, struct mr_suspicion *suspicion);

#endif
