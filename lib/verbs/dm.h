/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory on the device itself (ibv_alloc_dm(3)), for regions and dma-bufs on it. */
#ifndef LIB_VERBS_DM_H
#define LIB_VERBS_DM_H

#include <stdint.h>

#include "lib/base/base.h"

struct ibv_dm;
struct mr_dmabuf;
struct mr_registrar;

/** An allocated piece of memory on the device.  All zeros: none. */
struct mr_dm {
	struct ibv_dm *dm; /**< of MR_VIA_LIBRARY, else NULL */
	uint32_t handle;   /**< the kernel's number of it */
	_Bool allocated;
};

/**
 * mr_dm_alloc() - ibv_alloc_dm(3), or the method DM_ALLOC by MR_VIA_KERNEL
 * @length: bytes; nothing is checked in advance
 * @dm:     set on success; mr_dm_free() or mr_dm_forget() it
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED.
 */
int mr_dm_alloc(const struct mr_registrar *registrar, uint64_t length, struct mr_dm *dm,
		struct mr_error *err);

/**
 * mr_dm_free() - ibv_free_dm(3), or the method DM_FREE; nothing to do where @dm is none
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED: -EBUSY while a region is on it.
 */
int mr_dm_free(const struct mr_registrar *registrar, struct mr_dm *dm, struct mr_error *err);

/** mr_dm_forget() - free what the library has of it (ibv_unimport_dm(3)): the memory stays allocated */
void mr_dm_forget(struct mr_dm *dm);

/**
 * mr_dm_export() - ibv_dm_export_dmabuf_fd(3)
 * @dmabuf: set on success; mr_dmabuf_close() it
 *
 * Return: 0, or -errno: -ENOSYS with MR_ERROR_HOST where the installed library lacks the call,
 * -EOPNOTSUPP where the DM is not the library's.
 */
int mr_dm_export(const struct mr_dm *dm, struct mr_dmabuf *dmabuf, struct mr_error *err);

#endif
