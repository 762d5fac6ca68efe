/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The host's fingerprint: what figures of two runs must have in common to be compared. */
#ifndef CMD_BENCH_HOST_H
#define CMD_BENCH_HOST_H

#include "cmd/output/fields.h"
#include "lib/host/processor.h"
#include "lib/host/rdma_device.h"

struct bench_host {
	struct mr_processor processor;
	char thp[32];
	char iommu[32];
	char driver[64];
	bool fork_safe, huge_pages_safe;
	struct mr_opt_u64 memory_total, memory_available, device_numa_node;
};

extern const struct record bench_host_record;

/** bench_host_read() - fill it in; @device: the first one that is measured */
void bench_host_read(struct bench_host *host, const char *device);

#endif
