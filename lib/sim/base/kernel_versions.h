/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_BASE_KERNEL_VERSIONS_H
#define LIB_SIM_BASE_KERNEL_VERSIONS_H

#include <stdbool.h>

#include "lib/simulator/spec.h"

/**
 * Changes that some of the simulated kernels have.  The rows of kernel_versions.c say of each what it
 * is, which kernel was the first to have it, and where it is in the kernel's source.
 */
enum sim_change {
	SIM_ALWAYS,

	/* since Linux 6.12 */
	SIM_ACCESS_CAPS,
	SIM_REREG_CHECK,
	SIM_READ_PINS,
	SIM_SHARED_FILES,
	SIM_DATA_DIRECT,
	SIM_RXE_ACCESS,
	SIM_RXE_REREG,
	SIM_DM_ENCAP,
	SIM_REREG_REFUSED,

	/* since Linux 7.2 */
	SIM_RXE_ODP,
	SIM_RXE_PAGES,
	SIM_REG_MR,
	SIM_PORT_SPEED,
	SIM_DMABUF_EXPORT,
	SIM_DMAH,
	SIM_IOVA_END,
	SIM_UDATA,
	SIM_SMALL_KEYS,
	SIM_MAPPED_RINGS,

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
