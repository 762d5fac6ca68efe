/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the provider of an open device has: the part of rdma-core for its kind of device. */
#ifndef LIB_VERBS_PROVIDER_H
#define LIB_VERBS_PROVIDER_H

#include "lib/base/base.h"

struct ibv_context;

/** Operations that a provider may lack, and whose function a context shows. */
enum mr_provider_operation {
	MR_PROVIDER_ALLOC_DM,      /**< ibv_alloc_dm(3) */
	MR_PROVIDER_REG_DM_MR,     /**< ibv_reg_dm_mr(3) */
	MR_PROVIDER_ALLOC_NULL_MR, /**< ibv_alloc_null_mr(3) */
	MR_PROVIDER_ADVISE_MR,     /**< ibv_advise_mr(3) */
};

/**
 * mr_provider_has() - whether the provider has an operation
 *
 * For one that it lacks libibverbs fills in a function of its own, which answers EOPNOTSUPP
 * (libibverbs/dummy_ops.c).
 */
enum mr_tristate mr_provider_has(struct ibv_context *context, enum mr_provider_operation operation);

#endif
