/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks of what control groups allow, as struct mr_check has them. */
#ifndef LIB_DIAGNOSE_CGROUPS_H
#define LIB_DIAGNOSE_CGROUPS_H

#include "lib/diagnose/finding.h"

void mr_check_rdma_cgroup(const struct mr_question *question, struct mr_finding *finding);
void mr_check_memory_cgroup(const struct mr_question *question, struct mr_finding *finding);
void mr_check_hugetlb_cgroup(const struct mr_question *question, struct mr_finding *finding);

#endif
