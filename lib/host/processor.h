/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The processors of a host, as far as the speed of registration depends on them. */
#ifndef LIB_HOST_PROCESSOR_H
#define LIB_HOST_PROCESSOR_H

#include "lib/host/root.h"

/** What is not told is empty. */
struct mr_processor {
	char model[128];   /**< "AMD EPYC 9654 96-Core Processor" */
	char governor[32]; /**< of the frequency of the first CPU: "performance" */
	char online[256];  /**< CPUs, as the kernel lists them: "0-191" */
	char nodes[256];   /**< NUMA nodes with memory, likewise */
	char clock[32];    /**< what the kernel reads the time from: "tsc" */
};

/** mr_processor_read() - read /proc/cpuinfo, and what /sys/devices/system tells */
void mr_processor_read(struct mr_host *host, struct mr_processor *processor);

#endif
