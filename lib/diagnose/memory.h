/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks of the group "memory". */
#ifndef LIB_DIAGNOSE_MEMORY_H
#define LIB_DIAGNOSE_MEMORY_H

#include "lib/diagnose/finding.h"

/** mr_check_available() - MR-AVAILABLE: whether there is as much memory as is planned */
void mr_check_available(const struct mr_question *question, struct mr_finding *finding);

/** mr_check_map_count() - MR-MAP-COUNT: whether mappings run out (mm/mmap.c split_vma()) */
void mr_check_map_count(const struct mr_question *question, struct mr_finding *finding);

/** mr_check_huge_pages() - MR-HUGEPAGES: pools of huge pages by size and NUMA node */
void mr_check_huge_pages(const struct mr_question *question, struct mr_finding *finding);

/** mr_check_thp() - MR-THP: transparent huge pages */
void mr_check_thp(const struct mr_question *question, struct mr_finding *finding);

/** mr_check_cma() - MR-CMA: memory that cannot stay pinned (mm/gup.c check_and_migrate_movable_pages()) */
void mr_check_cma(const struct mr_question *question, struct mr_finding *finding);

#endif
