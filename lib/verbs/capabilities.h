/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a kernel and a device can do, as far as they tell. */
#ifndef LIB_VERBS_CAPABILITIES_H
#define LIB_VERBS_CAPABILITIES_H

#include "lib/base/tristate.h"
#include "lib/verbs/descriptor.h"

/**
 * mr_has_optional_access() - whether the kernel takes access flags that it may ignore
 *
 * IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS, by the method QUERY_CONTEXT: where it does not,
 * libibverbs leaves such flags out of what it asks.
 */
enum mr_tristate mr_has_optional_access(const struct mr_uverbs *uverbs);

/**
 * mr_orders_relaxed() - whether the device can write in relaxed order
 *
 * The firmware of mlx5 is asked (QUERY_HCA_CAP), which takes a context with DEVX; of other drivers the
 * table of drivers tells.
 */
enum mr_tristate mr_orders_relaxed(const struct mr_uverbs *uverbs);

#endif
