/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks of what this process may pin, as struct mr_check has them. */
#ifndef LIB_DIAGNOSE_LIMITS_H
#define LIB_DIAGNOSE_LIMITS_H

#include "lib/diagnose/finding.h"

void mr_check_memlock(const struct mr_question *question, struct mr_finding *finding);
void mr_check_ipc_lock(const struct mr_question *question, struct mr_finding *finding);
void mr_check_user_namespace(const struct mr_question *question, struct mr_finding *finding);
void mr_check_pinned(const struct mr_question *question, struct mr_finding *finding);

#endif
