/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks of the group "control groups". */
#ifndef LIB_DIAGNOSE_CGROUPS_H
#define LIB_DIAGNOSE_CGROUPS_H

#include "lib/diagnose/finding.h"

/** mr_check_rdma_cgroup() - MR-CGROUP-RDMA: RDMA objects */
void mr_check_rdma_cgroup(const struct mr_question *question, struct mr_finding *finding);

/** mr_check_memory_cgroup() - MR-CGROUP-MEMORY: memory */
void mr_check_memory_cgroup(const struct mr_question *question, struct mr_finding *finding);

/** mr_check_hugetlb_cgroup() - MR-CGROUP-HUGETLB: huge pages */
void mr_check_hugetlb_cgroup(const struct mr_question *question, struct mr_finding *finding);

#endif
