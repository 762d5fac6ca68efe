/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which PCI functions of a host do RDMA, and with which modules. */
#ifndef LIB_DIAGNOSE_HARDWARE_H
#define LIB_DIAGNOSE_HARDWARE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/host/host.h"

/** A network adapter that does RDMA, or may. */
struct mr_adapter {
	char address[16];
	char driver[64];    /**< that is bound to it, or empty */
	const char *needs;  /**< the driver that it needs */
	const char *module; /**< makes an RDMA device of it */
	bool is_certain;    /**< each such adapter does RDMA */
};

struct mr_hardware {
	struct mr_adapter adapters[64];
	size_t count; /**< of adapters; those for which there is no room are left out */
	bool has_nvidia, has_amd;
	bool is_gpu_in_use; /**< a GPU has a driver that exports its memory */
	char gpu[16];       /**< address of the first NVIDIA GPU */
};

/** mr_hardware_read() - find them; those that are given to a virtual machine (vfio) are left out */
void mr_hardware_read(struct mr_host *host, struct mr_hardware *hardware);

#endif
