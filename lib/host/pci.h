/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* PCI functions that can have to do with registration: network adapters, GPUs and other accelerators. */
#ifndef LIB_HOST_PCI_H
#define LIB_HOST_PCI_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/host/root.h"

enum mr_pci_kind {
	MR_PCI_NETWORK, /**< class 02, or 0c06 (InfiniBand) */
	MR_PCI_GPU,     /**< class 03 or 12 of a maker of GPUs that RDMA devices can access */
};

enum mr_pci_vendor {
	MR_PCI_AMD = 0x1002,
	MR_PCI_NVIDIA = 0x10de,
	MR_PCI_MELLANOX = 0x15b3,
};

struct mr_pci_function {
	enum mr_pci_kind kind;
	char address[16]; /**< "0000:c1:00.0" */
	uint32_t vendor;
	char driver[64]; /**< that is bound to it, or empty */
	bool is_virtual; /**< of SR-IOV, seen by the host that made it: often kept for guests, without a driver */
};

/** mr_pci_list() - call @take with each; Return: 0, or -errno: -ENOENT where there is no PCI. */
int mr_pci_list(struct mr_host *host,
		void (*take)(const struct mr_pci_function *function, void *data), void *data);

/**
 * mr_pci_region() - bytes of a region (BAR) of a function, as its file "resource" has them
 * @index: 0 to 5
 *
 * Return: 0 where it has no such region, or that cannot be read.
 */
uint64_t mr_pci_region(struct mr_host *host, const char *pci_address, unsigned int index);

/**
 * mr_pci_binding() - tells a binding of a function to its driver from any later one
 * @folder: of the function in /sys
 *
 * Return: the low half of the inode number of its link "driver".  sysfs makes that link anew when a driver is bound,
 * and numbers go up (__kernfs_new_node() of fs/kernfs/dir.c).  0 where there is no driver, or none is to be seen.
 */
uint32_t mr_pci_binding(struct mr_host *host, const char *folder);

/** How the IOMMU treats a function. */
struct mr_iommu {
	char group[16]; /**< its number; empty: no IOMMU is in the way */
	char type
		[16]; /**< "identity", "DMA", "DMA-FQ", ...; empty: not known (before Linux 5.11) */
};

/** mr_iommu_read() - Documentation/ABI/testing/sysfs-kernel-iommu_groups */
void mr_iommu_read(struct mr_host *host, const char *pci_address, struct mr_iommu *iommu);

#endif
