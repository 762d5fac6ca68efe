/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a device, its kernel and the installed library can do, found out without registering anything. */
#ifndef LIB_VERBS_FEATURES_H
#define LIB_VERBS_FEATURES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/base.h"
#include "lib/verbs/attributes.h"
#include "lib/verbs/device.h"
#include "lib/verbs/symbols.h"

/** What ibv_reg_mr_ex(3) does. */
enum mr_reg_mr_ex {
	MR_REG_MR_EX_UNKNOWN,
	MR_REG_MR_EX_ABSENT,  /**< the library has no such function (before rdma-core 59) */
	MR_REG_MR_EX_REFUSED, /**< the provider does not offer it (before rdma-core 64) */
	MR_REG_MR_EX_EMULATED, /**< libibverbs calls an older function of the provider (rdma-core 64) */
	MR_REG_MR_EX_PROVIDER, /**< the provider has it: mlx5 */
	MR_REG_MR_EX_ANSWERS,  /**< how many there are */
};

/** Their names, as indexes of a table; the first is no word. */
extern const struct mr_word mr_reg_mr_ex_words[MR_REG_MR_EX_ANSWERS + 1];

/** Features.  MR_UNKNOWN where only a trial, or nothing, can tell. */
struct mr_features {
	enum mr_tristate devx;             /**< this user gets a context with DEVX */
	enum mr_tristate optional_access;  /**< mr_has_optional_access() */
	enum mr_tristate relaxed_ordering; /**< mr_orders_relaxed() */
	/** ibv_reg_dmabuf_mr(3), asked with descriptor -1: EBADF means that only a dma-buf is missing. */
	enum mr_tristate dmabuf;
	enum mr_tristate data_direct; /**< it has a Data Direct device */
	char data_direct_path[256];   /**< the folder of that in /sys */
	enum mr_tristate
		dma_handles; /**< driver and kernel know DMA handles (UVERBS_OBJECT_DMAH) */
	/** Memory of the device can be exported as a dma-buf: no, or unknown. */
	enum mr_tristate dm_dmabuf;
	enum mr_reg_mr_ex reg_mr_ex;
	struct mr_opt_u64 dc_odp;    /**< operations of DC with ODP: mr_dc_odp_caps() */
	bool has_symbol[MR_SYMBOLS]; /**< whether the library has the function */
};

/**
 * mr_features_find() - find out what is not in the attributes
 * @device:      open; a protection domain is allocated in it, where that works
 * @environment: of the device
 * @attributes:  of the device, or NULL where they are not known
 * @devx:        whether the context is one with DEVX
 */
void mr_features_find(struct mr_device *device, const struct mr_environment *environment,
		      const struct mr_attributes *attributes, bool devx,
		      struct mr_features *features);

/** mr_has_dma_handles() - whether driver and kernel know DMA handles (UVERBS_OBJECT_DMAH) */
enum mr_tristate mr_has_dma_handles(const struct mr_uverbs *uverbs);

#endif
