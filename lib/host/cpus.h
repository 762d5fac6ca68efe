/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* CPUs: which the kernel has numbers for, and which this thread may run on. */
#ifndef LIB_HOST_CPUS_H
#define LIB_HOST_CPUS_H

#include "lib/base/base.h"
#include "lib/host/root.h"

/** Lists of CPUs, as the kernel writes them: "0-3,8". */
struct mr_cpus {
	char possible[256]; /**< /sys/devices/system/cpu/possible; empty: not known */
	char allowed[256];  /**< Cpus_allowed_list of this thread; empty: not known */
};

/** mr_cpus_read() - read the lists; what cannot be read, or is longer than there is room, becomes empty */
void mr_cpus_read(struct mr_host *host, struct mr_cpus *cpus);

/** mr_cpu_list_has() - whether a list has a CPU; MR_UNKNOWN: the list is empty, or is none */
enum mr_tristate mr_cpu_list_has(const char *list, uint64_t cpu);

/** mr_cpu_list_ends_before() - whether all CPUs of a list have lower numbers; MR_UNKNOWN as above */
enum mr_tristate mr_cpu_list_ends_before(const char *list, uint64_t cpu);

#endif
