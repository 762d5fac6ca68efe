/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_MEMORY_PIN_H
#define LIB_SIM_MEMORY_PIN_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/simulator/spec.h"

/**
 * sim_umem_pin() - do what ib_umem_get() does, as far as it can fail; no table may be locked
 * @kernel: whose rules hold
 * @access: enum ib_uverbs_access_flags
 * @pages:  set to the number of pages charged
 *
 * Return: 0, -EINVAL, -EPERM, -ENOMEM, -EFAULT.
 */
int sim_umem_pin(enum mr_sim_kernel kernel, uint64_t addr, uint64_t length, uint32_t access,
		 uint32_t *pages);

/** sim_access_writable() - ib_access_writable() */
bool sim_access_writable(uint32_t access);

/** sim_umem_check_odp() - what ib_umem_odp_get() checks: nothing is pinned */
int sim_umem_check_odp(uint64_t addr, uint64_t length, uint32_t access);

/** sim_umem_touch() - fault pages in, as a page fault of the device does: 0, -EFAULT, -EPERM, -ENOMEM */
int sim_umem_touch(uint64_t addr, uint64_t length, bool writable);

/** sim_umem_is_huge() - whether all the memory is in huge pages, as far as the kernel tells */
bool sim_umem_is_huge(uint64_t addr, uint64_t length);

#endif
