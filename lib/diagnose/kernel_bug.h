/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Bugs of kernels that corrupt data in regions that they have registered without complaint. */
#ifndef LIB_DIAGNOSE_KERNEL_BUG_H
#define LIB_DIAGNOSE_KERNEL_BUG_H

#include <stdint.h>

#include "lib/host/reading.h"

/**
 * mr_kernel_bug() - what the running kernel does wrong with data in a region
 * @driver_id: enum rdma_driver_id of the device
 * @access:    enum mr_access of the region
 *
 * Return: a clause for users; NULL where no bug is known, as of simulated devices, and of kernels that are newer
 * than those that were looked at.
 */
const char *mr_kernel_bug(struct mr_host *host, uint32_t driver_id, uint32_t access);

#endif
