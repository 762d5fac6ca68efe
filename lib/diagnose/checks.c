// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of checks: a new one has its function in the file of its group, and its row here. */
#include "lib/diagnose/access.h"
#include "lib/diagnose/cgroups.h"
#include "lib/diagnose/checks.h"
#include "lib/diagnose/devices.h"
#include "lib/diagnose/kernel.h"
#include "lib/diagnose/limits.h"
#include "lib/diagnose/memory.h"

const struct mr_check mr_checks[] = {
	{ "MR-MEMLOCK", "limit of locked memory", "limits",
	  MR_CAN(OK) | MR_CAN(UNKNOWN) | MR_CAN(WARN) | MR_CAN(BAD), mr_check_memlock },
	{ "MR-IPC-LOCK", "CAP_IPC_LOCK", "limits",
	  MR_CAN(NA) | MR_CAN(OK) | MR_CAN(UNKNOWN) | MR_CAN(WARN), mr_check_ipc_lock },
	{ "MR-USERNS", "user namespace", "limits", MR_CAN(OK) | MR_CAN(UNKNOWN) | MR_CAN(WARN),
	  mr_check_user_namespace },
	{ "MR-PINNED", "pinned memory", "limits",
	  MR_CAN(NA) | MR_CAN(OK) | MR_CAN(UNKNOWN) | MR_CAN(WARN), mr_check_pinned },
	{ "MR-DESCRIPTORS", "open files", "limits", MR_CAN(OK) | MR_CAN(UNKNOWN) | MR_CAN(BAD),
	  mr_check_descriptors },
	{ "MR-ADDRESS-SPACE", "address space of a process", "limits",
	  MR_CAN(OK) | MR_CAN(UNKNOWN) | MR_CAN(BAD), mr_check_address_space },

	{ "MR-CGROUP-RDMA", "RDMA objects of the control group", "control groups",
	  MR_CAN(NA) | MR_CAN(OK) | MR_CAN(UNKNOWN) | MR_CAN(WARN) | MR_CAN(BAD),
	  mr_check_rdma_cgroup },
	{ "MR-CGROUP-MEMORY", "memory of the control group", "control groups",
	  MR_CAN(NA) | MR_CAN(OK) | MR_CAN(UNKNOWN) | MR_CAN(WARN) | MR_CAN(BAD),
	  mr_check_memory_cgroup },
	{ "MR-CGROUP-HUGETLB", "huge pages of the control group", "control groups",
	  MR_CAN(NA) | MR_CAN(OK) | MR_CAN(UNKNOWN) | MR_CAN(WARN) | MR_CAN(BAD),
	  mr_check_hugetlb_cgroup },

	{ "MR-NODE", "nodes of devices in /dev", "access",
	  MR_CAN(NA) | MR_CAN(OK) | MR_CAN(UNKNOWN) | MR_CAN(WARN) | MR_CAN(BAD), mr_check_node },
	{ "MR-NODE-ACCESS", "permission to open nodes", "access",
	  MR_CAN(NA) | MR_CAN(OK) | MR_CAN(UNKNOWN) | MR_CAN(WARN) | MR_CAN(BAD),
	  mr_check_node_access },
	{ "MR-SANDBOX", "sandbox", "access",
	  MR_CAN(NA) | MR_CAN(OK) | MR_CAN(UNKNOWN) | MR_CAN(BAD), mr_check_sandbox },
	{ "MR-SELINUX", "SELinux", "access",
	  MR_CAN(NA) | MR_CAN(OK) | MR_CAN(UNKNOWN) | MR_CAN(WARN), mr_check_selinux },
	{ "MR-NETNS", "network namespaces of devices", "access",
	  MR_CAN(NA) | MR_CAN(OK) | MR_CAN(UNKNOWN) | MR_CAN(BAD), mr_check_netns },

	{ "MR-AVAILABLE", "memory available", "memory",
	  MR_CAN(OK) | MR_CAN(UNKNOWN) | MR_CAN(WARN) | MR_CAN(BAD), mr_check_available },
	{ "MR-MAP-COUNT", "mappings of a process", "memory",
	  MR_CAN(OK) | MR_CAN(UNKNOWN) | MR_CAN(WARN) | MR_CAN(BAD), mr_check_map_count },
	{ "MR-HUGEPAGES", "huge pages", "memory",
	  MR_CAN(NA) | MR_CAN(OK) | MR_CAN(UNKNOWN) | MR_CAN(BAD), mr_check_huge_pages },
	{ "MR-THP", "transparent huge pages", "memory",
	  MR_CAN(NA) | MR_CAN(OK) | MR_CAN(UNKNOWN) | MR_CAN(WARN), mr_check_thp },
	{ "MR-CMA", "memory of the contiguous allocator", "memory",
	  MR_CAN(NA) | MR_CAN(OK) | MR_CAN(UNKNOWN) | MR_CAN(WARN) | MR_CAN(BAD), mr_check_cma },
	{ "MR-KERNEL", "release of the kernel", "kernel",
	  MR_CAN(NA) | MR_CAN(OK) | MR_CAN(UNKNOWN) | MR_CAN(WARN), mr_check_kernel },
	{ "MR-KERNEL-CONFIG", "options of the kernel", "kernel",
	  MR_CAN(NA) | MR_CAN(OK) | MR_CAN(UNKNOWN) | MR_CAN(WARN) | MR_CAN(BAD),
	  mr_check_kernel_config },
	{ "MR-MODULES", "RDMA modules", "kernel",
	  MR_CAN(NA) | MR_CAN(OK) | MR_CAN(UNKNOWN) | MR_CAN(WARN) | MR_CAN(BAD),
	  mr_check_modules },
	{ "MR-PEER-MEMORY", "memory of GPUs", "kernel",
	  MR_CAN(NA) | MR_CAN(OK) | MR_CAN(UNKNOWN) | MR_CAN(WARN) | MR_CAN(BAD),
	  mr_check_peer_memory },
	{ "MR-UDMABUF", "dma-bufs of memory, to try with", "kernel",
	  MR_CAN(NA) | MR_CAN(OK) | MR_CAN(UNKNOWN), mr_check_udmabuf },
	{ "MR-DMA-HEAP", "dma-bufs of a heap, to try with", "kernel",
	  MR_CAN(NA) | MR_CAN(OK) | MR_CAN(UNKNOWN), mr_check_dma_heap },
	{ "MR-FORK", "fork of a process with regions", "kernel",
	  MR_CAN(NA) | MR_CAN(OK) | MR_CAN(UNKNOWN) | MR_CAN(WARN), mr_check_fork },
	{ "MR-DEVICE", "RDMA devices", "devices",
	  MR_CAN(OK) | MR_CAN(UNKNOWN) | MR_CAN(WARN) | MR_CAN(BAD), mr_check_device },
	{ "MR-PORT", "ports", "devices", MR_CAN(NA) | MR_CAN(OK) | MR_CAN(UNKNOWN) | MR_CAN(WARN),
	  mr_check_port },
	{ "MR-ODP", "on-demand paging", "devices",
	  MR_CAN(NA) | MR_CAN(OK) | MR_CAN(UNKNOWN) | MR_CAN(WARN), mr_check_odp },
	{ "MR-MAX-MR", "size of a region", "devices",
	  MR_CAN(NA) | MR_CAN(OK) | MR_CAN(UNKNOWN) | MR_CAN(BAD), mr_check_max_mr },
	{ "MR-FW-PAGES", "memory of the firmware", "devices",
	  MR_CAN(NA) | MR_CAN(OK) | MR_CAN(UNKNOWN) | MR_CAN(WARN), mr_check_fw_pages },
	{ "MR-UAR", "UARs for open contexts", "devices",
	  MR_CAN(NA) | MR_CAN(OK) | MR_CAN(UNKNOWN) | MR_CAN(WARN), mr_check_uar },
	{ "MR-IOMMU", "IOMMU", "devices", MR_CAN(NA) | MR_CAN(OK) | MR_CAN(UNKNOWN) | MR_CAN(WARN),
	  mr_check_iommu },
	{ "MR-IOMMU-GROUP", "IOMMU groups of GPUs", "devices",
	  MR_CAN(NA) | MR_CAN(OK) | MR_CAN(UNKNOWN) | MR_CAN(WARN), mr_check_iommu_group },
	{ "MR-KNOWN-BAD", "combinations known to fail", "devices",
	  MR_CAN(NA) | MR_CAN(OK) | MR_CAN(UNKNOWN) | MR_CAN(WARN) | MR_CAN(BAD),
	  mr_check_known_bad },
	{ .id = NULL },
};

const struct mr_check *mr_check_find(const char *id, size_t length)
{
	const struct mr_check *check = mr_checks;

	while (check->id && !mr_word_is(id, length, check->id))
		check++;
	return check->id ? check : NULL;
}
