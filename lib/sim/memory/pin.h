/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_MEMORY_PIN_H
#define LIB_SIM_MEMORY_PIN_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/simulator/spec.h"

/**
 * sim_umem_pin() - charge and fault in the pages that ib_umem_get() would pin; no table may be locked
 * @kernel: whose rules hold
 * @addr:   of the memory
 * @length: bytes
 * @access: enum ib_uverbs_access_flags
 * @pages:  set to the number of pages charged
 *
 * The memory is checked as in the kernel, but not really pinned.
 *
 * Return: 0, -EINVAL, -EPERM, -ENOMEM, -EFAULT.
 */
int sim_umem_pin(enum mr_sim_kernel kernel, uint64_t addr, uint64_t length, uint32_t access,
		 uint32_t *pages);

/** sim_access_writable() - ib_access_writable(): whether access flags need memory that can be written */
bool sim_access_writable(uint32_t access);

/** sim_umem_check_odp() - check memory as ib_umem_odp_get(): 0, -EOVERFLOW, -EINVAL; nothing is pinned */
int sim_umem_check_odp(enum mr_sim_kernel kernel, uint64_t addr, uint64_t length, uint32_t access);

/** sim_umem_touch() - fault pages in, as a page fault of the device: 0, -EFAULT, -EPERM, -ENOMEM */
int sim_umem_touch(enum mr_sim_kernel kernel, uint64_t addr, uint64_t length, bool writable);

/** sim_umem_is_huge() - whether all of the memory is in huge pages; false if the kernel cannot tell */
bool sim_umem_is_huge(uint64_t addr, uint64_t length);

#endif
