/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* DMA handles (ibv_alloc_dmah(3)): hints that the device gives to PCIe with its accesses to a region. */
#ifndef LIB_VERBS_DMAH_H
#define LIB_VERBS_DMAH_H

#include "lib/base/base.h"
#include "lib/verbs/dmah_hints.h"

struct ibv_dmah;
struct mr_registrar;
struct mr_uverbs;

/** A DMA handle.  All zeros: none. */
struct mr_dmah {
	struct ibv_dmah *dmah;          /**< by MR_VIA_LIBRARY, else NULL */
	const struct mr_uverbs *uverbs; /**< by MR_VIA_KERNEL, else NULL */
	struct mr_dmah_hints hints;
	uint32_t handle; /**< the kernel's number of it; MR_NO_HANDLE: the library does not tell */
};

/**
 * mr_dmah_alloc() - ibv_alloc_dmah(3), or the method DMAH_ALLOC by MR_VIA_KERNEL
 * @dmah: set on success; mr_dmah_free() it
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED; -ENOSYS with MR_ERROR_HOST where the library lacks the call.
 */
int mr_dmah_alloc(const struct mr_registrar *registrar, const struct mr_dmah_hints *hints,
		  struct mr_dmah *dmah, struct mr_error *err);

/**
 * mr_dmah_free() - ibv_dealloc_dmah(3), or the method DMAH_FREE; nothing to do where @dmah is none
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED: -EBUSY while a region uses it.
 */
int mr_dmah_free(struct mr_dmah *dmah, struct mr_error *err);

#endif
