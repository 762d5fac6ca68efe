/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_BASE_KERNEL_VERSIONS_H
#define LIB_SIM_BASE_KERNEL_VERSIONS_H

#include <stdbool.h>

#include "lib/simulator/spec.h"

/**
 * In what the simulated kernels differ: each change holds from some kernel on.  In which one it
 * came, and where in the kernel's source it is, stands in the rows of kernel_versions.c.
 */
enum sim_change {
	SIM_EVER,        /**< no change: as it is in all of them */
	SIM_ACCESS_CAPS, /**< flush flags are known; devices answer EOPNOTSUPP to what they lack */
	SIM_REREG_CHECK, /**< rereg cannot add write access to pages taken to be read */
	SIM_READ_PINS, /**< memory that is only read is pinned to be read, not to be written by force */
	SIM_SHARED_FILES, /**< shared mappings of files with write-back cannot be written to */
	SIM_DATA_DIRECT,  /**< mlx5: Data Direct */
	SIM_RXE_ACCESS,   /**< rxe: refuses flags that it does not support */
	SIM_RXE_REREG,    /**< rxe: changes regions */
	SIM_RXE_ODP,      /**< rxe: on-demand paging */
	SIM_REG_MR,       /**< the method that registers memory and dma-bufs alike */
	SIM_PORT_SPEED, /**< a method for the speed of a port, and dma-bufs of the device's pages */
	SIM_IOVA_END,   /**< mlx5: refuses an IOVA that wraps */
	SIM_UDATA,      /**< driver data of any size, as ib_respond_udata() and its like take it */
	SIM_SMALL_KEYS, /**< mlx5: keys for less than four blocks */
	SIM_CHANGES,
};

/** The first of the simulated kernels that has each change. */
extern const enum mr_sim_kernel sim_first_kernels[SIM_CHANGES];

/** sim_has_change() - whether a kernel has a change */
static inline bool sim_has_change(enum mr_sim_kernel kernel, enum sim_change change)
{
	return kernel <= sim_first_kernels[change]; /* the newest comes first in the enumeration */
}

#endif
