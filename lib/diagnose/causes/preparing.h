/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_DIAGNOSE_CAUSES_PREPARING_H
#define LIB_DIAGNOSE_CAUSES_PREPARING_H

#include "lib/diagnose/causes/cause.h"

/** mr_suspect_shortage() - suspect a limit, where it is the one by which mmap(2) has failed */
void mr_suspect_shortage(const struct mr_inquiry *inquiry, enum mr_shortage_kind kind,
			 enum mr_certainty certainty, struct mr_suspicion *suspicion);

#endif
