// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>

#include "cmd/bench/host.h"
#include "lib/host/fork.h"
#include "lib/host/huge_pages.h"
#include "lib/host/live.h"
#include "lib/host/meminfo.h"
#include "lib/host/pci.h"

static const struct field bench_host_fields[] = {
	FIELD_AS("cpu", struct bench_host, processor.model, FIELD_TEXT, 0, "model of the CPUs"),
	FIELD_AS("cpus", struct bench_host, processor.online, FIELD_TEXT, 0,
		 "CPUs that are online"),
	FIELD_AS("governor", struct bench_host, processor.governor, FIELD_TEXT, 0,
		 "what governs the frequency of CPU 0"),
	FIELD_AS("numa_nodes", struct bench_host, processor.nodes, FIELD_TEXT, 0,
		 "NUMA nodes that have memory"),
	FIELD_AS("clock", struct bench_host, processor.clock, FIELD_TEXT, 0,
		 "what the kernel reads the time from"),
	FIELD(struct bench_host, driver, FIELD_TEXT, 0, "the kernel's driver of the device"),
	FIELD(struct bench_host, device_numa_node, FIELD_NUMBER, 0, "NUMA node of the device"),
	FIELD(struct bench_host, iommu, FIELD_TEXT, 0, "type of the device's IOMMU group, or none"),
	FIELD(struct bench_host, thp, FIELD_TEXT, 0, "transparent huge pages"),
	FIELD(struct bench_host, memory_total, FIELD_NUMBER, FIELD_IEC, "bytes of memory"),
	FIELD(struct bench_host, memory_available, FIELD_NUMBER, FIELD_IEC,
	      "bytes of it that were available before the measurement"),
	FIELD(struct bench_host, fork_safe, FIELD_BOOL, 0,
	      "whether the environment asks libibverbs for fork protection"),
	FIELD(struct bench_host, huge_pages_safe, FIELD_BOOL, 0,
	      "whether RDMAV_HUGEPAGES_SAFE is set"),
	FIELD_END,
};
const struct record bench_host_record = { "host", bench_host_fields, NULL };

/* A simulated device has no place on a bus. */
static void read_device(struct bench_host *host, const char *name)
{
	struct mr_rdma_device device;
	struct mr_iommu iommu;

	mr_rdma_device_read_place(mr_this_host(), name, &device);
	snprintf(host->driver, sizeof(host->driver), "%s", device.driver);
	host->device_numa_node = device.numa_node;
	if (!device.pci_address[0])
		return;
	mr_iommu_read(mr_this_host(), device.pci_address, &iommu);
	snprintf(host->iommu, sizeof(host->iommu), "%s", iommu.group[0] ? iommu.type : "none");
}

void bench_host_read(struct bench_host *host, const char *device)
{
	struct mr_meminfo memory;
	struct mr_fork fork;

	*host = (struct bench_host){ .thp = "" };
	mr_processor_read(mr_this_host(), &host->processor);
	if (!mr_meminfo_read(mr_this_host(), &memory)) {
		host->memory_total = memory.total;
		host->memory_available = memory.available;
	}
	if (mr_thp_mode(mr_this_host(), host->thp, sizeof(host->thp)))
		host->thp[0] = '\0';
	mr_fork_read(mr_this_host(), &fork);
	host->fork_safe = fork.is_asked;
	host->huge_pages_safe = fork.huge_pages;
	read_device(host, device);
}
